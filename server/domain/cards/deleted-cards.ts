import type { Scope, ReviewBoard } from '../../ports/board'
import type { Monitor } from '../../ports/monitor'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, SubmissionRecord } from '../../ports/submission'
import type { Outbox } from '../outbox/outbox'
import { isRoom, missingIn, type PlacePorts } from '../review/scope'
import { sameCard } from '../lifecycle/record'
import { pendingAt, RECORDS } from '../queries/search'

export interface DeletedCardsPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: PlacePorts['presentation']
  board: ReviewBoard
  runtime: Runtime
  monitor: Monitor
}

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

  constructor(private readonly ports: DeletedCardsPorts) {}

  /**
   * Handles the deletion of a message, which need not be a card of ours. Searches for all reported cards together.
   *
   * @param undelivered reason if the message never arrived
   */
  deleted(card: CardRef, place: Scope, undelivered?: string): Promise<void> {
    if (!isRoom(place, this.ports.presentation.forms)) return Promise.resolve()
    this.reports.push({ card, place, undelivered })
    return this.runningSearch ??= this.processReports().finally(() => { this.runningSearch = null })
  }

  private async processReports(): Promise<void> {
    const { store } = this.ports
    while (this.reports.length > 0) {
      const reports = this.reports.splice(0)
      const { found: submissions } = await pendingAt('everywhere', RECORDS, this.ports, page => store.listRecords(page))
      for (const submission of submissions) {
        for (const card of submission.cards) {
          const report = reports.find(({ card: deletedCard, place }) => (
            sameCard(deletedCard, card) && place.includes(this.ports.board.roomOf(card))
          ))
          if (report) await this.replace(submission, card, report)
        }
      }
    }
  }

  private async replace(submission: SubmissionRecord, card: CardRef, { undelivered }: Report): Promise<void> {
    const { outbox, runtime, monitor } = this.ports
    const room = missingIn(submission, card, this.ports)
    const result = await outbox.apply(submission.id, [{ type: 'card-deleted', card, room, undelivered }])
    if ('refused' in result) return
    if (undelivered !== undefined) monitor.undelivered(room ?? card.platform, undelivered)
    runtime.background(outbox.run(result.submission, result.added))
  }
}
