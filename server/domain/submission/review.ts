import type { EditForm, Place, ReviewBoard } from '../../ports/board'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Action, CardRef, Reviewer, Submission } from '../../ports/submission'
import type { ClaimResult } from '../../ports/submission-access'
import { applyEdits } from './fields'
import type { Edit } from './events'
import type { Outbox } from './outbox'
import { belongsTo, isRoom } from './place'
import { decisionLine, editForm, type Presentation, deliveriesOf } from './present'

export interface ReviewPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: Presentation
  board: Pick<ReviewBoard, 'roomOf' | 'answerLate'>
  runtime: Runtime
  monitor: Pick<Monitor, 'misplaced'>
  log: Log
}

/** A click on a card. */
export interface Click {
  /** In case it is not on record yet. */
  card: CardRef
  /** What the platform calls the click, also when it is sent again; undefined where it does not say. */
  press?: string
}

/**
 * What reviewers do at one place. What is gone, and what belongs to other places, is the same to them: nothing happens
 * and nothing is told of it. An id is worth nothing elsewhere, because whoever sent the form knows it.
 */
export class Review {
  constructor(private readonly ports: ReviewPorts, private readonly place: Place) {}

  /** The form to edit, or null when there is nothing to decide any more. */
  async edit(id: string): Promise<EditForm | null> {
    const submission = await this.here(id, 'edit')
    return submission?.state === 'open' && submission.data ? editForm(submission, this.ports.presentation) : null
  }

  /**
   * @param reviewer may still be looked up, which then costs no round trip of its own
   */
  async decide(
    id: string, action: Action, reviewer: Reviewer | Promise<Reviewer>, click?: Click,
  ): Promise<ClaimResult> {
    const [known, who] = await Promise.all([this.here(id, action, reviewer), reviewer])
    return this.claim(id, action, who, { ...click, known })
  }

  /**
   * @param submitted what was typed, by input id
   * @param press what the platform calls the form that was submitted
   * @returns errors by input id when the texts do not fit the fields
   */
  async decideEdited(
    id: string, submitted: Readonly<Record<string, string>>, reviewer: Reviewer, press?: string,
  ): Promise<ClaimResult | { errors: Record<string, string> }> {
    const submission = await this.here(id, 'edit', reviewer)
    if (!submission?.data) return refusal(submission)
    const edit = applyEdits(submission.data, submitted)
    return 'errors' in edit ? edit : this.claim(id, 'forward', reviewer, { edit, known: submission, press })
  }

  /** The submission, unless it is gone or belongs elsewhere. */
  private async here(
    id: string, action: Action | 'edit', reviewer?: Reviewer | Promise<Reviewer>,
  ): Promise<Submission | null> {
    const { store, monitor, log } = this.ports
    const submission = await store.get(id)
    if (!submission || belongsTo(this.place, submission, this.ports)) return submission
    const platform = this.place[0]?.split('/')[0] ?? 'unknown'
    monitor.misplaced(platform)
    log.warn('review.misplaced', { submission: id, action, platform, reviewer: (await reviewer)?.id })
    return null
  }

  private async claim(
    id: string, action: Action, reviewer: Reviewer, context: Partial<Click> & { edit?: Edit, known: Submission | null },
  ): Promise<ClaimResult> {
    const { outbox, presentation, runtime, log, store } = this.ports
    const { known, ...details } = context
    if (!known) return this.refuse(id, null, details.card)
    const deliveries = deliveriesOf(presentation.forms.of(known.form))
    const applied = await outbox.apply(id, [{ type: 'claimed', action, reviewer, deliveries, ...details }], known)
    if ('refused' in applied) {
      const decided = await store.get(id)
      if (decided && details.card) runtime.background(outbox.refresh(decided, details.card))
      return this.refuse(id, decided, details.card)
    }
    log.info('submission.claimed', {
      submission: id, action, edited: details.edit !== undefined, platform: reviewer.platform, reviewer: reviewer.id,
    })
    if (applied.submission) runtime.background(outbox.run(applied.submission, applied.added))
    return { claimed: true }
  }

  /**
   * A click that was sent again, of what is open again by now, is not answered; neither is one from no room of ours.
   */
  private refuse(id: string, submission: Submission | null, card?: CardRef): ClaimResult & { claimed: false } {
    const result = refusal(submission)
    const isLate = card && submission?.state !== 'open' && isRoom(this.place, this.ports.presentation.forms)
    if (isLate) this.ports.runtime.background(this.answerLate(id, card, result.message))
    return result
  }

  private async answerLate(id: string, card: CardRef, message: string): Promise<void> {
    const { board, log } = this.ports
    const outcome = await board.answerLate(card, message)
    if (!outcome.ok) log.warn('answer.failed', { submission: id, platform: card.platform, reason: outcome.reason })
  }
}

function refusal(submission: Submission | null): ClaimResult & { claimed: false } {
  const decided = submission && decisionLine(submission)
  return {
    claimed: false,
    message: decided ? `${decided}.` : 'This submission was already decided, or its 7 days have passed.',
  }
}
