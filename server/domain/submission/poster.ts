import type { ReviewBoard } from '../../ports/board'
import type { Forms } from '../../ports/form'
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
  forms: Pick<Forms, 'rooms'>
  leaseMs: number
  /** The ops page that lists what waits; null when nobody can open it. */
  overviewUrl: string | null
  runtime: Runtime
  log: Log
}

/** Lets the cards that wait in line out, one at a time per room, at the platform's rate. */
export class Poster {
  private readonly running = new Set<string>()
  private readonly awaited = new Map<string, () => void>()

  constructor(private readonly ports: PosterPorts) {}

  /** Sees to it that every line moves. Returns at once. */
  wake(rooms: readonly string[] = this.ports.forms.rooms): void {
    for (const room of rooms) {
      if (this.running.has(room) || this.ports.board.intervalMs(room) === 0) continue
      this.running.add(room)
      const run = this.drain(room)
        .catch(error => this.ports.log.warn('line.failed', { room, error }))
        .finally(() => this.running.delete(room))
      this.ports.runtime.background(run)
    }
  }

  /** Resolves when this process has let the submission's card out, on whichever room was first. */
  posted(id: string): Promise<void> {
    return new Promise(resolve => this.awaited.set(id, resolve))
  }

  /** Nobody waits for it any more. */
  forget(id: string): void {
    this.awaited.delete(id)
  }

  private async drain(room: string): Promise<void> {
    const { line, board, runtime, leaseMs } = this.ports
    const intervalMs = board.intervalMs(room)
    const end = runtime.now() + RUN_MS
    while (runtime.now() < end) {
      const taken = await line.take({ room, intervalMs }, leaseMs)
      if (taken.id !== null) {
        await this.announceBacklog(room)
        await this.post(room, taken.id)
      }
      else if (taken.waitMs === null) {
        return line.forgetNotice(room)
      }
      else {
        await runtime.wait(Math.min(Math.max(taken.waitMs, 1), MAX_WAIT_MS))
      }
    }
  }

  private async post(room: string, id: string): Promise<void> {
    const { store, outbox, line } = this.ports
    const submission = await store.get(id)
    const work = submission?.work.find(({ kind, room: of }) => kind === 'post' && of === room)
    // Of one that is decided nobody needs a card.
    if (submission?.state === 'open' && work) await outbox.run(submission, [work], [room])
    else await line.leave(room, id)
    this.awaited.get(id)?.()
  }

  private async announceBacklog(room: string): Promise<void> {
    const { line, board, log, overviewUrl } = this.ports
    const waiting = await line.length(room)
    if (waiting <= BACKLOG_NOTICE || !await line.takeNotice(room)) return
    const outcome = await board.announce(room, `${waiting} more submissions are waiting for their cards.`, overviewUrl)
    if (!outcome.ok) log.warn('notice.failed', { room, reason: outcome.reason })
  }
}
