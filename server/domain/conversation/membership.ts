import type { Person } from '../../ports/submission'
import type { Context } from '../context'

/** Time for which an answer is cached, ms. */
const CACHE_TTL_MS = 5 * 60 * 1000

/** Number of people remembered. When it is reached, all are forgotten and asked about again. */
const MAX_CACHED = 1000

/** Checks if people are in a room of the cards. */
export class Membership {
  private readonly answers = new Map<string, { expiresAt: number, isMember: boolean }>()

  constructor(private readonly context: Context) {}

  /** True if a person is in any room of their platform; false also while the platform does not confirm it. */
  async of(platform: string, person: Person): Promise<boolean> {
    const { forms: { rooms }, runtime } = this.context
    const key = person.names?.[0] ?? `${platform}:${person.id}`
    const answer = this.answers.get(key)
    if (answer && answer.expiresAt > runtime.now()) return answer.isMember
    const isMember = await this.askRooms(rooms.filter(room => room.split('/')[0] === platform), person)
    if (isMember === null) return false
    if (this.answers.size >= MAX_CACHED) this.answers.clear()
    this.answers.set(key, { expiresAt: runtime.now() + CACHE_TTL_MS, isMember })
    return isMember
  }

  /** Asks one room after the other until one has the person; null if no room has them and one did not answer. */
  private async askRooms(rooms: readonly string[], person: Person): Promise<boolean | null> {
    let isUnknown = false
    for (const room of rooms) {
      const outcome = await this.context.board.hasMember(room, person)
      if (outcome.ok && outcome.value) return true
      if (outcome.ok) continue
      isUnknown = true
      this.context.log.warn('membership.unknown', { room, reason: outcome.reason })
    }
    return isUnknown ? null : false
  }
}
