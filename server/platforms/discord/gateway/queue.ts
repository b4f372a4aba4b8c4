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
  /** @param dueBy epoch ms after which the sender has already seen a failure: then it is never tried */
  (attempt: (signal: AbortSignal) => Promise<void>, letter: DeadLetter, dueBy?: number): Promise<void>
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
  /** Last job of each channel; false once an event was left to the replay: later ones must not overtake it */
  private readonly last = new Map<string, Promise<boolean>>()
  private readonly working = new Set<Promise<boolean>>()
  private readonly ending = new AbortController()
  private readonly ended = new AbortController()

  constructor(private readonly options: QueueOptions) {}

  /**
   * Runs `job` after all earlier ones of the same key; without a key, at once.
   *
   * @returns true if it is done, false if it is left to Discord's replay
   */
  add(key: string | undefined, job: (retry: Retry) => Promise<void>): Promise<boolean> {
    const previous = key === undefined ? undefined : this.last.get(key)
    const done = this.run(previous, job)
    this.working.add(done)
    if (key !== undefined) this.last.set(key, done)
    void done.then((delivered) => {
      this.working.delete(done)
      if (delivered && key !== undefined && this.last.get(key) === done) this.last.delete(key)
    })
    return done
  }

  /** Gives queued events one more try and at most `ms`; the rest is left to the replay. */
  async end(ms: number): Promise<void> {
    this.ending.abort()
    await this.idle(ms)
    this.ended.abort()
    await this.idle(1000)
  }

  private async idle(ms: number): Promise<void> {
    const enough = new AbortController()
    const idle = async () => {
      while (this.working.size > 0 && !enough.signal.aborted) await Promise.allSettled(this.working)
    }
    await Promise.race([idle(), pause(ms, enough.signal)])
    enough.abort()
  }

  private async run(previous: Promise<boolean> | undefined, job: (retry: Retry) => Promise<void>): Promise<boolean> {
    try {
      if (previous && !await previous) return false
      if (this.ended.signal.aborted) return false
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

  private async retry(...[attempt, letter, dueBy]: Parameters<Retry>): Promise<void> {
    const begun = performance.now()
    // The monotonic clock gives every event its full time, even if the wall clock is corrected meanwhile.
    const leftMs = () => dueBy === undefined ? begun + this.options.maxAgeMs - performance.now() : dueBy - Date.now()
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
      if (dueBy !== undefined && Date.now() > dueBy) return this.drop(letter, Date.now() - dueBy)
      try {
        return await attempt(this.ended.signal)
      }
      catch (error) {
        if (this.ending.signal.aborted) throw new LeftToReplay()
        const { reason, permanent, retryAfterMs } = failure(error)
        this.options.onFailure(reason)
        const left = leftMs()
        if ((permanent || left <= 0) && await this.bury(letter, reason)) return
        const askedMs = Math.min(retryAfterMs, Math.max(left, 0))
        await pause(Math.max(pauseMs * (0.5 + Math.random() / 2), askedMs), this.ending.signal)
        if (this.ending.signal.aborted) throw new LeftToReplay()
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

function failure(error: unknown): { reason: string, permanent: boolean, retryAfterMs: number } {
  const { message = String(error), permanent = false, retryAfterMs = 0 } = (error ?? {}) as Partial<DeliveryFailed>
  return { reason: message, permanent: permanent === true, retryAfterMs: Number(retryAfterMs) || 0 }
}
