import { RECORD_GRACE_MS, TRACE_TTL_MS } from '../../../shared/lifetimes'
import type { Limiter } from '../../ports/limiter'
import {
  keyHolder, isComplete, type Backlog, type Created, type CreateOptions, type HourTally, type List, type PageRequest,
  type PendingPage, type StoreRules, type StoreWatcher, type SubmissionStore,
} from '../../ports/store'
import type { AuditLine, Submission, SubmissionRecord } from '../../ports/submission'
import type { EmbeddedCardQueue } from './card-queue'
import { EmbeddedChanges } from './changes'
import { JsonFolder } from './files'
import { take } from './limiter'
import {
  AUDIT_FILES, AuditTrail, dueBy, newestFirst, slicePage, type Entry, IdempotencyKeys, KEY_FILES,
} from './indexes'

interface EmbeddedStoreOptions extends StoreRules {
  /** Folder that nothing else uses, created if missing. Only one process may use it at a time. */
  dir: string
  /** Epoch ms. */
  now: () => number
  /** Limits the forms of each client. Without it, any number may be sent. */
  limiter?: Limiter | null
  /** Limits the bytes stored for each sender. Without it, any number is stored. */
  byteLimiter?: Limiter
  /** Queues of the cards; none in tests of the store alone. */
  queue?: EmbeddedCardQueue
  /** Max quarantined submissions kept (state `held`); any number if absent. */
  heldMax?: number
}

/** Content of a submission's file. */
type StoredSubmission = Submission & { /** Time until which a trace is kept, epoch ms. */ until?: number }

/** Keeps submissions as files, for one process without Redis, e.g. for trials and development. Survives a restart. */
export class EmbeddedStore extends JsonFolder implements SubmissionStore {
  private readonly entries = new Map<string, Entry>()
  private readonly trail: AuditTrail
  private readonly keys: IdempotencyKeys
  private readonly changes = new EmbeddedChanges()

  constructor(private readonly options: EmbeddedStoreOptions) {
    super(options.dir)
    this.trail = new AuditTrail(this.files)
    this.keys = new IdempotencyKeys(this.files, options.now)
  }

  async create(submission: Submission, options: CreateOptions = {}): Promise<Created> {
    const { idempotencyKey, fingerprint } = options
    await take(this.options.limiter, options.client)
    if (!idempotencyKey) return this.add(submission, options)
    return this.inTurn(KEY_FILES + idempotencyKey, async () => {
      const holder = this.keys.holder(idempotencyKey) ?? ''
      if (this.entries.has(holder.split(' ')[0]!)) return { id: keyHolder(holder, fingerprint), places: [] }
      // Store the key first: after a crash it names no submission, and the next form with this key takes it over.
      await this.keys.hold(idempotencyKey, `${submission.id} ${fingerprint ?? ''}`)
      return this.add(submission, options)
    })
  }

  async get(id: string): Promise<Submission | null> {
    await this.loaded()
    const entry = this.entries.get(id)
    if (!entry || entry.until <= this.options.now()) return null
    const submission = await this.read(id)
    return submission && entry.until === Infinity && this.isOverdue(submission) ? this.expire(id) : submission
  }

  replace(previous: SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null> {
    return this.change(previous.id, async (entry) => {
      if (entry?.version !== previous.version || (next.data && !isComplete(previous))) return null
      if (next.data && isComplete(previous) && next.data === previous.data && this.isOverdue(previous)) return null
      // Add the line first. After a crash in between, the change is repeated and writes the same line.
      if (audit) await this.trail.add(audit, previous.version)
      await this.write(next)
      return next
    })
  }

  async lease(leaseMs: number, limit: number): Promise<string[]> {
    await this.loaded()
    const now = this.options.now()
    const leasedEntries = dueBy(this.entries, now, limit)
    // Keep leases only in memory: only this process can hold them, and they end with it.
    for (const entry of leasedEntries) entry.due = now + leaseMs
    return leasedEntries.map(({ id }) => id)
  }

  upcoming(until: number, limit: number): Promise<string[]> {
    return this.loaded().then(() => dueBy(this.entries, until, limit).map(({ id }) => id))
  }

  async forget(id: string): Promise<void> {
    await this.change(id, async () => this.entries.delete(id))
  }

  async listPending(page: PageRequest): Promise<PendingPage> {
    await this.loaded()
    const { only } = page
    const entries = this.listEntries(only === 'held' || only === 'spam' ? only : 'pending')
    const matchingEntries = only === 'stuck' || only === 'taken' ? entries.filter(entry => entry[only]) : entries
    const { places, cursor } = slicePage(matchingEntries, page)
    const submissions = (await Promise.all(places.map(({ id }) => this.get(id)))).filter(each => each !== null)
    return { submissions, total: entries.length, cursor }
  }

  async listRecords(request: PageRequest): Promise<PendingPage<SubmissionRecord>> {
    const page = await this.listPending(request)
    return { ...page, submissions: page.submissions.map(({ data, envelope, before, ...record }) => record) }
  }

  async audit(limit: number, since = -Infinity): Promise<AuditLine[]> {
    await this.loaded()
    return this.trail.newest(limit, since)
  }

  async tally(now: number): Promise<HourTally[]> {
    await this.loaded()
    // Traces are kept longer than any hour that is counted.
    return this.trail.tally(now, [...this.entries.values()].map(({ receivedAt }) => receivedAt))
  }

  async backlog(now: number): Promise<Backlog> {
    await this.loaded()
    const arrivals = this.listEntries('pending').map(({ receivedAt }) => receivedAt)
    const overdueEntries = dueBy(this.entries, now)
    const stuck = (await this.stuck(Infinity)).length
    const oldestAt = arrivals.length > 0 ? Math.min(...arrivals) : null
    const overdueSince = overdueEntries[0]?.due ?? null
    return { pending: arrivals.length, oldestAt, overdue: overdueEntries.length, overdueSince, stuck }
  }

  async stuck(limit: number): Promise<string[]> {
    await this.loaded()
    const stuckEntries = [...this.entries.values()].filter(({ stuck }) => stuck).sort((a, b) => newestFirst(b, a))
    return stuckEntries.slice(0, limit).map(({ id }) => id)
  }

  async revision(): Promise<string> {
    return this.changes.revision
  }

  watch(watcher: StoreWatcher): () => void {
    return this.changes.watch(watcher)
  }

  async check(): Promise<null> {
    await this.loaded()
    return null
  }

  /** True if its form data should be gone by now. */
  private isOverdue(submission: Submission): boolean {
    return this.options.now() >= this.options.dataLivesUntil(submission)
  }

  /** Runs the changes of a submission one after the other, which makes compare-and-set atomic within the process. */
  private change<T>(id: string, task: (entry: Entry | undefined) => Promise<T>): Promise<T> {
    return this.inTurn(id, () => task(this.entries.get(id)))
  }

  /** Erases the form data of an overdue submission, and a day later the rest, as Redis does by itself. */
  private expire(id: string): Promise<Submission | null> {
    return this.change(id, async () => {
      const submission = await this.read(id)
      if (!submission) return null
      const overdueMs = this.options.now() - this.options.dataLivesUntil(submission)
      if (overdueMs >= RECORD_GRACE_MS) {
        await this.erase(id)
        return null
      }
      if (overdueMs < 0 || submission.data === null) return submission
      const erasedSubmission = { ...submission, data: null, envelope: undefined, before: undefined }
      await this.files.setItemRaw(`submission:${id}`, JSON.stringify(erasedSubmission))
      return erasedSubmission
    })
  }

  private async add(submission: Submission, { sender, queues = [] }: CreateOptions): Promise<Created> {
    await take(this.options.byteLimiter, sender, Buffer.byteLength(JSON.stringify(submission.data)))
    await this.change(submission.id, async (entry) => {
      if (entry) throw new Error(`Submission ${submission.id} exists already`)
      await this.write(submission)
    })
    if (submission.state === 'held' && this.options.heldMax !== undefined) await this.trimHeld()
    return { id: submission.id, places: queues.map(pace => this.options.queue?.placeOf(pace, submission) ?? 0) }
  }

  /** Erases the oldest quarantined submissions beyond the limit. */
  private async trimHeld(): Promise<void> {
    const surplusEntries = this.listEntries('held').sort(newestFirst).slice(this.options.heldMax)
    for (const { id } of surplusEntries) await this.change(id, () => this.erase(id))
  }

  private async write(submission: Submission): Promise<void> {
    // Keep a submission that was over for as long as a trace, counted from now, even if it has work again.
    const isOver = Number.isFinite(this.entries.get(submission.id)?.until) || this.options.isOver(submission)
    if (isOver) await this.forgetOld()
    const storedSubmission: StoredSubmission = isOver
      ? { ...submission, until: this.options.now() + TRACE_TTL_MS }
      : submission
    await this.files.setItemRaw(`submission:${submission.id}`, JSON.stringify(storedSubmission))
    this.index(storedSubmission)
    this.changes.tell(submission.id)
  }

  /** Erases traces after their time. */
  private async forgetOld(): Promise<void> {
    const oldEntries = [...this.entries.values()].filter(({ until }) => until <= this.options.now())
    for (const { id } of oldEntries) await this.erase(id)
  }

  private index(submission: StoredSubmission): void {
    const { id, version, receivedAt, until = Infinity } = submission
    this.entries.set(id, {
      id, version, receivedAt, until,
      list: this.options.listOf(submission), due: this.options.nextAttention(submission),
      stuck: this.options.needsPerson(submission), taken: this.options.isTaken(submission),
    })
  }

  private listEntries(list: List): Entry[] {
    return [...this.entries.values()].filter(entry => entry.list === list)
  }

  private async erase(id: string): Promise<void> {
    await this.files.removeItem(`submission:${id}`)
    this.entries.delete(id)
    this.changes.tell(id)
  }

  protected restore(key: string, text: string): void {
    const content = this.options.parse(text)
    if (key.startsWith(KEY_FILES)) this.keys.restore(key, content)
    else if (key.startsWith(AUDIT_FILES)) this.trail.restore(key, content as AuditLine)
    else this.index(content as StoredSubmission)
  }

  protected override async load(): Promise<void> {
    await super.load()
    await this.trail.trim()
    await this.forgetOld()
  }

  private async read(id: string): Promise<Submission | null> {
    const text = await this.text(`submission:${id}`)
    if (text === null) return null
    const { until, ...submission } = this.options.parse(text) as StoredSubmission
    return submission
  }
}
