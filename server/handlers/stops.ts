import type { Adapter, AgentSessionStoppedEvent, Chat, StateAdapter } from 'chat'
import { withinOrNull } from '../../shared/utils/time'
import type { Log, Runtime } from '../ports/runtime'
import type { Person } from '../ports/submission'
import { senderOf, type SpeakerHandlers } from './speaker'

/** How often a process that answers checks if another process received a stop, ms */
const LOOK_MS = 500

/** How long a stop is remembered, ms: longer than an answer takes. */
const KEPT_MS = 3_600_000

/** Longest wait for the stop event after a platform has ended an answer, ms: such events take seconds. */
const TOLD_MS = 10_000

interface Stop {
  id: string
  by: Person
  /** The platform has closed the growing message: more text would start another one. */
  isClosed: boolean
}

/** An answer that people may stop while it is being made. */
export interface Stoppable {
  /**
   * Returns who stopped it, or null.
   *
   * @param isEnded the SDK has ended the answer, which it does before it says who stopped it
   */
  end(isEnded: boolean): Promise<Person | null>
}

/** Stops the current answers in a thread, in whichever process; later ones go on. */
export class Stops {
  private readonly making = new Map<string, Set<(stop: Stop) => void>>()

  constructor(
    private readonly state: () => Pick<StateAdapter, 'get' | 'set'>, private readonly runtime: Runtime,
  ) {}

  /** @throws when the store cannot be reached; then only answers of this process were stopped */
  async stop(threadId: string, by: Person, isClosed: boolean): Promise<void> {
    const stop: Stop = { id: this.runtime.uuid(), by, isClosed }
    for (const stopped of this.making.get(threadId) ?? []) stopped(stop)
    await this.state().set(keyOf(threadId), stop, KEPT_MS)
  }

  /** Calls `stopped`, once, as soon as somebody stops the answer that begins in the thread now. Never rejects. */
  async watch(threadId: string, stopped: (how: Pick<Stop, 'isClosed'>) => void): Promise<Stoppable> {
    const look = () => this.state().get<Stop>(keyOf(threadId)).catch(() => null)
    const before = await look()
    let found: Stop | null = null
    const told = Promise.withResolvers<null>()
    const hear = (stop: Stop | null) => {
      if (found || !stop || stop.id === before?.id) return
      found = stop
      stopped(stop)
      told.resolve(null)
    }
    const here = this.making.get(threadId) ?? new Set()
    this.making.set(threadId, here.add(hear))
    const timer = setInterval(() => void look().then(hear), LOOK_MS)
    return {
      end: async (isEnded) => {
        if (!found) hear(await look())
        if (isEnded) await withinOrNull(TOLD_MS, told.promise)
        clearInterval(timer)
        here.delete(hear)
        if (here.size === 0 && this.making.get(threadId) === here) this.making.delete(threadId)
        return (found as Stop | null)?.by ?? null
      },
    }
  }
}

export interface StopHandlers extends SpeakerHandlers {
  stops: Stops
  /** Withdraws the approvals that are pending in the thread. */
  withdraw: (threadId: string, by: Person) => Promise<void>
  log: Log
}

/** Registers the platform's own stop button. */
export function registerStops(bot: Chat, { stops, withdraw, log, ...speakers }: StopHandlers): void {
  bot.onAgentSessionStopped(async ({ adapter, threadId, userId, streamingMessageTs }: AgentSessionStoppedEvent) => {
    const by = await personOf(adapter, userId, speakers)
    log.info('agent.stopped', { platform: adapter.name, by: userId })
    const done = await Promise.allSettled([
      stops.stop(threadId, by, streamingMessageTs.length > 0), withdraw(threadId, by),
    ])
    for (const { reason } of done.filter(each => each.status === 'rejected')) {
      log.error('agent.stop-failed', { platform: adapter.name, error: reason as unknown })
    }
  })
}

async function personOf(adapter: Adapter, userId: string, handlers: SpeakerHandlers): Promise<Person> {
  const found = await adapter.getUser?.(userId).catch(() => null)
  const name = found?.fullName || found?.userName || userId
  const user = { userId, userName: name, fullName: name, isBot: false as const, isMe: false }
  return senderOf({ user, raw: {}, adapter }, handlers)
}

function keyOf(threadId: string): string {
  return `conversation:stopped:${threadId}`
}
