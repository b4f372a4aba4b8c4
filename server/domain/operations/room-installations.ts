import type { Installation, Installations } from '../../ports/installations'
import type { CardQueue } from '../cards/card-queue'
import type { Context } from '../context'

const HERE = 'Cards of forms arrive in this channel.'
const ELSEWHERE = 'Cards of forms go where this app was added first. To have them here, remove it there; then remove it here, too, and add it again.'
const REMOVED = 'The app was removed from its channel. Add it to one again.'

/** Pauses between attempts while the store is unreachable, ms: platforms report an installation only once. */
const PAUSES_MS = [1000, 4000, 15_000]

/** Handles installations of the app. Cards go to the channel to which somebody adds it. */
export class RoomInstallations {
  constructor(
    private readonly context: Context, private readonly queue: CardQueue, private readonly installations: Installations,
  ) {}

  /** @param room the platform's own room */
  async installed(room: string, app: string, installation: Installation): Promise<void> {
    const { board, health, runtime, log } = this.context
    const { channel, within } = await this.writeWithRetries(() => this.installations.learn(app, installation))
    const isHere = within === installation.within
    log[isHere ? 'info' : 'warn'](isHere ? 'room.installed' : 'room.installed-elsewhere', { room, channel })
    const outcome = await board.announce(`${room}/${installation.channel}`, isHere ? HERE : ELSEWHERE, null)
    if (!outcome.ok) log.warn('notice.failed', { room, reason: outcome.reason })
    if (!isHere) return
    health.note(room, runtime.now(), outcome.ok ? undefined : outcome.reason)
    await this.queue.closedRooms.opened(room)
    this.queue.wake([room])
  }

  async removed(room: string, app: string, { within }: Installation): Promise<void> {
    if (!await this.writeWithRetries(() => this.installations.forget(app, within))) return
    this.context.log.warn('room.removed', { room })
    await this.queue.closedRooms.shut(room, REMOVED)
  }

  private async writeWithRetries<T>(write: () => Promise<T>): Promise<T> {
    for (const pauseMs of PAUSES_MS) {
      try {
        return await write()
      }
      catch {
        await this.context.runtime.wait(pauseMs)
      }
    }
    return await write()
  }
}
