import type { AlertsSent } from '../../../shared/types/setup'
import type { AlertBook, AlertState, Outage, GatewayState } from '../../ports/monitor'
import type { Limiter } from '../../ports/limiter'
import type { Context } from '../context'
import { InvalidRequest, TooManyTests } from '../errors'
import { orUnavailable } from '../queries/rows'
import {
  failingMessage, readFailures, STORE, storeFailure, testMessage, workingMessage, type Failure,
} from './alert-parts'
import type { AlertMessage, AlertWay } from './alert-ways'
import type { Storage } from './readiness'

/** Max messages an hour on each way; all-clears count. */
const MAX_AN_HOUR = 4

const HOUR_MS = 60 * 60_000

/** Max pause between two checks, ms; it is shorter if ALERT_AFTER is short. */
const CHECK_INTERVAL_MS = 10_000

/** Time for which a replica may speak after its last check, ms: cron of serverless hosts sweeps each minute. */
const SPEAKER_MS = 3 * 60_000

interface AlertsParts {
  book: AlertBook
  ways: readonly AlertWay[]
  storage: Storage
  gateways: () => Promise<GatewayState[]>
  /** Counts test alerts. */
  limiter: Limiter
  afterMs: number
}

/** One message to send. */
interface Due {
  way: AlertWay
  part: string
  outage: Outage
  failure?: Failure
}

/** Outage of the store, which only its speaker knows. */
type StoreOutage = Outage & { sentAt: Record<string, readonly number[]> }

/**
 * Tells people once when a part has failed for `afterMs`, and once when it works again. The store decides which replica
 * sends a message. While the store fails, the replica that it last named as speaker sends.
 */
export class Alerts {
  private readonly id: string
  private nextCheckAt = 0
  private isChecking = false
  /** State at the last change by this replica */
  private lastState: AlertState = { outages: {}, sentAt: {}, speaker: null }
  private storeOutage: StoreOutage | null = null

  constructor(private readonly context: Context, private readonly parts: AlertsParts) {
    this.id = context.runtime.uuid()
  }

  /** Sends what is due, unless another replica was faster. Never rejects. Call it after each check of the store. */
  async tell(): Promise<void> {
    const { runtime, log } = this.context
    const { ways, afterMs, storage } = this.parts
    const now = runtime.now()
    if (ways.length === 0 || this.isChecking || now < this.nextCheckAt) return
    this.isChecking = true
    this.nextCheckAt = now + Math.min(CHECK_INTERVAL_MS, afterMs / 5)
    try {
      if (storage.refusal) await this.tellOfStore(storeFailure(storage.refusal, this.context), now)
      else await this.tellOfParts(now)
    }
    catch (error) {
      log.warn('alert.postponed', { error })
    }
    finally {
      this.isChecking = false
    }
  }

  /** Sends a test message on each way. @throws InvalidRequest, TooManyTests, StoreUnavailable */
  async test(): Promise<AlertsSent> {
    const { ways, limiter } = this.parts
    const { runtime } = this.context
    if (ways.length === 0) throw new InvalidRequest('Set ALERT_CHANNEL, ALERT_EMAIL or ALERT_WEBHOOK, and restart.')
    const waitMs = await orUnavailable(limiter.take('test-alerts'))
    if (waitMs > 0) throw new TooManyTests('test alerts', limiter.limit, waitMs)
    const message = testMessage(runtime.now(), this.context)
    return { ways: await Promise.all(ways.map(async (way) => {
      const outcome = await way.send(message, `alert-test-${runtime.uuid()}`)
      return { way: way.name, reason: outcome.ok ? null : outcome.reason }
    })) }
  }

  private async tellOfStore(failure: Failure, now: number): Promise<void> {
    const { speaker, sentAt } = this.lastState
    const since = failure.since!
    if (speaker?.id !== this.id || speaker.until < since || now - since < this.parts.afterMs) return
    this.storeOutage ??= { since, told: {}, sentAt }
    const { storeOutage } = this
    const ways = this.parts.ways.filter(({ name }) => !(name in storeOutage.told) && mayTell(storeOutage, name, now))
    for (const { name } of ways) Object.assign(storeOutage, withMessage(storeOutage, name, now))
    await Promise.all(ways.map(async (way) => {
      const isTold = await this.send(way, failingMessage(failure, since, null, this.context), STORE, since)
      storeOutage.told = { ...storeOutage.told, [way.name]: isTold }
    }))
  }

  private async tellOfParts(now: number): Promise<void> {
    const failures = await readFailures(this.context, this.parts.gateways)
    if (!failures) return
    const due = await this.parts.book.change(before => this.plan(before, failures, now))
    this.storeOutage = null
    if (due.length === 0) return
    const backlog = await this.context.store.backlog(now).catch(() => null)
    const failed = await Promise.all(due.map(async ({ way, part, outage, failure }) => {
      const message = failure
        ? failingMessage(failure, outage.since, backlog?.pending ?? 0, this.context)
        : workingMessage(part, outage.since, outage.endedAt! - outage.since, this.context)
      const isTold = await this.send(way, message, part, outage.since)
      return isTold || !failure ? [] : [{ part, way: way.name }]
    }))
    if (failed.flat().length > 0) await this.parts.book.change(state => ({
      state: failed.flat().reduce(withoutArrival, state), result: null,
    }))
  }

  /** Computes the next state and the messages that this replica sends if it writes that state. */
  private plan(before: AlertState, failures: ReadonlyMap<string, Failure>, now: number) {
    let state: AlertState = {
      ...before, outages: { ...before.outages, ...this.storeOutage && { [STORE]: this.storeOutageOf() } },
      sentAt: recent({ ...before.sentAt, ...this.storeOutage?.sentAt }, now),
      speaker: before.speaker && before.speaker.id !== this.id && before.speaker.until > now
        ? before.speaker
        : { id: this.id, until: now + SPEAKER_MS },
    }
    const due: Due[] = []
    for (const part of new Set([...Object.keys(state.outages), ...failures.keys()])) {
      const failure = failures.get(part)
      const { endedAt, ...earlier } = state.outages[part] ?? { since: now, told: {} }
      // Follow the notes until somebody was told: the part may have worked between two checks.
      const isTold = Object.keys(earlier.told).length > 0
      const known = isTold ? earlier : { ...earlier, since: failure?.since ?? earlier.since }
      // A part that fails again before its all-clear has the same outage.
      let outage: Outage = failure ? known : { ...known, endedAt: endedAt ?? now }
      const isDue = failure ? now - outage.since >= this.parts.afterMs : true
      const waiting = this.parts.ways.filter(({ name }) => failure ? !(name in outage.told) : outage.told[name])
      const usable = waiting.filter(way => (
        isDue && mayTell(state, way.name, now) && ![...failures.keys()].some(key => way.needs(key))
      ))
      for (const way of usable) {
        state = withMessage(state, way.name, now)
        const { [way.name]: _, ...told } = outage.told
        outage = { ...outage, told: failure ? { ...told, [way.name]: true } : told }
        due.push({ way, part, outage, failure })
      }
      const { [part]: _, ...others } = state.outages
      const isOver = !failure && usable.length === waiting.length
      state = { ...state, outages: isOver ? others : { ...others, [part]: outage } }
    }
    this.lastState = state
    return { state, result: due }
  }

  private storeOutageOf(): Outage {
    const { since, told } = this.storeOutage!
    return { since, told }
  }

  private async send(way: AlertWay, message: AlertMessage, part: string, since: number): Promise<boolean> {
    const { log } = this.context
    const outcome = await way.send(message, `${message.type}-${part}-${since}-${way.name}`)
    if (outcome.ok) log.info('alert.sent', { type: message.type, part, way: way.name })
    else log.warn('alert.failed', { type: message.type, part, way: way.name, reason: outcome.reason })
    return outcome.ok
  }
}

type Counts = Pick<AlertState, 'sentAt'>

function mayTell({ sentAt }: Counts, way: string, now: number): boolean {
  return (sentAt[way] ?? []).filter(at => at > now - HOUR_MS).length < MAX_AN_HOUR
}

function withMessage<T extends Counts>(state: T, way: string, now: number): T {
  return { ...state, sentAt: { ...state.sentAt, [way]: [...state.sentAt[way] ?? [], now] } }
}

function recent(sentAt: AlertState['sentAt'], now: number): AlertState['sentAt'] {
  return Object.fromEntries(Object.entries(sentAt).map(([way, times]) => [way, times.filter(at => at > now - HOUR_MS)]))
}

/** Records that the message did not arrive, so that no all-clear follows there. */
function withoutArrival(state: AlertState, { part, way }: { part: string, way: string }): AlertState {
  const outage = state.outages[part]
  if (!outage) return state
  return { ...state, outages: { ...state.outages, [part]: { ...outage, told: { ...outage.told, [way]: false } } } }
}
