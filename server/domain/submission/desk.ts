import type { Line } from '../../../shared/types/line'
import type { Place, ReviewBoard } from '../../ports/board'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Action, CardRef, Person, Submission } from '../../ports/submission'
import type { ClaimResult } from '../../ports/submission-access'
import { PeopleUnknown } from '../errors'
import type { Reviewers } from '../people/reviewers'
import { endLine } from './endings'
import type { Outbox } from './outbox'
import { belongsTo, isRoom } from './place'
import { goneCardView, type Presentation } from './present'
import { sameCard } from './record'

export interface DeskPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: Presentation
  reviewers: Pick<Reviewers, 'refusal'>
  board: Pick<ReviewBoard, 'roomOf' | 'answerLate' | 'update'>
  runtime: Runtime
  monitor: Pick<Monitor, 'misplaced'>
  log: Log
}

type Refused = Extract<ClaimResult, { claimed: false }>

/** They may not, and alone read why. */
export type Forbidden = Refused & Required<Pick<Refused, 'forbidden'>>

export function isForbidden(result: object): result is Forbidden {
  return 'forbidden' in result && result.forbidden !== undefined
}

/** A click on a card. */
export interface Click {
  /** In case it is not on record yet. */
  card: CardRef
  /** What the platform calls the click, also when it is sent again; undefined where it does not say. */
  press?: string
}

/** What somebody wants to do with a submission. */
type Wish = Action | 'edit' | 'approve' | 'take' | 'hand back' | 'assign' | `revoke ${Action}`

/**
 * What all that reviewers do at a place has in common: who may do it, and what is answered to who comes too late. What
 * is gone, and what belongs to other places, is the same to them: nothing happens and nothing is told of it. An id is
 * worth nothing elsewhere, because whoever sent the form knows it.
 */
export class Desk {
  constructor(private readonly ports: DeskPorts, private readonly place: Place) {}

  /**
   * The submission for who may decide it, or null when it is gone or belongs elsewhere.
   *
   * @param recalled as the store recalls it, which saves reading it
   */
  async here(
    id: string, action: Wish, person: Person | Promise<Person>, recalled: Submission | null = null,
  ): Promise<{ known: Submission | null } | Forbidden> {
    const { store, presentation, reviewers, monitor, log } = this.ports
    const isHere = recalled && belongsTo(this.place, recalled, this.ports)
    const known = isHere ? recalled : await store.get(id)
    if (!known) return { known }
    const platform = this.place === 'everywhere' ? 'ops' : this.place[0]?.split('/')[0] ?? 'unknown'
    if (belongsTo(this.place, known, this.ports)) {
      const form = presentation.forms.of(known.form)
      const attempt = { submission: id, action, platform }
      const refused = form.reviewers && await reviewers.refusal(form, await person, attempt)
      if (!refused) return { known }
      const forbidden = refused instanceof PeopleUnknown ? 'unknown' : 'unlisted'
      return { claimed: false, message: refused.line, forbidden }
    }
    monitor.misplaced(platform)
    log.warn('review.misplaced', { submission: id, action, platform, reviewer: (await person).id })
    return { known: null }
  }

  /**
   * Whoever comes too late is told what became of it, and the card that they clicked shows it from then on.
   *
   * @param known what there is of it for this place; of what belongs elsewhere no card is drawn
   */
  async late(id: string, known: Submission | null, card?: CardRef): Promise<ClaimResult & { claimed: false }> {
    if (!known) return this.refuse(id, null, card)
    const present = await this.ports.store.get(id)
    if (present && card) this.ports.runtime.background(this.bringInLine(id, card, present))
    return this.refuse(id, present, card)
  }

  /**
   * A click that was sent again, of what is open again by now, is not answered; neither is one from no room of ours.
   */
  refuse(id: string, submission: Submission | null, card?: CardRef): ClaimResult & { claimed: false } {
    const result = refusalOf(submission)
    const isLate = card && submission?.state !== 'open' && isRoom(this.place, this.ports.presentation.forms)
    if (isLate) {
      const answer = submission ? this.answerLate(id, card, result.message) : this.bringInLine(id, card, null)
      this.ports.runtime.background(answer)
    }
    return result
  }

  /** A card that was clicked in vain says from then on what became of its submission, so that nobody does again. */
  async bringInLine(id: string, card: CardRef, submission: Submission | null): Promise<void> {
    const { store, outbox, board, presentation } = this.ports
    if (submission) {
      const isKnown = submission.cards.some(known => sameCard(known, card))
      if (submission.state === 'open' || isKnown) return outbox.refresh(submission, card)
      const applied = await outbox.apply(id, [{ type: 'done', key: `late:${card.messageId}`, card }], submission)
      if (!('refused' in applied)) await outbox.run(applied.submission, applied.added)
    }
    // What belongs elsewhere is not there for this place, and no card of it is touched.
    else if (await store.get(id) === null) await board.update(card, goneCardView(id, presentation))
  }

  private async answerLate(id: string, card: CardRef, message: Line): Promise<void> {
    const { board, log } = this.ports
    const outcome = await board.answerLate(card, message)
    if (!outcome.ok) log.warn('answer.failed', { submission: id, platform: card.platform, reason: outcome.reason })
  }
}

/** Why it cannot be decided any more. */
export function refusalOf(submission: Submission | null): ClaimResult & { claimed: false } {
  const ended = submission && endLine(submission)
  return { claimed: false, message: ended || 'This submission was already decided, or its 7 days have passed.' }
}
