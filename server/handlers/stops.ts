import type { Adapter, AgentSessionStoppedEvent, Chat, StateAdapter } from 'chat'
import { withinOrNull } from '../../shared/utils/time'
import type { Log, Runtime } from '../ports/runtime'
import type { Person } from '../ports/submission'
import { senderOf, type SpeakerHandlers } from './speaker'

/** Interval at which an answering process checks for stops that other processes received, ms */
const POLL_MS = 500

/** Time for which a stop is remembered, ms: longer than an answer takes. */
const STOP_TTL_MS = 3_600_000

/** Max wait for the stop event after a platform has ended an answer, ms: such events take seconds. */
const STOP_EVENT_WAIT_MS = 10_000

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
   * @param isEnded true if the SDK has already ended the answer; it reports only later who stopped it
   */
  end(isEnded: boolean): Promise<Person | null>
}

/** Stops the current answers in a thread, in whichever process; later ones go on. */
export class Stops {
  private readonly watchers = new Map<string, Set<(stop: Stop) => void>>()

  constructor(
    private readonly state: () => StateAdapter, private readonly runtime: Runtime,
  ) {}

  /** @throws when the store cannot be reached; then only answers of this process were stopped */
  async stop(threadId: string, by: Person, isClosed: boolean): Promise<void> {
    const stop: Stop = { id: this.runtime.uuid(), by, isClosed }
    for (const onStop of this.watchers.get(threadId) ?? []) onStop(stop)
    await this.state().set(keyOf(threadId), stop, STOP_TTL_MS)
  }

  /** Calls `onStop` once when somebody stops the answer that begins in the thread now. Never rejects. */
  async watch(threadId: string, onStop: (stop: { isClosed: boolean }) => void): Promise<Stoppable> {
    const loadStop = () => this.state().get<Stop>(keyOf(threadId)).catch(() => null)
    const previousStop = await loadStop()
    let currentStop: Stop | null = null
    const stopSignal = Promise.withResolvers<null>()
    const handleStop = (stop: Stop | null) => {
      if (currentStop || !stop || stop.id === previousStop?.id) return
      currentStop = stop
      onStop(stop)
      stopSignal.resolve(null)
    }
    const threadWatchers = this.watchers.get(threadId) ?? new Set()
    this.watchers.set(threadId, threadWatchers.add(handleStop))
    const timer = setInterval(() => void loadStop().then(handleStop), POLL_MS)
    return {
      end: async (isEnded) => {
        if (!currentStop) handleStop(await loadStop())
        if (isEnded) await withinOrNull(STOP_EVENT_WAIT_MS, stopSignal.promise)
        clearInterval(timer)
        threadWatchers.delete(handleStop)
        if (threadWatchers.size === 0 && this.watchers.get(threadId) === threadWatchers) this.watchers.delete(threadId)
        return (currentStop as Stop | null)?.by ?? null
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
    const results = await Promise.allSettled([
      stops.stop(threadId, by, streamingMessageTs.length > 0), withdraw(threadId, by),
    ])
    for (const { reason } of results.filter(each => each.status === 'rejected')) {
      log.error('agent.stop-failed', { platform: adapter.name, error: reason as unknown })
    }
  })
}

async function personOf(adapter: Adapter, userId: string, handlers: SpeakerHandlers): Promise<Person> {
  const profile = await adapter.getUser?.(userId).catch(() => null)
  const name = profile?.fullName || profile?.userName || userId
  const user = { userId, userName: name, fullName: name, isBot: false as const, isMe: false }
  return senderOf({ user, raw: {}, adapter }, handlers)
}

function keyOf(threadId: string): string {
  return `conversation:stopped:${threadId}`
}
