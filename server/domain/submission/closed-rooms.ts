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
  /** What each room was last, as far as this process knows. */
  private readonly rooms = new Map<string, 'open' | 'closed'>()

  constructor(private readonly ports: ClosedRoomsPorts) {}

  /** What became of a post; null when that is no news. The promise never rejects. */
  heard(room: string, outcome: Outcome<unknown>): Promise<void> | null {
    // An earlier process may have told of it.
    if (outcome.ok) return this.rooms.get(room) === 'open' ? null : this.opened(room)
    if (!outcome.permanent || outcome.content || this.rooms.get(room) === 'closed') return null
    return this.shut(room, outcome.reason)
  }

  /** It takes cards again. Never rejects. */
  opened(room: string): Promise<void> {
    return this.told(room, 'open', queues => queues.forgetNotice(room, 'closed'))
  }

  /** It takes no cards any more, as one replica found. Never rejects. */
  shut(room: string, reason: string): Promise<void> {
    return this.told(room, 'closed', async (queues) => {
      if (await queues.takeNotice(room, 'closed')) await this.announce(room, reason)
    })
  }

  private async told(
    room: string, state: 'open' | 'closed', tell: (queues: ClosedRoomsPorts['queues']) => Promise<void>,
  ): Promise<void> {
    const { queues, log } = this.ports
    this.rooms.set(room, state)
    await tell(queues).catch((error) => {
      // The next post says it again.
      this.rooms.delete(room)
      log.warn('notice.failed', { room, error })
    })
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
