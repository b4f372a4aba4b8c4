import { z } from 'zod'
import { BULK_ACTIONS } from '../../../shared/actions'
import {
  HOLDERS, ROW_STATES, SORTS, type Counts, type Forgotten, type RowPage, type SubmissionDetails,
} from '../../../shared/types/submissions'
import type { Delivery, Person } from '../../ports/submission'
import type { Invalid, Refused } from '../../ports/submission-access'
import type { Context } from '../context'
import { parsed } from '../json'
import {
  AlreadyDecided, NotAReviewer, PeopleUnknown, StoreUnavailable, SubmissionEnded, AlreadyAssigned, WrongState,
} from '../errors'
import { identityOf } from '../people/people'
import { countChoices, listDone, listRows, pickRows } from './listing'
import { actionRequestSchema, causes, requestIdSchema } from '../review/actions'
import type { Decisions } from '../review/decisions'
import { showSubmission, type DetailsViewer } from './details'
import { endLine } from '../cards/card-view'
import { Feed } from './feed'
import { forgetAll, forgetting } from './erase-by-text'
import { ending, getAll, orUnavailable } from './rows'
import type { Reviewers } from '../people/reviewers'
import type { Outbox } from '../outbox/outbox'
import type { Quarantine } from '../review/quarantine'
import { digest, isOver, outcomeOf } from '../lifecycle/record'

const MOST_ROWS = 100

const stateSchema = z.enum(ROW_STATES, `must be one of ${ROW_STATES.join(', ')}`)

const filterFields = {
  state: stateSchema.optional(),
  q: z.string().max(200, 'must have at most 200 characters').optional(),
  holder: z.enum(HOLDERS, `must be one of ${HOLDERS.join(', ')}`).optional(),
  form: z.string().max(63, 'must be the key of a form').optional(),
  platform: z.string().max(50, 'must be the key of a platform').optional(),
}

const listingSchema = z.object({
  limit: z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be at least 1').max(
    MOST_ROWS, `must be at most ${MOST_ROWS}`,
  ).default(50),
  before: z.string().max(200, 'must be the cursor of a page').optional(),
  sort: z.enum(SORTS, `must be one of ${SORTS.join(', ')}`).optional(),
  only: z.literal('ids', 'must be ids').optional(),
  ...filterFields,
})

const pickingSchema = z.object({
  ids: z.array(z.string().max(100), 'must be a list').max(MOST_ROWS, `must have at most ${MOST_ROWS} items`),
  ...filterFields,
  // Ended submissions can be listed only by page: their order is by end, which rows do not contain.
  state: stateSchema.exclude(['done'], 'finished submissions cannot be listed by ids').optional(),
})

/** Request to decide many submissions at once, up to two full pages of the list. */
const bulkDecisionSchema = z.object({
  ids: z.array(z.string().max(100, 'must be an id'), 'must be a list').max(200, 'must have at most 200 items'),
  action: z.enum(BULK_ACTIONS, `must be one of ${BULK_ACTIONS.join(', ')}`),
  press: requestIdSchema,
})

/** Decisions made in parallel; few, because each needs several round trips to the store, which has other requests. */
const CONCURRENCY = 8

const UNDONE_TEXT = 'You did this already, and it was undone since. To do it again, send a new "press".'

/** Operations of the ops pages on submissions: list, read, decide, erase. Validates the input from HTTP. */
export class OpsSubmissions {
  /** Reports changes to any submission. */
  readonly feed: Feed

  constructor(
    private readonly context: Context, private readonly outbox: Outbox, private readonly reviewers: Reviewers,
    private readonly decisions: Decisions, private readonly quarantine: Quarantine,
  ) {
    this.feed = new Feed(context)
  }

  /**
   * Returns a page for `limit`, `before`, `sort` and the filters `state`, `q`, `holder`, `form` and `platform`. With
   * `ids`, returns the submissions with these ids that are still pending and match the filters. The holder `mine` is
   * the viewer.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async list(query: unknown, viewer: Person): Promise<RowPage> {
    const who = identityOf(viewer)
    const hasIds = typeof query === 'object' && query !== null && 'ids' in query
    if (!hasIds) {
      const request = parsed(listingSchema, query)
      return request.state === 'done' ? listDone(request, this.context) : listRows({ ...request, who }, this.context)
    }
    const request = parsed(pickingSchema, query)
    const page = await pickRows({ ...request, who }, this.context)
    return { ...page, revision: null, cursor: null, scanned: request.ids.length }
  }

  /**
   * Returns the number of submissions for each choice of a filter.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async counts(query: unknown, viewer: Person): Promise<Counts> {
    return countChoices({ ...parsed(z.object(filterFields), query), who: identityOf(viewer) }, this.context)
  }

  /** @throws SubmissionGone, SubmissionEnded, StoreUnavailable */
  show(id: string, viewer: DetailsViewer): Promise<SubmissionDetails> {
    return showSubmission(id, viewer, this.context, this.reviewers)
  }

  /**
   * Erases all submissions that contain an address or a text.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  eraseAll(body: unknown, reviewer: Person): Promise<Forgotten> {
    return forgetAll(parsed(forgetting, body), reviewer, this.context, this.quarantine)
  }

  /**
   * Posts refused cards again.
   *
   * @returns the number of cards
   * @throws SubmissionGone, SubmissionEnded, NotAReviewer, PeopleUnknown, StoreUnavailable
   */
  async postAgain(id: string, reviewer: Person): Promise<number> {
    const { store } = this.context
    const refusal = await orUnavailable(this.decisions.refusal({ id, person: reviewer, place: 'everywhere' }))
    if (refusal) throw await this.errorFor(id, refusal)
    const cardCount = await orUnavailable(this.outbox.postAgain(id))
    const submission = cardCount === 0 && await orUnavailable(store.get(id))
    if (submission === null) throw await ending(id, store, message => new SubmissionEnded(message))
    if (submission && isOver(submission)) throw new SubmissionEnded(endLine(submission))
    return cardCount
  }

  /**
   * Makes deliveries that wait for another attempt now.
   *
   * @throws NotAReviewer, PeopleUnknown, StoreUnavailable; WrongState if they are being made, or must wait
   */
  async pull(id: string, deliveries: readonly Delivery[], reviewer: Person): Promise<void> {
    const refusal = await orUnavailable(this.decisions.refusal({ id, person: reviewer, place: 'everywhere' }))
    if (refusal) throw await this.errorFor(id, refusal)
    const pulls = deliveries.map(vendor => ({ type: 'pulled' as const, vendor }))
    const result = await orUnavailable(this.outbox.apply(id, pulls))
    if ('refused' in result) throw new WrongState('It is being sent already, or its receiver asked to wait.')
  }

  /**
   * @returns the errors of texts that do not fit their fields, in which case nothing was decided; otherwise null
   * @throws InvalidRequest, AlreadyDecided, WrongState, SubmissionGone, NotAReviewer, PeopleUnknown, AlreadyAssigned,
   * StoreUnavailable; SubmissionEnded if it was already erased
   */
  async decide(id: string, body: unknown, reviewer: Person): Promise<Invalid | null> {
    const request = parsed(actionRequestSchema, body)
    // Include the request and the person: other clients may choose the same request id.
    const requestId = request.press && digest(JSON.stringify([request, identityOf(reviewer)]))
    if (causes(request, 'released', 'erased')) {
      if (!await this.findEarlierOutcome(id, requestId)) {
        await this.quarantine.decide(request.action, id, reviewer, requestId)
      }
      return null
    }
    const attempt = { ...request, id, person: reviewer, place: 'everywhere', press: { press: requestId } } as const
    const result = await orUnavailable(this.decisions.decide(attempt))
    if (result.kind === 'done') return null
    if (result.kind === 'invalid') return result
    const outcome = result.kind === 'forbidden' ? null : await this.findEarlierOutcome(id, requestId)
    if (outcome === 'stands') return null
    throw outcome === 'undone' ? new WrongState(UNDONE_TEXT) : await this.errorFor(id, result)
  }

  /**
   * Decides each of these submissions separately.
   *
   * @returns the errors that `decide` threw, in the order of the ids; null for each decision that was made
   * @throws InvalidRequest
   */
  decideAll(body: unknown, reviewer: Person): Promise<{ id: string, error: unknown }[]> {
    const { ids, ...request } = parsed(bulkDecisionSchema, body)
    return decideEach(ids, async id => void await this.decide(id, request, reviewer))
  }

  /** Returns the outcome of an earlier request with this request id; null if there was none. */
  private async findEarlierOutcome(id: string, requestId: string | undefined): Promise<ReturnType<typeof outcomeOf>> {
    if (!requestId) return null
    const [submission] = await orUnavailable(getAll(this.context.store, [id]))
    return submission ? outcomeOf(submission, requestId) : null
  }

  private async errorFor(id: string, refusal: Refused): Promise<Error> {
    const { store } = this.context
    const { message } = refusal
    switch (refusal.kind === 'forbidden' && refusal.reason) {
      case 'taken': return new AlreadyAssigned(message)
      case 'unlisted': return new NotAReviewer(message)
      case 'unknown': return new PeopleUnknown()
    }
    const submission = await orUnavailable(store.get(id))
    if (submission?.state === 'held') return new WrongState('It is held: release it first, and then decide it.')
    if (submission?.state === 'open') return new WrongState(message)
    return submission ? new AlreadyDecided(message) : ending(id, store, endText => new AlreadyDecided(endText))
  }
}

/**
 * Runs `decide` once for each id, some in parallel. Skips the rest once the store does not answer: waiting for each id
 * would take too long.
 *
 * @returns in the order of `ids`, the error that `decide` rejected with; null for a decision that was made
 */
export async function decideEach(
  ids: readonly string[], decide: (id: string) => Promise<void>,
): Promise<{ id: string, error: unknown }[]> {
  const errors = new Map<string, unknown>()
  const remainingIds = new Set(ids).values()
  let storeError: StoreUnavailable | null = null
  const worker = async () => {
    for (const id of remainingIds) {
      const error: unknown = storeError ?? await decide(id).then(() => null, (thrown: unknown) => thrown)
      errors.set(id, error)
      if (error instanceof StoreUnavailable) storeError = error
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  return ids.map(id => ({ id, error: errors.get(id) }))
}
