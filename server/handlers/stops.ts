import type { Adapter, AgentSessionStoppedEvent, Chat, StateAdapter } from 'chat'
import { withinOrNull } from '../../shared/utils/time'
import type { Log, Runtime } from '../ports/runtime'
import type { Person } from '../ports/submission'
import { senderOf, type SpeakerHandlers } from './speaker'

/** How often a process whose answer another one may be told to stop looks, ms. */
const LOOK_MS = 500

/** For so long a stop is remembered, ms: longer than an answer takes. */
const KEPT_MS = 3_600_000

/** A platform that has ended an answer tells for so long by whom, ms: its events and their answers take seconds. */
const TOLD_MS = 10_000

interface Stop {
  id: string
  by: Person
  /** The platform has closed the growing message: what is added to it now would become another one. */
  isClosed: boolean
}

/** An answer that people may stop while it is being made. */
export interface Stoppable {
  /**
   * Who stopped it, or null.
   *
   * @param isEnded the SDK has ended the answer, which it does before it tells by whom
   */
  end(isEnded: boolean): Promise<Person | null>
}

/** Ends answers in a thread, whichever process makes them; what is begun later goes on. */
export class Stops {
  private readonly making = new Map<string, Set<(stop: Stop) => void>>()

  constructor(
    private readonly state: () => Pick<StateAdapter, 'get' | 'set'>, private readonly runtime: Pick<Runtime, 'uuid'>,
  ) {}

  /** @throws when the store cannot be reached, and only those of this process were stopped */
  async stop(threadId: string, by: Person, isClosed: boolean): Promise<void> {
    const stop: Stop = { id: this.runtime.uuid(), by, isClosed }
    for (const stopped of this.making.get(threadId) ?? []) stopped(stop)
    await this.state().set(keyOf(threadId), stop, KEPT_MS)
  }

  /** Has `stopped` called, once, as soon as somebody stops what is begun in the thread now. Never rejects. */
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
  /** Takes back what waits for an approval in the thread. */
  withdraw: (threadId: string, by: Person) => Promise<void>
  log: Log
}

/** The platform's own stop button. */
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
