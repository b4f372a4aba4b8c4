import { pause } from '../../shared/patience'
import type { DeliveryFailed } from './events'

/** First pause after a failed try, ms; doubled each time. */
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5000

/** Record of an event that was given up: enough to find it at Discord, without user text */
export interface DeadLetter {
  id: string
  type: string
  channelId?: string
  messageId?: string
  userId?: string
}

/** Tries until it succeeds or is given up; throws only if it is left to the replay */
export interface Retry {
  /** @param dueAt time after which the sender has already seen a failure, epoch ms: no try starts after it */
  (attempt: (signal: AbortSignal) => Promise<void>, letter: DeadLetter, dueAt?: number): Promise<void>
}

export interface QueueOptions {
  /** Time for the tries of one event, ms from its first try; time in the queue does not count */
  maxAgeMs: number
  /** Records an event that was given up */
  bury: (letter: DeadLetter, reason: string) => Promise<void>
  onFailure: (reason: string) => void
}

class LeftToReplay extends Error {}

/** Delivers in order per channel, concurrently across channels, and retries each event until it is accepted */
export class EventQueue {
  /** Last job of each channel; false once an event was left to the replay: later events must not overtake it */
  private readonly lastJobs = new Map<string, Promise<boolean>>()
  private readonly activeJobs = new Set<Promise<boolean>>()
  private readonly drainController = new AbortController()
  private readonly stopController = new AbortController()

  constructor(private readonly options: QueueOptions) {}

  /**
   * Runs `job` after all earlier ones of the same key; without a key, at once.
   *
   * @returns true if it is done, false if it is left to Discord's replay
   */
  add(key: string | undefined, job: (retry: Retry) => Promise<void>): Promise<boolean> {
    const previousJob = key === undefined ? undefined : this.lastJobs.get(key)
    const result = this.run(previousJob, job)
    this.activeJobs.add(result)
    if (key !== undefined) this.lastJobs.set(key, result)
    void result.then((isDone) => {
      this.activeJobs.delete(result)
      if (isDone && key !== undefined && this.lastJobs.get(key) === result) this.lastJobs.delete(key)
    })
    return result
  }

  /** Gives queued events one more try within `ms`; leaves the rest to the replay. */
  async end(ms: number): Promise<void> {
    this.drainController.abort()
    await this.waitUntilIdle(ms)
    this.stopController.abort()
    await this.waitUntilIdle(1000)
  }

  private async waitUntilIdle(ms: number): Promise<void> {
    const waitController = new AbortController()
    const waitForJobs = async () => {
      while (this.activeJobs.size > 0 && !waitController.signal.aborted) await Promise.allSettled(this.activeJobs)
    }
    await Promise.race([waitForJobs(), pause(ms, waitController.signal)])
    waitController.abort()
  }

  private async run(previousJob: Promise<boolean> | undefined, job: (retry: Retry) => Promise<void>): Promise<boolean> {
    try {
      if (previousJob && !await previousJob) return false
      if (this.stopController.signal.aborted) return false
      await job((...task) => this.retry(...task))
      return true
    }
    catch (error) {
      if (error instanceof LeftToReplay) return false
      // A bug of ours must not block the channel for ever.
      this.options.onFailure(String(error))
      return true
    }
  }

  private async retry(...[attempt, letter, dueAt]: Parameters<Retry>): Promise<void> {
    const startedAt = performance.now()
    // The monotonic clock gives every event its full time, even if the wall clock is corrected meanwhile.
    const getRemainingMs = () => dueAt === undefined
      ? startedAt + this.options.maxAgeMs - performance.now()
      : dueAt - Date.now()
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (dueAt !== undefined && Date.now() > dueAt) return this.drop(letter, Date.now() - dueAt)
      try {
        return await attempt(this.stopController.signal)
      }
      catch (error) {
        if (this.drainController.signal.aborted) throw new LeftToReplay()
        const { reason, permanent, retryAfterMs } = describeFailure(error)
        this.options.onFailure(reason)
        const remainingMs = getRemainingMs()
        if ((permanent || remainingMs <= 0) && await this.bury(letter, reason)) return
        const requestedMs = Math.min(retryAfterMs, Math.max(remainingMs, 0))
        await pause(Math.max(pauseMs * (0.5 + Math.random() / 2), requestedMs), this.drainController.signal)
        if (this.drainController.signal.aborted) throw new LeftToReplay()
      }
    }
  }

  /** Drops an event that came too late, even if the store cannot record it. */
  private async drop(letter: DeadLetter, lateMs: number): Promise<void> {
    const reason = `It came ${lateMs} ms too late to be answered, if this machine's clock is right.`
    this.options.onFailure(reason)
    await this.bury(letter, reason)
  }

  /** Returns false if the store is unavailable: then the event is not given up yet. */
  private async bury(letter: DeadLetter, reason: string): Promise<boolean> {
    return this.options.bury(letter, reason).then(() => true, () => false)
  }
}

function describeFailure(error: unknown): { reason: string, permanent: boolean, retryAfterMs: number } {
  const { message = String(error), permanent = false, retryAfterMs = 0 } = (error ?? {}) as Partial<DeliveryFailed>
  return { reason: message, permanent: permanent === true, retryAfterMs: Number(retryAfterMs) || 0 }
}
