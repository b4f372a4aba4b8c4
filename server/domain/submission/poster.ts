import type { ReviewBoard } from '../../ports/board'
import type { CardLine } from '../../ports/line'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Outbox } from './outbox'

/** From here on a room is told how many cards wait. */
const BACKLOG_NOTICE = 50

/** One run of a line ends after this, ms, so that a serverless function can end; the next sweep goes on. */
const RUN_MS = 50_000

/** Longest pause before looking again, ms: another replica may have let the line move. */
const MAX_WAIT_MS = 1000

export interface PosterPorts {
  store: SubmissionStore
  outbox: Outbox
  board: ReviewBoard
  line: CardLine
  leaseMs: number
  /** The ops page that lists what waits. */
  overviewUrl: string
  runtime: Runtime
  log: Log
}

/** Lets the cards that wait in line out, one at a time per platform, at the platform's rate. */
export class Poster {
  private readonly running = new Set<string>()
  private readonly awaited = new Map<string, () => void>()

  constructor(private readonly ports: PosterPorts) {}

  /** Sees to it that every line moves. Returns at once. */
  wake(platforms: readonly string[] = this.ports.board.platforms): void {
    for (const platform of platforms) {
      if (this.running.has(platform) || this.ports.board.intervalMs(platform) === 0) continue
      this.running.add(platform)
      const run = this.drain(platform)
        .catch(error => this.ports.log.warn('line.failed', { platform, error }))
        .finally(() => this.running.delete(platform))
      this.ports.runtime.background(run)
    }
  }

  /** Resolves when this process has let the submission's card out, on whichever platform was first. */
  posted(id: string): Promise<void> {
    return new Promise(resolve => this.awaited.set(id, resolve))
  }

  /** Nobody waits for it any more. */
  forget(id: string): void {
    this.awaited.delete(id)
  }

  private async drain(platform: string): Promise<void> {
    const { line, board, runtime, leaseMs } = this.ports
    const intervalMs = board.intervalMs(platform)
    const end = runtime.now() + RUN_MS
    for (let now = runtime.now(); now < end; now = runtime.now()) {
      const taken = await line.take({ platform, now, intervalMs }, now + leaseMs)
      if (taken.id !== null) {
        await this.announceBacklog(platform)
        await this.post(platform, taken.id)
      }
      else if (taken.waitMs === null) {
        return line.forgetNotice(platform)
      }
      else {
        await runtime.wait(Math.min(Math.max(taken.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private async post(platform: string, id: string): Promise<void> {
    const { store, outbox, line } = this.ports
    const submission = await store.get(id)
    const work = submission?.work.find(({ kind, platform: of }) => kind === 'post' && of === platform)
    if (submission && work) await outbox.run(submission, [work], [platform])
    else await line.leave(platform, id)
    this.awaited.get(id)?.()
  }

  private async announceBacklog(platform: string): Promise<void> {
    const { line, board, log, overviewUrl } = this.ports
    const waiting = await line.length(platform)
    if (waiting <= BACKLOG_NOTICE || !await line.takeNotice(platform)) return
    const outcome = await board.announce(platform, `${waiting} more submissions are waiting for their cards.`, overviewUrl)
    if (!outcome.ok) log.warn('notice.failed', { platform, reason: outcome.reason })
  }
}
