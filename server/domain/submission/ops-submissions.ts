import { z } from 'zod'
import { ROW_STATES, type RowPage, type SubmissionDetails } from '../../../shared/types/submissions'
import type { Reviewer } from '../../ports/submission'
import { AlreadyDecided, InvalidRequest, SubmissionEnded, WrongState } from '../errors'
import { ending, showSubmission, type DetailsPorts } from './details'
import { Feed } from './feed'
import { listRows, pickRows, reached, type OverviewPorts } from './overview'
import type { Outbox } from './outbox'
import type { Quarantine } from './quarantine'
import type { Review } from './review'

export interface OpsSubmissionsPorts extends OverviewPorts, DetailsPorts {
  store: OverviewPorts['store'] & DetailsPorts['store'] & ConstructorParameters<typeof Feed>[0]['store']
  runtime: OverviewPorts['runtime'] & ConstructorParameters<typeof Feed>[0]['runtime']
  review: Pick<Review, 'decide' | 'decideEdited'>
  outbox: Pick<Outbox, 'postAgain'>
  quarantine: Pick<Quarantine, 'release' | 'delete'>
}

const MOST_ROWS = 100

const filter = {
  state: z.enum(ROW_STATES, `it is none of ${ROW_STATES.join(', ')}`).optional(),
  q: z.string().max(200, 'it has more than 200 characters').optional(),
}

const listing = z.object({
  limit: z.coerce.number('it is not a number').int('it is not a whole number').min(1, 'it is less than 1').max(
    MOST_ROWS, `it is more than ${MOST_ROWS}`,
  ).default(50),
  before: z.string().max(200, 'it is not the cursor of a page').optional(),
  ...filter,
})

const picking = z.object({
  ids: z.array(z.string().max(100), 'it is not a list').max(MOST_ROWS, `it has more than ${MOST_ROWS} items`),
  ...filter,
})

const decision = z.union([
  z.object({ action: z.enum(['forward', 'spam', 'release']) }),
  z.object({ action: z.literal('edit'), values: z.record(z.string().regex(/^f\d+$/), z.string()) }),
], 'Send {"action":"forward"}, {"action":"spam"}, {"action":"edit","values":{"f0":"text"}}, where f0 is the id of a field, or {"action":"release"}')

/** What people do at the ops pages: look over what is pending, read one, decide it. Checks what HTTP brought. */
export class OpsSubmissions {
  /** Tells of changes to any submission. */
  readonly feed: Feed

  constructor(private readonly ports: OpsSubmissionsPorts) {
    this.feed = new Feed(ports)
  }

  /**
   * A page by `limit`, `before`, `state` and `q`; or, by `ids`, those that are still pending and pass the filter.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async list(query: unknown): Promise<RowPage> {
    const byIds = typeof query === 'object' && query !== null && 'ids' in query
    if (!byIds) return listRows(parsed(listing, query), this.ports)
    const asked = parsed(picking, query)
    return { ...await pickRows(asked, this.ports), cursor: null, scanned: asked.ids.length }
  }

  /** @throws SubmissionGone, SubmissionEnded, StoreUnavailable */
  show(id: string): Promise<SubmissionDetails> {
    return showSubmission(id, this.ports)
  }

  /** Erases what is held. @throws WrongState, SubmissionGone, SubmissionEnded, StoreUnavailable */
  delete(id: string, reviewer: Reviewer): Promise<void> {
    return this.ports.quarantine.delete(id, reviewer)
  }

  /**
   * Posts the cards again that their platforms refused.
   *
   * @returns how many they are
   * @throws SubmissionGone, SubmissionEnded, StoreUnavailable
   */
  async postAgain(id: string): Promise<number> {
    const { store, outbox } = this.ports
    const cards = await reached(outbox.postAgain(id))
    if (cards === 0 && !await reached(store.get(id))) {
      throw await ending(id, store, message => new SubmissionEnded(message))
    }
    return cards
  }

  /**
   * @returns errors by input id when the texts do not fit the fields; then nothing was decided
   * @throws InvalidRequest, AlreadyDecided, WrongState, SubmissionGone, StoreUnavailable
   */
  async decide(id: string, body: unknown, reviewer: Reviewer): Promise<{ errors: Record<string, string> } | null> {
    const { review, store, quarantine } = this.ports
    const asked = parsed(decision, body)
    if (asked.action === 'release') {
      await quarantine.release(id, reviewer)
      return null
    }
    const result = await reached(
      'values' in asked ? review.decideEdited(id, asked.values, reviewer) : review.decide(id, asked.action, reviewer),
    )
    if ('errors' in result) return result
    if (result.claimed) return null
    const present = await reached(store.get(id))
    if (present?.state === 'held') throw new WrongState('It is held: release it first, and then decide it.')
    throw present ? new AlreadyDecided(result.message) : await ending(id, store, message => new AlreadyDecided(message))
  }
}

function parsed<T>(schema: z.ZodType<T>, input: unknown): T {
  const { success, data, error } = schema.safeParse(input)
  if (success) return data
  throw new InvalidRequest(`${[...new Set(error.issues.map(({ path, message }) => [...path, message].join(': ')))].join('; ')}.`)
}
