import { z } from 'zod'
import {
  BULK_ACTIONS, HOLDERS, ROW_STATES, SORTS, type Counts, type Forgotten, type RowPage, type SubmissionDetails,
} from '../../../shared/types/submissions'
import type { Person } from '../../ports/submission'
import type { ClaimResult } from '../../ports/submission-access'
import { isObject } from '../json'
import { AlreadyDecided, NotAReviewer, PeopleUnknown, SubmissionEnded, Taken, WrongState } from '../errors'
import { parsed } from '../parsed'
import { identityOf } from '../people/people'
import { ADDRESSES_LENGTH } from './addresses'
import { bulkDecision, decideEach, press } from './bulk'
import { countChoices } from './counts'
import { showSubmission, type DetailsPorts, type Viewer } from './details'
import { listDone } from './done'
import { ending, endLine } from './endings'
import { Feed } from './feed'
import { forgetAll, forgetting, type ForgettingPorts } from './forgetting'
import { listRows, pickRows } from './listing'
import { getAll, reached, type OverviewPorts } from './overview'
import type { Outbox } from './outbox'
import type { Quarantine } from './quarantine'
import type { Review } from './review'
import type { Taking } from './taking'
import { digest } from './record'
import { isOver, outcomeOf } from './trace'

export interface OpsSubmissionsPorts extends OverviewPorts, DetailsPorts, Pick<ForgettingPorts, 'log'> {
  store: OverviewPorts['store'] & DetailsPorts['store'] & ConstructorParameters<typeof Feed>[0]['store']
  runtime: OverviewPorts['runtime'] & ConstructorParameters<typeof Feed>[0]['runtime']
  review: Pick<Review, 'decide' | 'decideEdited' | 'revoke' | 'sendAgain' | 'refusal'> & {
    taking: Pick<Taking, 'take' | 'handBack'>
  }
  outbox: Pick<Outbox, 'postAgain'>
  quarantine: Pick<Quarantine, 'release' | 'erase'>
}

const MOST_ROWS = 100

const states = z.enum(ROW_STATES, `it is none of ${ROW_STATES.join(', ')}`)

const filter = {
  state: states.optional(),
  q: z.string().max(200, 'it has more than 200 characters').optional(),
  holder: z.enum(HOLDERS, `it is none of ${HOLDERS.join(', ')}`).optional(),
  form: z.string().max(63, 'it is not the key of a form').optional(),
  platform: z.string().max(50, 'it is not the key of a platform').optional(),
}

const listing = z.object({
  limit: z.coerce.number('it is not a number').int('it is not a whole number').min(1, 'it is less than 1').max(
    MOST_ROWS, `it is more than ${MOST_ROWS}`,
  ).default(50),
  before: z.string().max(200, 'it is not the cursor of a page').optional(),
  sort: z.enum(SORTS, `it is none of ${SORTS.join(', ')}`).optional(),
  only: z.literal('ids', 'it is not ids').optional(),
  ...filter,
})

const picking = z.object({
  ids: z.array(z.string().max(100), 'it is not a list').max(MOST_ROWS, `it has more than ${MOST_ROWS} items`),
  ...filter,
  // What is done stands in the order of its ends, which rows do not have: it is asked for by pages only.
  state: states.exclude(['done'], 'what is done is not asked for by ids').optional(),
})

const decision = z.union([
  ...([...BULK_ACTIONS, 'erase'] as const).map(
    action => z.object({ action: z.literal(action), press }),
  ),
  z.object({ action: z.literal('resend'), to: z.string().max(ADDRESSES_LENGTH).optional(), press }),
  z.object({ action: z.literal('edit'), values: z.custom<Record<string, string>>(isTexts), press }),
], 'Send {"action":"forward"}, {"action":"spam"}, {"action":"edit","values":{"f0":"text"}}, where f0 is the id of a field, {"action":"release"}, {"action":"undo"}, {"action":"reopen"}, {"action":"take"}, {"action":"hand-back"}, {"action":"erase"}, or {"action":"resend"}, with "to":"somebody@example.com" for another address')

/** Texts by the ids of inputs. Not `z.record`, which overlooks the key `__proto__`. */
function isTexts(values: unknown): boolean {
  return isObject(values) && Object.entries(values).every(([id, text]) => /^f\d+$/.test(id) && typeof text === 'string')
}

const UNDONE = 'You did this already, and it was undone since. To do it again, send it with another press.'

/** What people do at the ops pages: look over what is pending, read one, decide it. Checks what HTTP brought. */
export class OpsSubmissions {
  /** Tells of changes to any submission. */
  readonly feed: Feed

  constructor(private readonly ports: OpsSubmissionsPorts) {
    this.feed = new Feed(ports)
  }

  /**
   * A page by `limit`, `before`, `sort` and the filter of `state`, `q`, `holder`, `form` and `platform`; or, by `ids`,
   * those that are still pending and pass the filter. What is `mine` is the viewer's.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async list(query: unknown, viewer: Person): Promise<RowPage> {
    const who = identityOf(viewer)
    const byIds = typeof query === 'object' && query !== null && 'ids' in query
    if (!byIds) {
      const asked = parsed(listing, query)
      return asked.state === 'done' ? listDone(asked, this.ports) : listRows({ ...asked, who }, this.ports)
    }
    const asked = parsed(picking, query)
    const picked = await pickRows({ ...asked, who }, this.ports)
    return { ...picked, revision: null, cursor: null, scanned: asked.ids.length }
  }

  /**
   * How many each choice of a filter would list.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  async counts(query: unknown, viewer: Person): Promise<Counts> {
    return countChoices({ ...parsed(z.object(filter), query), who: identityOf(viewer) }, this.ports)
  }

  /** @throws SubmissionGone, SubmissionEnded, StoreUnavailable */
  show(id: string, viewer: Viewer): Promise<SubmissionDetails> {
    return showSubmission(id, viewer, this.ports)
  }

  /**
   * Erases everything that contains an address or a text.
   *
   * @throws InvalidRequest, StoreUnavailable
   */
  eraseAll(body: unknown, reviewer: Person): Promise<Forgotten> {
    return forgetAll(parsed(forgetting, body), reviewer, this.ports)
  }

  /**
   * Posts the cards again that their platforms refused.
   *
   * @returns how many they are
   * @throws SubmissionGone, SubmissionEnded, NotAReviewer, PeopleUnknown, StoreUnavailable
   */
  async postAgain(id: string, reviewer: Person): Promise<number> {
    const { store, outbox, review } = this.ports
    const refusal = await reached(review.refusal(id, reviewer))
    if (refusal) throw await this.refusal(id, refusal)
    const cards = await reached(outbox.postAgain(id))
    const submission = cards === 0 && await reached(store.get(id))
    if (submission === null) throw await ending(id, store, message => new SubmissionEnded(message))
    if (submission && isOver(submission)) throw new SubmissionEnded(endLine(submission))
    return cards
  }

  /**
   * @returns errors by input id when the texts do not fit the fields; then nothing was decided
   * @throws InvalidRequest, AlreadyDecided, WrongState, SubmissionGone, NotAReviewer, PeopleUnknown, Taken,
   * StoreUnavailable; SubmissionEnded when it was erased before
   */
  async decide(id: string, body: unknown, reviewer: Person): Promise<{ errors: Record<string, string> } | null> {
    const asked = parsed(decision, body)
    // A press is one request of one person: others may have chosen the same name.
    const press = asked.press && digest(JSON.stringify([asked, identityOf(reviewer)]))
    const result = await this.act(id, { ...asked, press }, reviewer)
    if ('errors' in result) return result
    if (result.claimed) return null
    const outcome = result.forbidden ? null : await this.outcomeOf(id, press)
    if (outcome === 'stands') return null
    throw outcome === 'undone' ? new WrongState(UNDONE) : await this.refusal(id, result)
  }

  /**
   * Decides each of these as if it were the only one.
   *
   * @returns in their order, what `decide` threw; null for what was decided
   * @throws InvalidRequest
   */
  decideAll(body: unknown, reviewer: Person): Promise<{ id: string, error: unknown }[]> {
    const { ids, ...asked } = parsed(bulkDecision, body)
    return decideEach(ids, async id => void await this.decide(id, asked, reviewer))
  }

  /** Outcome of an earlier request with this press; null for none. */
  private async outcomeOf(id: string, press: string | undefined): Promise<ReturnType<typeof outcomeOf>> {
    if (!press) return null
    const [present] = await reached(getAll(this.ports.store, [id]))
    return present ? outcomeOf(present, press) : null
  }

  private async refusal(id: string, { message, forbidden }: ClaimResult & { claimed: false }): Promise<Error> {
    switch (forbidden) {
      case 'taken': return new Taken(message)
      case 'unlisted': return new NotAReviewer(message)
      case 'unknown': return new PeopleUnknown()
    }
    const { store } = this.ports
    const present = await reached(store.get(id))
    if (present?.state === 'held') return new WrongState('It is held: release it first, and then decide it.')
    if (present?.state === 'open') return new WrongState(message)
    return present ? new AlreadyDecided(message) : ending(id, store, ended => new AlreadyDecided(ended))
  }

  private async act(
    id: string, asked: z.infer<typeof decision>, reviewer: Person,
  ): Promise<ClaimResult | { errors: Record<string, string> }> {
    const { review, quarantine } = this.ports
    switch (asked.action) {
      case 'forward':
      case 'spam': return reached(review.decide(id, asked.action, reviewer, { press: asked.press }))
      case 'edit': return reached(review.decideEdited(id, asked.values, reviewer, { press: asked.press }))
      case 'resend': return reached(review.sendAgain(id, asked.to, reviewer, { press: asked.press }))
      case 'take': return reached(review.taking.take(id, reviewer, { press: asked.press }))
      case 'hand-back': return reached(review.taking.handBack(id, reviewer, { press: asked.press }))
      case 'undo': return reached(review.revoke(id, 'forward', reviewer, { press: asked.press }))
      case 'reopen': return reached(review.revoke(id, 'spam', reviewer, { press: asked.press }))
      case 'release':
      case 'erase':
        if (!await this.outcomeOf(id, asked.press)) await quarantine[asked.action](id, reviewer, asked.press)
        return { claimed: true }
    }
  }
}
