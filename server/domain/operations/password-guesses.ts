import type { Limiter } from '../../ports/limiter'
import type { Context } from '../context'
import { StoreUnavailable } from '../errors'

/** Pause before each answer while many passwords are wrong, ms; it grows with the number of waiting attempts. */
const PAUSE_MS = 1000
const PAUSE_STEP_MS = 100
const MAX_PAUSE_MS = 10_000

/**
 * Slows down all password attempts while many are wrong: IP addresses are cheap to change, and a lockout would hit
 * everybody.
 */
export class PasswordGuesses {
  private waitingCount = 0
  /** End of the time window that was last logged, epoch ms. */
  private loggedWindowEndsAt = 0

  /** @param limiter counts wrong passwords of all clients together */
  constructor(private readonly context: Context, private readonly limiter: Limiter) {}

  /** Waits before an attempt is answered. @throws StoreUnavailable when wrong attempts cannot be counted */
  async slowDown(isRight: boolean): Promise<void> {
    const { runtime, monitor, log } = this.context
    const windowEndsMs = await this.limiter.take('wrong-passwords', isRight ? 0 : 1).catch((error) => {
      throw new StoreUnavailable(error, 'The store does not answer, so nobody can sign in. Try again in a moment.')
    })
    if (windowEndsMs === 0) return
    if (!isRight) monitor.incident('guessed-passwords')
    if (runtime.now() > this.loggedWindowEndsAt) log.warn('sign-in.guessed', {
      reason: `More than ${this.limiter.limit} wrong passwords came in a minute. Each attempt waits.`,
    })
    this.loggedWindowEndsAt = runtime.now() + windowEndsMs
    await runtime.wait(Math.min(PAUSE_MS + this.waitingCount++ * PAUSE_STEP_MS, MAX_PAUSE_MS))
    this.waitingCount--
  }
}
