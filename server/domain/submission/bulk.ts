import { z } from 'zod'
import { BULK_ACTIONS } from '../../../shared/types/submissions'
import { StoreUnavailable } from '../errors'

/** Two full pages of the list. */
const MOST = 200

/** Decisions that run at once: each is a few round trips to the store, which has others to answer. */
const AT_ONCE = 8

/** A name that whoever asks gives what they decide, and keeps when they send it again: it is done once. */
export const press = z.string().max(64).optional()

/** What is decided about many at once. */
export const bulkDecision = z.object({
  ids: z.array(z.string().max(100, 'it is no id'), 'it is not a list').max(MOST, `it has more than ${MOST} items`),
  action: z.enum(BULK_ACTIONS, `it is none of ${BULK_ACTIONS.join(', ')}`),
  press,
})

/**
 * Runs `decide` once for each id, some at once. While the store does not answer the rest is not tried: nobody waits
 * for that as often as there are ids.
 *
 * @returns in the order of `ids`, what `decide` rejected with; null for what was decided
 */
export async function decideEach(
  ids: readonly string[], decide: (id: string) => Promise<void>,
): Promise<{ id: string, error: unknown }[]> {
  const errors = new Map<string, unknown>()
  const left = new Set(ids).values()
  let away: StoreUnavailable | null = null
  const work = async () => {
    for (const id of left) {
      const error: unknown = away ?? await decide(id).then(() => null, (thrown: unknown) => thrown)
      errors.set(id, error)
      if (error instanceof StoreUnavailable) away = error
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return ids.map(id => ({ id, error: errors.get(id) }))
}
