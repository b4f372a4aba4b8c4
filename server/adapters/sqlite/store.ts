import {
  AUDIT_TTL_MS, IDEMPOTENCY_TTL_MS, RECORD_GRACE_MS, TALLY_TTL_MS, TRACE_TTL_MS, hourOf, tallyHours,
} from '../../../shared/lifetimes'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import { LimitReached } from '../../ports/limiter'
import {
  isComplete, keyHolder, UnreadableRecord, type Backlog, type Created, type CreateOptions, type HourTally, type
  PageRequest, type PendingPage, type StoreRules, type StoreWatcher, type SubmissionStore,
} from '../../ports/store'
import { contentIn, recordOf, serializeContent, StoredTexts, type ReadingOptions } from '../../ports/stored-text'
import type { AuditLine, Submission, SubmissionRecord } from '../../ports/submission'
import { queueStored } from './card-queue'
import { SqliteChanges } from './changes'
import type { Database } from './database'
import { dueBy, leaseDue } from './due'
import { take, type Limit } from './limiter'

/** Max audit lines, about 20 MB. Teams with more in `AUDIT_TTL_MS` have to export them in time. */
const AUDIT_LINES = 100_000

interface SqliteStoreOptions extends StoreRules, ReadingOptions {
  /** Max forms that each client may send; any number if absent. */
  limit?: Limit
  /** Max MB stored for each sender; any number if absent. */
  limitMb?: Limit
  /** Max quarantined submissions kept (state `held`); any number if absent. */
  heldMax?: number
}

/** Places in the queues, the holder of the idempotency key, a wait in ms, or null if the id exists. */
type Inserted = { places: number[] } | { holder: string } | { waitMs: number, megabytes?: number } | null

interface Row { id: string, received: number, record: string, text: string | null }

/** Submissions with their content, if that is there; ?1 is the time. */
const FROM_WHOLE = 'FROM submissions LEFT JOIN contents USING (seq) WHERE until > ?1'
const TEXT = 'iif(content_until > ?1, text, NULL) AS text'
const WHOLE = `SELECT id, received, record, ${TEXT} ${FROM_WHOLE}`

/** Keeps submissions in SQLite, for one process. */
export class SqliteStore implements SubmissionStore {
  private readonly changes = new SqliteChanges()
  private readonly texts: StoredTexts

  constructor(private readonly db: Database, private readonly options: SqliteStoreOptions) {
    this.texts = new StoredTexts(options)
  }

  async create(submission: Submission, options: CreateOptions = {}): Promise<Created> {
    const { id } = submission
    const result = await this.db.write(() => this.insert(submission, options))
    if (result === null) throw new Error(`Submission ${id} exists already`)
    if ('waitMs' in result) throw new LimitReached(result.waitMs, result.megabytes)
    if ('holder' in result) return { id: keyHolder(result.holder, options.fingerprint), places: [] }
    this.changes.tell(id)
    return { id, places: result.places }
  }

  async get(id: string): Promise<Submission | null> {
    const row = this.db.get<Row>(`${WHOLE} AND id = ?2`, this.db.now(), id)
    const submission = row ? this.texts.submission(id, row.record, row.text) : null
    if (submission instanceof UnreadableRecord) throw submission
    return submission
  }

  async replace(previous: SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null> {
    const stored = await this.db.write(() => this.update(previous, next, audit))
    if (stored) this.changes.tell(next.id)
    return stored
  }

  lease(leaseMs: number, limit: number): Promise<string[]> {
    return leaseDue(this.db, 'submissions', leaseMs, limit)
  }

  async upcoming(until: number, limit: number): Promise<string[]> {
    return dueBy(this.db, 'submissions', until, limit)
  }

  async forget(id: string, erased?: Pick<AuditLine, 'reviewer' | 'at'>): Promise<void> {
    const { db } = this
    await db.write(() => {
      const receivedAt = db.get<Row>('SELECT received FROM submissions WHERE id = ?', id)?.received
      db.run('DELETE FROM submissions WHERE id = ?', id)
      if (erased) this.note({ id, outcome: 'erased', ...erased, receivedAt: receivedAt ?? erased.at })
    })
    this.changes.tell(id)
  }

  async listPending(page: PageRequest): Promise<PendingPage> {
    return this.page(page, WHOLE, ({ id, record, text }) => this.texts.submission(id, record, text))
  }

  async listRecords(page: PageRequest): Promise<PendingPage<SubmissionRecord>> {
    const records = 'SELECT id, received, record FROM submissions WHERE until > ?1'
    return this.page(page, records, ({ id, record }) => this.texts.record(id, record))
  }

  async audit(limit: number, since = 0): Promise<AuditLine[]> {
    const rows = this.db.all<{ line: string }>(
      'SELECT line FROM audit WHERE at >= ? AND until > ? ORDER BY at DESC, seq DESC LIMIT ?',
      Math.max(since, 0), this.db.now(), Number.isFinite(limit) ? limit : -1,
    )
    return rows.map(({ line }) => JSON.parse(line) as AuditLine)
  }

  async tally(now: number): Promise<HourTally[]> {
    const hours = tallyHours(now)
    const rows = this.db.all<{ hour: number, event: string, count: number }>(
      'SELECT hour, event, count FROM tallies WHERE hour >= ?', hours[0]!,
    )
    return hours.map(hour => ({
      hour, counts: Object.fromEntries(rows.filter(row => row.hour === hour).map(({ event, count }) => [event, count])),
    }))
  }

  async backlog(now: number): Promise<Backlog> {
    return { ...this.db.get<Backlog>(`SELECT * FROM
      (SELECT count(*) AS pending, min(received) AS oldestAt FROM submissions WHERE list = 'pending'),
      (SELECT count(*) AS overdue, min(due) AS overdueSince FROM submissions WHERE due <= ?),
      (SELECT count(*) AS stuck FROM submissions WHERE stuck)`, now)! }
  }

  async stuck(limit: number): Promise<string[]> {
    const rows = this.db.all<Row>('SELECT id FROM submissions WHERE stuck ORDER BY received, id LIMIT ?', limit)
    return rows.map(({ id }) => id)
  }

  async revision(): Promise<string> {
    return this.changes.revision
  }

  watch(watcher: StoreWatcher): () => void {
    return this.changes.watch(watcher)
  }

  check(): Promise<string | null> {
    return this.db.check()
  }

  /** Closes the file, for all ports that share it. */
  close(): Promise<void> {
    return this.db.close()
  }

  private insert(
    submission: Submission, { idempotencyKey, fingerprint, client, sender, queues = [] }: CreateOptions,
  ): Inserted {
    const { db, options: { limit, limitMb, dataLivesUntil } } = this
    const { id, receivedAt } = submission
    const now = db.now()
    const waitMs = limit && client !== undefined ? take(db, limit, client, 1) : 0
    if (waitMs > 0) return { waitMs }
    const held = 'SELECT holder FROM idempotency WHERE key = ? AND until > ?'
    const holder = idempotencyKey && db.get<{ holder: string }>(held, idempotencyKey, now)
    if (holder) return holder
    const text = serializeContent(submission)
    const bytes = limitMb && { ...limitMb, limit: limitMb.limit * 2 ** 20 }
    const bytesWaitMs = bytes && sender !== undefined ? take(db, bytes, `bytes:${sender}`, Buffer.byteLength(text)) : 0
    if (bytesWaitMs > 0) return { waitMs: bytesWaitMs, megabytes: limitMb!.limit }
    const dataEnd = dataLivesUntil(submission)
    const isNew = db.run(`
      INSERT INTO submissions (
        version, record, received, list, due, stuck, taken, retrying, content_until, until, ends, id
      ) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    ...this.valuesOf(submission, dataEnd, dataEnd + RECORD_GRACE_MS), id) > 0
    if (!isNew) return null
    db.run('INSERT INTO contents (seq, text) VALUES (last_insert_rowid(), ?)', text)
    if (idempotencyKey) db.run(
      'INSERT OR REPLACE INTO idempotency (key, holder, until) VALUES (?, ?, ?)',
      idempotencyKey, fingerprint ? `${id} ${fingerprint}` : id, now + IDEMPOTENCY_TTL_MS,
    )
    if (submission.state === 'held') this.trimHeld()
    this.count('received', receivedAt)
    return { places: queues.map(pace => queueStored(db, pace, id)) }
  }

  /** @param dataEnd end of its content, or of what could have been one; epoch ms */
  private valuesOf(submission: Submission, dataEnd: number, until: number) {
    const { listOf, nextAttention, isIn } = this.options
    const due = nextAttention(submission)
    return [
      submission.version, recordOf(submission), submission.receivedAt, listOf(submission),
      Number.isFinite(due) ? due : null,
      ...[isIn.stuck, isIn.taken, isIn.retrying].map(rule => Number(rule(submission))),
      dataEnd, until, submission.data === null ? until : Math.min(dataEnd, until),
    ]
  }

  private update(previous: SubmissionRecord, next: Submission, audit?: AuditLine): Submission | null {
    const { db, options: { isOver, dataLivesUntil, parse } } = this
    const { id } = next
    const now = db.now()
    const row = db.get<{ seq: number, version: number, until: number, text: string | null }>(
      `SELECT submissions.seq, version, until, ${TEXT} ${FROM_WHOLE} AND id = ?2`, now, id,
    )
    if (row?.version !== previous.version) return null
    const isRead = next.data !== null && !isComplete(previous)
    const isKept = isRead || (isComplete(previous) && next.data === previous.data && next.before === previous.before)
    if (next.data !== null && isKept && row.text === null) return null
    const stored = isRead ? readContent(next, row.text!, parse) : next
    if (!stored) return null
    const dataEnd = dataLivesUntil(next)
    if (next.data === null) db.run('DELETE FROM contents WHERE seq = ?', row.seq)
    else if (!isKept) db.run(`INSERT INTO contents (seq, text) VALUES (?, ?)
      ON CONFLICT DO UPDATE SET text = excluded.text`, row.seq, serializeContent(next))
    // Keep a trace, or a submission that was one, for a week from now, whatever its age.
    const traceEnd = now + TRACE_TTL_MS
    const isSameEnd = dataEnd === dataLivesUntil(previous) && !isOver(previous)
    const openEnd = isSameEnd ? row.until : Math.max(dataEnd + RECORD_GRACE_MS, isOver(previous) ? traceEnd : 0)
    db.run(`UPDATE submissions SET version = ?, record = ?, received = ?, list = ?, due = ?, stuck = ?, taken = ?,
      retrying = ?, content_until = ?, until = ?, ends = ? WHERE id = ?`,
    ...this.valuesOf(next, dataEnd, isOver(next) ? traceEnd : openEnd), id)
    if (audit) this.note(audit)
    return stored
  }

  /** Erases the oldest quarantined submissions beyond the limit. */
  private trimHeld(): void {
    const { heldMax } = this.options
    const surplus = heldMax === undefined
      ? []
      : this.db.all<Row>(`SELECT id FROM submissions WHERE list = 'held'
          ORDER BY received DESC, id DESC LIMIT -1 OFFSET ?`, heldMax)
    for (const { id } of surplus) {
      this.db.run('DELETE FROM submissions WHERE id = ?', id)
      this.changes.tell(id)
    }
  }

  private note(line: AuditLine): void {
    this.db.run(
      'INSERT INTO audit (at, line, until) VALUES (?, ?, ?)', line.at, JSON.stringify(line), line.at + AUDIT_TTL_MS,
    )
    this.db.run('DELETE FROM audit WHERE seq <= (SELECT max(seq) FROM audit) - ?', AUDIT_LINES)
    this.count(line.outcome, line.at)
  }

  private count(event: string, at: number): void {
    const hour = hourOf(at)
    this.db.run(`INSERT INTO tallies (hour, event, count, until) VALUES (?, ?, 1, ?)
      ON CONFLICT DO UPDATE SET count = count + 1`, hour, event, hour + TALLY_TTL_MS)
  }

  private page<Kept extends SubmissionRecord>(
    { limit, before = '', sort, only }: PageRequest, select: string, read: (row: Row) => Kept | UnreadableRecord,
  ): PendingPage<Kept> {
    const list = only === 'held' || only === 'spam' ? only : 'pending'
    const cursor = readCursor(before)
    const [order, isBeyond] = sort === 'oldest' ? ['ASC', '>'] : ['DESC', '<']
    const rows = this.db.all<Row>(`${select} AND list = ?2 ${only === undefined || only === list ? '' : `AND ${only}`}
      ${cursor ? `AND (received, id) ${isBeyond} (?4, ?5)` : ''}
      ORDER BY received ${order}, id ${order} LIMIT ?3`,
    this.db.now(), list, limit + 1, ...cursor ? [cursor.at, cursor.id] : [])
    const page = rows.slice(0, limit)
    const kept = page.map(read)
    const unreadable = kept.flatMap(each => each instanceof UnreadableRecord ? [each.submission] : [])
    const last = page.at(-1)
    return {
      submissions: kept.flatMap(each => each instanceof UnreadableRecord ? [] : [each]),
      ...unreadable.length > 0 && { unreadable },
      total: this.db.get<{ count: number }>('SELECT count(*) AS count FROM submissions WHERE list = ?', list)!.count,
      cursor: last && rows.length > limit ? cursorAt(last.received, last.id) : null,
    }
  }
}

/** Returns the submission with its stored content; null if that cannot be read. */
function readContent(next: Submission, text: string, parse: ReadingOptions['parse']): Submission | null {
  try {
    return { ...next, ...contentIn(text, parse) }
  }
  catch {
    return null
  }
}
