import type { Entry as QueueEntry, Leaving } from '../../ports/card-queue'
import { LimitReached, type Limiter } from '../../ports/limiter'
import {
  HEARTBEAT_MS, type Backlog, type Created, type CreateOptions, type HourTally, type PendingPage, type StoreRules,
  type StoreWatcher,
  type SubmissionStore,
} from '../../ports/store'
import type { AuditLine, Submission } from '../../ports/submission'
import type { EmbeddedCardQueue } from './card-queue'
import { FileStore } from './files'
import { AUDIT_FILES, AuditTrail, newestFirst, pageOf, type Entry, IdempotencyKeys, KEY_FILES } from './indexes'

/** Where to keep the files, and the clock. */
interface EmbeddedStoreOptions extends StoreRules {
  /** Folder of its own; made when missing. One process at a time. */
  dir: string
  /** Epoch ms. */
  now: () => number
  /** How many forms each client may send; any number when absent. */
  limiter?: Limiter
  /** The queues of its cards; none in tests of the store alone. */
  queue?: EmbeddedCardQueue
  /** How many held submissions are kept; any number when absent. */
  heldMax?: number
}

const DAY_MS = 24 * 60 * 60 * 1000
/** The record, by then without form data, stays a week, in which its cards are told of the end, and a day. */
const RECORD_GRACE_MS = 8 * DAY_MS

/** Keeps submissions as files, for one process without Redis: trying out, development. Survives a restart. */
export class EmbeddedStore extends FileStore implements SubmissionStore {
  private readonly entries = new Map<string, Entry>()
  private readonly trail: AuditTrail
  private readonly watchers = new Set<StoreWatcher>()
  private readonly keys: IdempotencyKeys

  constructor(private readonly options: EmbeddedStoreOptions) {
    super(options.dir)
    this.trail = new AuditTrail(this.files)
    this.keys = new IdempotencyKeys(this.files, options.now)
  }

  async create(submission: Submission, { idempotencyKey, client, entry }: CreateOptions = {}): Promise<Created> {
    const waitMs = client === undefined ? 0 : await this.options.limiter?.take(client) ?? 0
    if (waitMs > 0) throw new LimitReached(waitMs)
    if (!idempotencyKey) return this.add(submission, entry)
    return this.inTurn(KEY_FILES + idempotencyKey, async () => {
      const holder = this.keys.holder(idempotencyKey)
      if (holder && (this.entries.has(holder) || this.trail.has(holder))) return { id: holder, places: [] }
      // The key first: killed in between, it points nowhere and the next one takes it over.
      await this.keys.hold(idempotencyKey, submission.id)
      return this.add(submission, entry)
    })
  }

  async get(id: string): Promise<Submission | null> {
    await this.loaded()
    if (!this.entries.has(id)) return null
    const submission = await this.read(id)
    return submission && this.options.now() >= this.options.dataLivesUntil(submission) ? this.expire(id) : submission
  }

  replace(
    previous: Submission, next: Submission, audit?: AuditLine, leaving: readonly Leaving[] = [],
  ): Promise<boolean> {
    return this.change(previous.id, async (entry) => {
      if (entry?.version !== previous.version) return false
      if (audit) await this.trail.add(audit, previous.version)
      await this.write(next)
      await this.options.queue?.leave(next.id, leaving)
      return true
    })
  }

  remove({ id, version }: Submission, audit?: AuditLine, leaving: readonly Leaving[] = []): Promise<boolean> {
    return this.change(id, async (entry) => {
      if (entry?.version !== version) return false
      // The line first: killed in between, the removal is done again and writes the same line.
      if (audit) await this.trail.add(audit, version)
      await this.erase(id)
      await this.options.queue?.leave(id, leaving)
      return true
    })
  }

  async lease(leaseMs: number, limit: number): Promise<string[]> {
    await this.loaded()
    const now = this.options.now()
    const due = [...this.entries.values()].filter(entry => (
      entry.due <= now
    )).sort((a, b) => a.due - b.due).slice(0, limit)
    // Only in memory: a lease ends with the process, which is the only one that could hold it.
    for (const entry of due) entry.due = now + leaseMs
    return due.map(entry => entry.id)
  }

  async forget(id: string): Promise<void> {
    await this.change(id, async () => this.entries.delete(id))
  }

  async listPending({ limit, before = '', only }: {
    limit: number
    before?: string
    only?: 'stuck' | 'held'
  }): Promise<PendingPage> {
    await this.loaded()
    const all = only === 'held' ? this.those('held') : this.those('open', 'settling')
    const { places, cursor } = pageOf(only === 'stuck' ? all.filter(({ stuck }) => stuck) : all, limit, before)
    const found = await Promise.all(places.map(entry => this.get(entry.id)))
    return { submissions: found.filter(submission => submission !== null), total: all.length, cursor }
  }

  async audit(limit: number): Promise<AuditLine[]> {
    await this.loaded()
    return this.trail.newest(limit)
  }

  async tally(now: number): Promise<HourTally[]> {
    await this.loaded()
    return this.trail.tally(now, this.those('held', 'open', 'settling').map(({ receivedAt }) => receivedAt))
  }

  async backlog(now: number): Promise<Backlog> {
    await this.loaded()
    const arrivals = this.those('open', 'settling').map(({ receivedAt }) => receivedAt)
    const overdue = [...this.entries.values()].filter(({ due }) => due <= now).length
    return {
      pending: arrivals.length, oldestAt: arrivals.length > 0 ? Math.min(...arrivals) : null, overdue,
      stuck: (await this.stuck(Infinity)).length,
    }
  }

  async stuck(limit: number): Promise<string[]> {
    await this.loaded()
    return [...this.entries.values()].filter(({ stuck }) => stuck).sort((a, b) => (
      newestFirst(b, a)
    )).slice(0, limit).map(({ id }) => id)
  }

  watch(watcher: StoreWatcher): () => void {
    this.watchers.add(watcher)
    const beats = setInterval(watcher.alive, HEARTBEAT_MS).unref()
    watcher.changed(null)
    watcher.alive()
    return () => {
      clearInterval(beats)
      this.watchers.delete(watcher)
    }
  }

  async check(): Promise<null> {
    await this.loaded()
    return null
  }

  /** One change of a submission after the other: what makes compare-and-set atomic within the process. */
  private change<T>(id: string, task: (entry: Entry | undefined) => Promise<T>): Promise<T> {
    return this.inTurn(id, () => task(this.entries.get(id)))
  }

  /** Erases the form data of an overdue submission, and a day later all of it; what Redis does by itself. */
  private expire(id: string): Promise<Submission | null> {
    return this.change(id, async () => {
      const submission = await this.read(id)
      if (!submission) return null
      const overdue = this.options.now() - this.options.dataLivesUntil(submission)
      if (overdue >= RECORD_GRACE_MS) {
        await this.erase(id)
        return null
      }
      if (overdue < 0 || submission.data === null) return submission
      const erased = { ...submission, data: null }
      await this.files.setItemRaw(`submission:${id}`, JSON.stringify(erased))
      return erased
    })
  }

  private async add(submission: Submission, entry: QueueEntry = { paces: [], leaseMs: 0 }): Promise<Created> {
    await this.change(submission.id, async (entry) => {
      if (entry) throw new Error(`Submission ${submission.id} exists already`)
      await this.write(submission)
    })
    if (submission.state === 'held' && this.options.heldMax !== undefined) await this.trimHeld()
    return { id: submission.id, places: this.options.queue?.enterAll(submission.id, entry) ?? [] }
  }

  /** Of what is held, the oldest go. */
  private async trimHeld(): Promise<void> {
    for (const { id } of this.those('held').sort(newestFirst).slice(this.options.heldMax)) await this.change(id, () => (
      this.erase(id)
    ))
  }

  private async write(submission: Submission): Promise<void> {
    await this.files.setItemRaw(`submission:${submission.id}`, JSON.stringify(submission))
    this.index(submission)
    this.tell(submission.id)
  }

  private tell(id: string): void {
    for (const { changed } of this.watchers) changed(id)
  }

  private index(submission: Submission): void {
    const { id, version, state, receivedAt } = submission
    this.entries.set(id, {
      id, version, state, receivedAt, due: this.options.nextAttention(submission),
      stuck: this.options.needsPerson(submission),
    })
  }

  private those(...states: Submission['state'][]): Entry[] {
    return [...this.entries.values()].filter(({ state }) => states.includes(state))
  }

  private async erase(id: string): Promise<void> {
    await this.files.removeItem(`submission:${id}`)
    this.entries.delete(id)
    this.tell(id)
  }

  protected restore(key: string, text: string): void {
    const stored = this.options.parse(text)
    if (key.startsWith(KEY_FILES)) this.keys.restore(key, stored)
    else if (key.startsWith(AUDIT_FILES)) this.trail.restore(key, stored as AuditLine)
    else this.index(stored as Submission)
  }

  protected override async load(): Promise<void> {
    await super.load()
    await this.trail.trim()
  }

  private async read(id: string): Promise<Submission | null> {
    const text = await this.text(`submission:${id}`)
    return text === null ? null : this.options.parse(text) as Submission
  }
}
