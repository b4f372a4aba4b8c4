import type { Scope } from '../../ports/board'
import type { CardRef, SubmissionRecord } from '../../ports/submission'
import type { Context } from '../context'
import type { Outbox } from '../outbox/outbox'
import { isRoom, missingIn } from '../review/scope'
import { sameCard } from '../lifecycle/record'
import { pendingAt, RECORDS } from '../queries/search'

/** A deleted message; `undelivered` is the reason if it never arrived. */
interface Report {
  card: CardRef
  place: Scope
  undelivered?: string
}

/** Replaces deleted cards of pending submissions. */
export class DeletedCards {
  private reports: Report[] = []
  private runningSearch: Promise<void> | null = null

  constructor(private readonly context: Context, private readonly outbox: Outbox) {}

  /**
   * Handles the deletion of a message, even if it is no card. Searches once for all reports that came in meanwhile.
   *
   * @param undelivered reason if the message never arrived
   */
  deleted(card: CardRef, place: Scope, undelivered?: string): Promise<void> {
    if (!isRoom(place, this.context.forms)) return Promise.resolve()
    this.reports.push({ card, place, undelivered })
    return this.runningSearch ??= this.processReports().finally(() => { this.runningSearch = null })
  }

  private async processReports(): Promise<void> {
    const { store } = this.context
    while (this.reports.length > 0) {
      const reports = this.reports.splice(0)
      const { found: submissions } = await pendingAt(
        'everywhere', RECORDS, this.context, page => store.listRecords(page),
      )
      for (const submission of submissions) {
        for (const card of submission.cards) {
          const report = reports.find(({ card: deletedCard, place }) => (
            sameCard(deletedCard, card) && place.includes(this.context.board.roomOf(card))
          ))
          if (report) await this.replace(submission, card, report)
        }
      }
    }
  }

  private async replace(submission: SubmissionRecord, card: CardRef, { undelivered }: Report): Promise<void> {
    const { runtime, monitor } = this.context
    const room = missingIn(submission, card, this.context)
    const result = await this.outbox.apply(submission.id, [{ type: 'card-deleted', card, room, undelivered }])
    if ('refused' in result) return
    if (undelivered !== undefined) monitor.undelivered(room ?? card.platform, undelivered)
    runtime.background(this.outbox.run(result.submission, result.added))
  }
}
