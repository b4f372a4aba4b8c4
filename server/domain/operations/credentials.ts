import type { Outcome } from '../../ports/delivery'
import type { Context } from '../context'
import { credentialsNote } from './monitor'

/** Time for which the platforms' answers are cached, ms: probes come every few seconds, and platforms count calls. */
const CHECK_TTL_MS = 30_000

/** Max time that a probe waits for a platform, ms; orchestrators give up after a few seconds. */
const PATIENCE_MS = 2000

type Refusal = Extract<Outcome, { ok: false }>

/** Asks every platform if it accepts our credentials. */
export class Credentials {
  private lastCheck: { at: number, refusals: Promise<Refusal[]> } | null = null

  constructor(private readonly context: Context) {}

  /** Resolves with the platforms that refuse or do not answer. Takes at most 2 s; asks at most every 30 s. */
  check(): Promise<Refusal[]> {
    const now = this.context.runtime.now()
    if (!this.lastCheck || now - this.lastCheck.at >= CHECK_TTL_MS) {
      this.lastCheck = { at: now, refusals: this.askPlatforms() }
    }
    return this.lastCheck.refusals
  }

  private async askPlatforms(): Promise<Refusal[]> {
    const { board, runtime } = this.context
    const outcomes = await Promise.all(board.platforms.map((platform) => {
      const timeout = runtime.wait(PATIENCE_MS).then(
        (): Outcome<boolean> => ({
          ok: false, permanent: false, reason: `${board.label(platform)} has not answered yet.`,
        }),
      )
      return Promise.race([this.askPlatform(platform), timeout])
    }))
    return outcomes.filter((outcome): outcome is Refusal => !outcome.ok)
  }

  private async askPlatform(platform: string): Promise<Outcome<boolean>> {
    const { board, monitor } = this.context
    const outcome = await board.check(platform)
    const isReportable = outcome.ok ? outcome.value : await board.awaits(platform) === null
    if (isReportable) monitor.probed(credentialsNote(platform), outcome)
    return outcome
  }
}

/** Logs the bot's name on each platform, or a refused token, before the first card needs it. */
export async function introduce({ board, log }: Context): Promise<void> {
  await Promise.all(board.platforms.map(async (platform) => {
    const outcome = await board.identify(platform)
    if (outcome.ok) return outcome.value !== null && log.info('platform.identified', { platform, bot: outcome.value })
    log[outcome.permanent ? 'error' : 'warn'](
      outcome.permanent ? 'platform.refused' : 'platform.unreachable', { platform, reason: outcome.reason },
    )
  }))
}
