import type { ReviewBoard } from '../../ports/board'
import type { Outcome } from '../../ports/delivery'
import type { Monitor } from '../../ports/monitor'
import type { Runtime, Log } from '../../ports/runtime'
import { credentialsNote } from './monitor'

/** How long the platforms' answers are believed, ms: probes come every few seconds, and platforms count calls. */
const CHECK_TTL_MS = 30_000

/** How long a probe waits for a platform, ms; orchestrators give up after a few seconds. */
const PATIENCE_MS = 2000

export interface CredentialsPorts {
  board: Pick<ReviewBoard, 'platforms' | 'label' | 'check' | 'awaits'>
  monitor: Pick<Monitor, 'probed'>
  runtime: Pick<Runtime, 'now' | 'wait'>
}

type Refusal = Extract<Outcome, { ok: false }>

/** Asks every platform whether it takes our credentials. */
export class Credentials {
  private last: { at: number, refusals: Promise<Refusal[]> } | null = null

  constructor(private readonly ports: CredentialsPorts) {}

  /** Refusals, and platforms that do not answer. Takes 2 s at most, and asks every 30 s at most. */
  check(): Promise<Refusal[]> {
    const now = this.ports.runtime.now()
    if (!this.last || now - this.last.at >= CHECK_TTL_MS) this.last = { at: now, refusals: this.ask() }
    return this.last.refusals
  }

  private async ask(): Promise<Refusal[]> {
    const { board, runtime } = this.ports
    const outcomes = await Promise.all(board.platforms.map((platform) => {
      const late = runtime.wait(PATIENCE_MS).then(
        (): Outcome<boolean> => ({
          ok: false, permanent: false, reason: `${board.label(platform)} has not answered yet.`,
        }),
      )
      return Promise.race([this.askOne(platform), late])
    }))
    return outcomes.filter((outcome): outcome is Refusal => !outcome.ok)
  }

  private async askOne(platform: string): Promise<Outcome<boolean>> {
    const { board, monitor } = this.ports
    const outcome = await board.check(platform)
    const isTold = outcome.ok ? outcome.value : await board.awaits(platform) === null
    if (isTold) monitor.probed(credentialsNote(platform), outcome)
    return outcome
  }
}

/** Logs who the bot is on each platform; a token that is refused is named there before the first card needs it. */
export async function introduce(board: Pick<ReviewBoard, 'platforms' | 'identify'>, log: Log): Promise<void> {
  await Promise.all(board.platforms.map(async (platform) => {
    const outcome = await board.identify(platform)
    if (outcome.ok) return outcome.value !== null && log.info('platform.identified', { platform, bot: outcome.value })
    log[outcome.permanent ? 'error' : 'warn'](
      outcome.permanent ? 'platform.refused' : 'platform.unreachable', { platform, reason: outcome.reason },
    )
  }))
}
