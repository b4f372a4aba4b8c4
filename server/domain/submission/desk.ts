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
import type { Presentation } from './present'
import { sameCard } from './record'
import { isPressed } from './trace'

export interface DeskPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: Presentation
  reviewers: Pick<Reviewers, 'refusal'>
  board: Pick<ReviewBoard, 'roomOf'>
  runtime: Runtime
  monitor: Pick<Monitor, 'misplaced' | 'incident'>
  log: Log
}

export type Refused = Extract<ClaimResult, { claimed: false }>

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

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Says nothing of the submission: whoever sent the form knows its id, and may press a button anywhere. */
const ELSEWHERE = 'This submission belongs to another channel, so nothing was changed. Decide it on its card there.'

/** Access to submissions at one place: who may decide them, and what late clicks are told. */
export class Desk {
  constructor(private readonly ports: DeskPorts, private readonly place: Place) {}

  /**
   * The submission, for who may decide it here.
   *
   * @param options.click absent where they approved what a program asked for, or typed it
   * @param options.recalled as the store recalls it, which saves reading it
   */
  async here(
    id: string, action: Wish, person: Person | Promise<Person>,
    { click, recalled = null }: { click?: Partial<Click>, recalled?: Submission | null } = {},
  ): Promise<{ known: Submission } | Refused> {
    const { store, presentation: { forms }, reviewers, monitor, log } = this.ports
    const isHere = recalled && belongsTo(this.place, recalled, this.ports)
    const known = isHere ? recalled : await store.get(id)
    const platform = this.place === 'everywhere' ? 'ops' : this.place[0]?.split('/')[0] ?? 'unknown'
    if (!known) {
      // In other rooms anybody may press anything: that says nothing of the store.
      if (click && platform !== 'ops' && isRoom(this.place, forms)) {
        monitor.incident('unknown-submission')
        // Some clients choose the value of a button: only an id is logged.
        const submission = UUID.test(id) ? id : undefined
        log.warn('review.unknown', { submission, action, platform, reviewer: (await person).id })
      }
      return { claimed: false, message: lateLine(null), isSilent: true }
    }
    if (belongsTo(this.place, known, this.ports)) {
      const form = forms.of(known.form)
      const attempt = { submission: id, action, platform }
      const refused = form.reviewers && await reviewers.refusal(form, await person, attempt)
      if (!refused) return { known }
      const forbidden = refused instanceof PeopleUnknown ? 'unknown' : 'unlisted'
      return { claimed: false, message: refused.line, forbidden }
    }
    const { id: reviewer, platform: label } = await person
    const moved = click?.card && known.cards.find(card => sameCard(card, click.card!))
    monitor.misplaced(platform)
    if (moved) monitor.incident('moved-channel', `${this.channelOf(moved)} by ${this.channelOf(click.card!)} (${label})`)
    else monitor.incident('misplaced', label)
    log.warn('review.misplaced', { submission: id, action, platform, reviewer })
    return { claimed: false, message: ELSEWHERE, forbidden: 'elsewhere' }
  }

  private channelOf(card: CardRef): string {
    return this.ports.board.roomOf(card).replace(/^[^/]*\//, '')
  }

  /** Tells what became of it, and has the clicked card show that, too. */
  async late(
    id: string, { card, press }: Partial<Click> = {}, lineOf: (present: Submission | null) => Line = lateLine,
  ): Promise<Refused> {
    const present = await this.ports.store.get(id)
    if (present && card) this.ports.runtime.background(this.bringInLine(card, present))
    const isRepeated = present && press !== undefined && isPressed(present, press)
    return { claimed: false, message: lineOf(present), ...(!present || isRepeated) && { isSilent: true } }
  }

  /** A card that was clicked in vain says from then on what became of its submission, so that nobody does again. */
  private async bringInLine(card: CardRef, submission: Submission): Promise<void> {
    const { outbox } = this.ports
    const known = submission.cards.find(other => sameCard(other, card))
    const isFollowed = known ? !known.isGivenUp : submission.state === 'open'
    if (isFollowed) return outbox.refresh(submission, card)
    const applied = await outbox.apply(
      submission.id, [{ type: 'done', key: `late:${card.messageId}`, card }], submission,
    )
    if (!('refused' in applied)) await outbox.run(applied.submission, applied.added)
  }
}

/** Why it cannot be decided any more. */
export function lateLine(submission: Submission | null): Line {
  const ended = submission && endLine(submission)
  return ended || 'This submission was already decided, or its 7 days have passed.'
}
