import type { ReviewBoard } from '../../ports/board'
import type { Log, Runtime } from '../../ports/runtime'
import type { Person } from '../../ports/submission'

export interface MembershipPorts {
  board: ReviewBoard
  /** All rooms of the cards. */
  rooms: readonly string[]
  runtime: Runtime
  log: Log
}

/** Time for which an answer is cached, ms. */
const BELIEVED_MS = 5 * 60 * 1000

/** Number of people remembered. When it is reached, all are forgotten and asked about again. */
const REMEMBERED = 1000

/** Checks if people are in a room of the cards. */
export class Membership {
  private readonly known = new Map<string, { until: number, isMember: boolean }>()

  constructor(private readonly ports: MembershipPorts) {}

  /** True if a person is in any room of their platform; false also while the platform does not confirm it. */
  async of(platform: string, person: Person): Promise<boolean> {
    const { rooms, runtime } = this.ports
    const key = person.names?.[0] ?? `${platform}:${person.id}`
    const found = this.known.get(key)
    if (found && found.until > runtime.now()) return found.isMember
    const isMember = await this.ask(rooms.filter(room => room.split('/')[0] === platform), person)
    if (isMember === null) return false
    if (this.known.size >= REMEMBERED) this.known.clear()
    this.known.set(key, { until: runtime.now() + BELIEVED_MS, isMember })
    return isMember
  }

  /** Asks one room after the other until one has the person; null if no room has them and one did not answer. */
  private async ask(rooms: readonly string[], person: Person): Promise<boolean | null> {
    let isUnknown = false
    for (const room of rooms) {
      const outcome = await this.ports.board.hasMember(room, person)
      if (outcome.ok && outcome.value) return true
      if (outcome.ok) continue
      isUnknown = true
      this.ports.log.warn('membership.unknown', { room, reason: outcome.reason })
    }
    return isUnknown ? null : false
  }
}
