import type { Place } from '../../ports/board'
import type { SubmissionStore } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { belongsTo, type PlacePorts } from './place'

/** How many are read at most, and how many at once: a form may have 256 KiB. */
export interface Reading {
  most: number
  page: number
}

/**
 * The newest pending submissions that belong to the place; `complete` when no older ones were left unread. The one place
 * that knows how the store lists what is pending.
 */
export async function pendingAt(place: Place, { most, page }: Reading, ports: PlacePorts & { store: Pick<SubmissionStore, 'listPending'> }): Promise<{ found: Submission[], complete: boolean }> {
  const found: Submission[] = []
  let before: string | undefined
  for (let left = most; ; left -= page) {
    const { submissions, cursor } = await ports.store.listPending({ limit: Math.min(page, left), before })
    found.push(...submissions.filter(submission => belongsTo(place, submission, ports)))
    if (!cursor || left <= page) return { found, complete: !cursor }
    before = cursor
  }
}
