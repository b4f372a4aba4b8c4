import { english } from '../../../shared/texts'
import type { ReviewBoard } from '../../ports/board'
import type { CardQueueStore } from '../../ports/card-queue'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Presentation } from './card-view'

/** Shortest time in quarantine before a room gets the notice, ms: people who open the page anyway need none. */
const QUIET_MS = 60 * 60 * 1000

/** Interval between searches of one process for quarantined forms, ms. */
const SEARCH_INTERVAL_MS = 10 * 60 * 1000

/** Page request for quarantined forms. Records are enough: only the form counts, and its data may be 256 KiB. */
const PAGE_REQUEST = { limit: 250, only: 'held' } as const

export interface HeldNoticePorts {
  store: SubmissionStore
  queues: CardQueueStore
  board: ReviewBoard
  presentation: Presentation
  runtime: Runtime
  log: Log
}

/** Tells each room once a day that some of its forms are quarantined, if people can open the page that lists them. */
export class HeldNotice {
  /** Time of the next search, epoch ms. */
  private nextSearchAt = 0

  constructor(private readonly ports: HeldNoticePorts) {}

  /** Tells each room, unless another process was faster. Never rejects. */
  async tell(): Promise<void> {
    const { presentation: { siteUrl }, runtime, log } = this.ports
    if (siteUrl === null || runtime.now() < this.nextSearchAt) return
    try {
      const counts = await this.countByRoom(runtime.now() - QUIET_MS)
      this.nextSearchAt = runtime.now() + SEARCH_INTERVAL_MS
      for (const [room, count] of counts) await this.announce(room, count, `${siteUrl}/?state=held`)
    }
    catch (error) {
      log.warn('notice.failed', { error })
    }
  }

  private async announce(room: string, count: number, url: string): Promise<void> {
    const { queues, board, presentation: { texts = english }, log } = this.ports
    if (!await queues.takeNotice(room, 'held')) return
    const outcome = await board.announce(room, texts('card.notice.held', { count }), url)
    if (outcome.ok) return
    log.warn('notice.failed', { room, reason: outcome.reason })
    await queues.forgetNotice(room, 'held')
  }

  /** Counts the forms that are quarantined since `cutoffAt` or longer, for each room that has some. */
  private async countByRoom(cutoffAt: number): Promise<Map<string, number>> {
    const { store, presentation: { forms } } = this.ports
    const counts = new Map<string, number>()
    for (let before: string | undefined; ;) {
      const { submissions, cursor } = await store.listRecords({ ...PAGE_REQUEST, before })
      for (const { form, receivedAt } of submissions) {
        if (receivedAt > cutoffAt) continue
        for (const room of forms.of(form).rooms) counts.set(room, (counts.get(room) ?? 0) + 1)
      }
      if (cursor === null) return counts
      before = cursor
    }
  }
}
