import type { ReviewBoard } from '../../ports/board'
import type { Leaving } from '../../ports/card-queue'
import type { Outcome } from '../../ports/delivery'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission, Work } from '../../ports/submission'
import { retryAt, type RetryPolicy } from './backoff'
import type { CardQueue } from './card-queue'
import { confirm, type ConfirmationPorts } from './confirm'
import { deliver, tellErasure, type DeliveryPorts } from './deliver'
import type { Applied, Done, EventsOn } from './events'
import { missingIn, roomOfCard, roomOfWork } from './place'
import { cardView, reminder } from './present'
import { givenNews } from './holder-notes'
import { lookOf, versionOf, type Look } from './look'
import { receiptNews } from './receipt-notes'
import { isDelivery } from './record'
import type { SubmissionFiles } from './submission-files'

/** A write that meets an unreachable store is repeated after these pauses, ms, before the lease takes over. */
const WRITE_RETRIES_MS = [200, 400, 800, 1600, 3200]

/** An edit waits so long for the deliveries that it is to tell of, ms. */
const EDIT_PATIENCE_MS = 1000

/** What was delivered waits so long for the rest, ms; who is killed meanwhile delivers again, under the same key. */
const TOGETHER_MS = 250

export interface OutboxPorts extends DeliveryPorts, ConfirmationPorts {
  store: SubmissionStore
  board: ReviewBoard
  queue: CardQueue
  files?: Pick<SubmissionFiles, 'erase' | 'read' | 'url' | 'withLost'>
  /** Called when form data is gone, for what else may quote it. */
  ended?: (id: string) => void
  policy: RetryPolicy
  /** How long after a decision cards go on to show the form, ms; always by default. */
  cardDataMs?: number | null
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/** Where a run writes what was done. */
interface Ledger {
  apply(id: string, events: EventsOn, known: Submission, leaving: readonly Leaving[]): Promise<Applied>
  foresee(current: Submission, events: EventsOn): Submission | null
  inTurn<T>(card: CardRef, edit: () => Promise<T>): Promise<T>
}

/** What came of an effect; of an edit, with the look that it gave the card. */
type Effect = Done & { look?: Look }

/** What became of a piece of work. */
interface Report {
  /** Whether it may wait to be written: not what failed, and not a card, which would be posted again. */
  canWait: boolean
  eventsOn: EventsOn
  leaving: readonly Leaving[]
}

/**
 * One sitting at one submission: effects at once and side by side. Their results are written in the order they come;
 * what was delivered and the edits that tell of it together, when that takes no more than a moment.
 */
export class Run {
  private readonly reports: Report[] = []
  private readonly deliveries: Promise<void>[] = []
  private readonly edits: Promise<void>[] = []
  private undelivered = 0
  /** Resolves when cards can tell what became of the deliveries; null while they can. */
  private told: PromiseWithResolvers<null> | null = null
  private writing: Promise<void> = Promise.resolve()
  private look: Look

  constructor(
    private current: Submission, private readonly outbox: Ledger, private readonly ports: OutboxPorts,
    private readonly id = current.id,
  ) {
    this.look = lookOf(current)
  }

  /** Resolves when the results are written. @param tried called when there are all of them */
  async start(work: readonly Work[], tried = () => {}): Promise<void> {
    this.undelivered += work.filter(({ kind }) => isDelivery(kind)).length
    if (this.undelivered > 0) this.told ??= Promise.withResolvers()
    const performed = work.map((item) => {
      const performing = this.perform(item)
      if (isDelivery(item.kind)) this.deliveries.push(performing)
      if (item.kind === 'update') this.edits.push(performing)
      return performing
    })
    void Promise.all(performed).then(tried)
    await Promise.all(performed.map(each => each.then(() => this.writing = this.writing.then(() => this.write()))))
  }

  private async perform(work: Work): Promise<void> {
    const { runtime, policy } = this.ports
    // What goes out within a moment costs one edit of each card; what takes longer is said to be on its way.
    const patience = Math.min(EDIT_PATIENCE_MS, policy.leaseMs / 2)
    if (work.kind === 'update' && this.told) await runtime.within(this.told.promise, patience)
    const startedAt = runtime.now()
    const outcome = await this.attempt(work).catch((error: Error): Outcome<Effect> => {
      this.ports.log.error('work.crashed', { submission: this.id, work: work.kind, error })
      return { ok: false, reason: 'An unexpected error.', permanent: false }
    })
    const room = work.card ? roomOfCard(work.card, this.ports.board) : work.room
    if (outcome !== 'waiting') this.ports.monitor.tried({ ...work, room }, outcome, runtime.now() - startedAt)
    this.ports.queue.tried(work, outcome)
    if (isDelivery(work.kind)) this.undelivered--
    this.reports.push({
      canWait: outcome !== 'waiting' && outcome.ok && (work.kind === 'update' || isDelivery(work.kind)),
      eventsOn: this.report(work, outcome),
      leaving: outcome === 'waiting' ? [] : this.ports.queue.leavingAfter(work, outcome),
    })
  }

  private report(work: Work, outcome: Outcome<Effect> | 'waiting'): EventsOn {
    const { log, runtime, policy, queue } = this.ports
    const { kind, key } = work
    if (outcome === 'waiting') return queue.putOff(work, this.id)
    if (outcome.ok) {
      const { look, ...done } = outcome.value
      return ({ version }) => [{ type: 'done', key, ...done, ...look && { version: versionOf(look, version + 1) } }]
    }
    const again = retryAt(work, outcome, runtime.now(), runtime.random(), policy)
    const room = roomOfWork(work, this.current.cards, this.ports.board)
    log.warn('work.failed', {
      submission: this.id, work: kind, room, attempt: work.attempts + 1, reason: outcome.reason, again: again !== null,
    })
    const refused = kind === 'post' && outcome.content
    const { gone, limited } = outcome
    const card = kind === 'update' && gone && again === null ? work.card : undefined
    return () => [
      { type: 'failed', key, room, reason: outcome.reason, retryAt: again, refused, gone, limited },
      ...card ? [{ type: 'card-deleted', card, room: missingIn(this.current, card, this.ports) } as const] : [],
    ]
  }

  private async write(): Promise<void> {
    // Answers that arrive together become one write.
    await this.ports.runtime.turn()
    if (this.reports.length === 0) return
    if (this.reports.every(({ canWait }) => canWait)) await this.gather()
    const reports = this.reports.splice(0)
    const leaving = reports.flatMap(({ leaving }) => leaving)
    const { look } = this
    const applied = await this.applyPersistently(eventsOf(reports), leaving)
    const wasOpen = this.current.state === 'open'
    const isWritten = applied !== null && !('refused' in applied)
    if (isWritten) this.current = applied.submission
    look.version = versionOf(look, this.current.version)
    look.isForeseen = false
    this.look = lookOf(this.current)
    if (this.undelivered === 0 && this.reports.length === 0) this.tell()
    if (!isWritten) return this.ports.queue.leave(this.id, leaving)
    const work = [...applied.added, ...wasOpen ? [] : this.queued(applied)]
    // Not awaited here: their own reports queue behind this write.
    if (work.length > 0) this.ports.runtime.background(this.start(work))
  }

  /** Waits for what else is under way, so that one write has it all. */
  private async gather(): Promise<void> {
    await this.ports.runtime.within(Promise.all(this.deliveries), TOGETHER_MS)
    if (this.told && this.undelivered === 0) this.foresee()
    if (!this.told) await this.ports.runtime.within(Promise.all(this.edits), TOGETHER_MS)
  }

  /** Cards tell what was delivered beside the write of it. */
  private foresee(): void {
    const next = this.outbox.foresee(this.current, eventsOf(this.reports))
    // Buttons are not offered before they work.
    if (!next || next.state === 'open') return
    this.look = { ...lookOf(next), isForeseen: true }
    this.tell()
  }

  private tell(): void {
    this.told?.resolve(null)
    this.told = null
  }

  /** Cards of a submission that is open again: the queue knows whether they are in flight. */
  private queued({ submission, added }: Extract<Applied, { added: unknown }>): Work[] {
    if (submission.state !== 'open') return []
    return submission.work.filter(
      work => work.kind === 'post' && work.attempts === 0 && !added.includes(work)
        && this.ports.queue.isPaced(work.room!),
    )
  }

  private async applyPersistently(events: EventsOn, leaving: readonly Leaving[]): Promise<Applied | null> {
    for (const pause of [...WRITE_RETRIES_MS, null]) {
      try {
        return await this.outbox.apply(this.id, events, this.current, leaving)
      }
      catch (error) {
        if (pause === null) this.ports.log.error('outbox.write-failed', { submission: this.id, error })
        else await this.ports.runtime.wait(pause)
      }
    }
    return null
  }

  private async attempt(work: Work): Promise<Outcome<Effect> | 'waiting'> {
    const { board, presentation } = this.ports
    const submission = this.current
    switch (work.kind) {
      case 'post':
        if (submission.state !== 'open' || !await this.ports.queue.mayPost(work, this.id)) return 'waiting'
        // An earlier one may have arrived after all, and be what its platform answers with.
        return shown({ version: work.attempts > 0 ? 0 : submission.version }, await this.ports.queue.slowRooms.timed(
          work.room!, board.post(work.room!, cardView(submission, presentation), work.key.split('#')[1]),
        ))
      case 'remind': return ofNoCard(await board.reply(work.card!, reminder(submission)))
      case 'tell': {
        const { holder } = submission
        const news = holder ? givenNews(holder) : receiptNews(submission)
        // What is not news any more is not told.
        return news ? ofNoCard(await board.reply(work.card!, news, holder?.names)) : { ok: true, value: {} }
      }
      case 'erasure': return ofNoCard(await tellErasure(submission, this.ports))
      case 'update': {
        const [look, outcome] = await this.outbox.inTurn(work.card!, async () => {
          const newest = this.look
          return [newest, await board.update(work.card!, cardView(newest.submission, presentation))] as const
        })
        return shown({ look }, outcome, work.card)
      }
      case 'confirm': return confirm(submission, work, this.ports)
      case 'email':
      case 'endpoint': return deliver(work.kind, submission, this.ports)
    }
  }
}

/** What came of an effect after which cards show what they did before. */
function ofNoCard(outcome: Outcome<unknown>): Outcome<Effect> {
  return outcome.ok ? { ok: true, value: {} } : outcome
}

/** What a card shows from now on. */
function shown(as: Pick<Effect, 'version' | 'look'>, outcome: Outcome<CardRef | undefined>, card?: CardRef) {
  return outcome.ok ? { ok: true as const, value: { card: outcome.value ?? card, ...as } } : outcome
}

function eventsOf(reports: readonly Report[]): EventsOn {
  return stored => reports.flatMap(({ eventsOn }) => eventsOn(stored))
}
