import type { ReviewBoard } from '../../ports/board'
import type { CardQueueStore } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Forms } from '../../ports/form'
import type { Log } from '../../ports/runtime'

export interface ClosedRoomsPorts {
  queues: Pick<CardQueueStore, 'takeNotice' | 'forgetNotice'>
  board: Pick<ReviewBoard, 'announce' | 'label'>
  forms: Pick<Forms, 'all'>
  /** The ops page that lists what waits; null when nobody can open it. */
  overviewUrl: string | null
  log: Log
}

/** An archived channel, or one without the bot, takes no cards: whoever is in the other rooms of its forms is told. */
export class ClosedRooms {
  /** As far as this process knows. */
  private readonly closed = new Set<string>()

  constructor(private readonly ports: ClosedRoomsPorts) {}

  /** What became of a post; null when that is no news. The promise never rejects. */
  heard(room: string, outcome: Outcome<unknown>): Promise<void> | null {
    if (outcome.ok) return this.closed.has(room) ? this.opened(room) : null
    if (!outcome.permanent || outcome.content || this.closed.has(room)) return null
    this.closed.add(room)
    return this.shut(room, outcome.reason)
  }

  /** It takes cards again. Never rejects. */
  opened(room: string): Promise<void> {
    this.closed.delete(room)
    return this.tried(room, queues => queues.forgetNotice(room, 'closed'))
  }

  /** It takes no cards any more, as one replica found. Never rejects. */
  shut(room: string, reason: string): Promise<void> {
    return this.tried(room, async (queues) => {
      if (await queues.takeNotice(room, 'closed')) await this.announce(room, reason)
    })
  }

  private async tried(room: string, tell: (queues: ClosedRoomsPorts['queues']) => Promise<void>): Promise<void> {
    const { queues, log } = this.ports
    await tell(queues).catch(error => log.warn('notice.failed', { room, error }))
  }

  private async announce(room: string, reason: string): Promise<void> {
    const { board, forms, overviewUrl, log } = this.ports
    const sharing = forms.all.filter(({ rooms }) => rooms.includes(room)).flatMap(({ rooms }) => rooms)
    const [, channel] = room.split(/\/(.*)/s)
    const name = channel ? `the channel ${channel} of ${board.label(room)}` : board.label(room)
    const text = `No cards reach ${name} any more: ${reason} Until then its forms are decided elsewhere.`
    for (const other of new Set(sharing.filter(other => other !== room))) {
      const outcome = await board.announce(other, text, overviewUrl)
      if (!outcome.ok) log.warn('notice.failed', { room: other, reason: outcome.reason })
    }
  }
}
