import type { Leaving } from '../../ports/card-queue'
import { LimitReached } from '../../ports/limiter'
import type {
  Backlog, HourTally, PendingPage, StoreRules, StoreWatcher, SubmissionStore, Created, CreateOptions,
} from '../../ports/store'
import type { AuditLine, Submission } from '../../ports/submission'
import { pauseOf, queueKeys } from './card-queue'
import { CALL_TIMEOUT_MS, createCalls, type Calls } from './calls'
import { RedisChanges } from './changes'
import { bounded, refusedBefore, tryWrite, type RedisClient } from './client'
import { countKey } from './limiter'
import { lease, run } from './lua'
import { BACKLOG, CREATE, PAGE, PUT, READ, REMOVE } from './scripts'
import { refusalLine } from './refusals'

interface RedisStoreOptions extends StoreRules {
  /** How many forms each client may send; any number when absent. */
  limit?: { limit: number, windowS: number }
  /** How many held submissions are kept; any number when absent. */
  heldMax?: number
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS
/** The record, by then without form data, stays a week, in which its cards are told of the end, and a day. */
const RECORD_GRACE_MS = 8 * DAY_MS
/** How long an idempotency key is held. */
const IDEMPOTENCY_TTL_MS = DAY_MS
const AUDIT_TTL_MS = 30 * DAY_MS
/** About 20 MB; who decides more than that in 30 days exports in time. */
const AUDIT_LINES = 100_000

// One hash tag: in a cluster all keys live in one slot, so that one script may touch several.
const PENDING = '{triage}:pending'
const HELD = '{triage}:held'
const DUE = '{triage}:due'
const STUCK = '{triage}:stuck'
const AUDIT = '{triage}:audit'
const recordKey = (id: string) => `{triage}:s:${id}`
const dataKey = (id: string) => `{triage}:d:${id}`
const tallyKey = (at: number) => `{triage}:tally:${Math.floor(at / HOUR_MS) * HOUR_MS}`
const idempotencyKeyOf = (digest: string) => `{triage}:i:${digest}`

/** Keeps submissions in Redis, shared by all replicas. Form data is a key of its own, which Redis deletes on time. */
export class RedisStore implements SubmissionStore {
  private readonly calls: Calls
  private readonly call: Calls['call']
  private readonly changes: RedisChanges

  constructor(private readonly client: RedisClient, private readonly options: RedisStoreOptions) {
    this.calls = createCalls(client)
    this.call = this.calls.call
    this.changes = new RedisChanges(client)
  }

  async create(submission: Submission, { idempotencyKey, client, entry }: CreateOptions = {}): Promise<Created> {
    const { id, version, data, receivedAt } = submission
    const end = this.options.dataLivesUntil(submission)
    const limit = client === undefined ? undefined : this.options.limit
    const record = recordKey(id)
    const held = submission.state === 'held'
    const keys = [
      record, dataKey(id), held ? HELD : PENDING, DUE, tallyKey(receivedAt),
      idempotencyKey ? idempotencyKeyOf(idempotencyKey) : record,
      limit ? countKey(client!) : record, ...entry?.paces.flatMap(({ room }) => queueKeys(room)) ?? [],
    ]
    const args = [
      id, version, recordOf(submission), end + RECORD_GRACE_MS, JSON.stringify(data), end, receivedAt,
      this.dueOf(submission),
      idempotencyKey ? IDEMPOTENCY_TTL_MS : '', limit?.limit ?? '', (limit?.windowS ?? 0) * 1000,
      held ? this.options.heldMax ?? '' : '', recordKey(''), dataKey(''), entry?.leaseMs ?? '', ...entry?.paces.map(
        ({ intervalMs }) => intervalMs,
      ) ?? [],
    ]
    const stored = await this.call(() => run(this.client, CREATE, keys, args.map(String))) as string | number | number[]
    if (typeof stored === 'string') return { id: stored, places: [] }
    if (typeof stored === 'object') return { id, places: stored }
    if (stored < 0) throw new LimitReached(-stored)
    throw new Error(`Submission ${id} exists already`)
  }

  async get(id: string): Promise<Submission | null> {
    const [submission] = await this.call(() => this.read([id]))
    return submission ?? null
  }

  async replace(
    previous: Submission, next: Submission, audit?: AuditLine, leaving: readonly Leaving[] = [],
  ): Promise<boolean> {
    const { id, version } = next
    const data = next.data === null ? 'erase' : next.data === previous.data ? 'keep' : 'set'
    const end = this.options.dataLivesUntil(next)
    const recordEnd = end === this.options.dataLivesUntil(previous) ? '' : end + RECORD_GRACE_MS
    const keys = [
      recordKey(id), dataKey(id), PENDING, DUE, STUCK, AUDIT, tallyKey(audit?.at ?? next.receivedAt), HELD,
      ...leaving.flatMap(({ room }) => queueKeys(room)),
    ]
    const place = !isPending(next) ? '' : previous.state === 'held' ? next.receivedAt : 'stay'
    const args = [
      id, previous.version, version, recordOf(next), recordEnd, data, data === 'set' ? JSON.stringify(next.data) : '',
      end,
      place, this.dueOf(next), this.options.needsPerson(next) ? next.receivedAt : '', ...lineOf(audit),
      ...leaving.map(pauseOf),
    ]
    return await this.call(() => run(this.client, PUT, keys, args.map(String))) === 1
  }

  async remove(
    { id, version, receivedAt }: Submission, audit?: AuditLine, leaving: readonly Leaving[] = [],
  ): Promise<boolean> {
    const keys = [
      recordKey(id), dataKey(id), PENDING, DUE, STUCK, AUDIT, tallyKey(audit?.at ?? receivedAt), HELD,
      ...leaving.flatMap(({ room }) => queueKeys(room)),
    ]
    const args = [id, version, ...lineOf(audit), ...leaving.map(pauseOf)]
    return await this.call(() => run(this.client, REMOVE, keys, args.map(String))) === 1
  }

  lease(leaseMs: number, limit: number): Promise<string[]> {
    return this.call(() => lease(this.client, DUE, leaseMs, limit))
  }

  async forget(id: string): Promise<void> {
    await this.call(() => Promise.all([PENDING, HELD, DUE, STUCK].map(index => this.client.zRem(index, id))))
  }

  listPending({ limit, before = '', only }: {
    limit: number
    before?: string
    only?: 'stuck' | 'held'
  }): Promise<PendingPage> {
    return this.call(async () => {
      const [, score = '', id = ''] = /^(\d{1,16})-(.+)$/.exec(before) ?? []
      const [index, all] = only === 'held' ? [HELD, HELD] : [only === 'stuck' ? STUCK : PENDING, PENDING]
      const [total, more, places] = await run(
        this.client, PAGE, [index, all], [String(limit), score, id],
      ) as [number, number, string[]]
      const found = await this.read(places.filter((_, index) => index % 2 === 0))
      return {
        // It may have ended or been released between the two round trips.
        submissions: found.filter(
          submission => submission && (only === 'held' ? submission.state === 'held' : isPending(submission)),
        ) as Submission[],
        total,
        cursor: more ? `${places.at(-1)}-${places.at(-2)}` : null,
      }
    })
  }

  async audit(limit: number): Promise<AuditLine[]> {
    const lines = await this.call(
      () => this.client.zRange(AUDIT, '+inf', '-inf', { BY: 'SCORE', REV: true, LIMIT: { offset: 0, count: limit } }),
    )
    return lines.map(line => JSON.parse(line) as AuditLine)
  }

  tally(now: number): Promise<HourTally[]> {
    return this.call(async () => {
      const hours = Array.from(
        { length: 24 }, (_, index) => Math.floor(now / HOUR_MS) * HOUR_MS - (23 - index) * HOUR_MS,
      )
      const found = await Promise.all(hours.map(hour => this.client.hGetAll(tallyKey(hour))))
      return hours.map(
        (hour, index) => ({
          hour,
          counts: Object.fromEntries(Object.entries(found[index]!).map(([name, count]) => [name, Number(count)])),
        }),
      )
    })
  }

  backlog(now: number): Promise<Backlog> {
    return this.call(async () => {
      const [pending, oldest, overdue, stuck] = await run(
        this.client, BACKLOG, [PENDING, DUE, STUCK], [String(now)],
      ) as [number, string, number, number]
      return { pending, oldestAt: oldest === '' ? null : Number(oldest), overdue, stuck }
    })
  }

  stuck(limit: number): Promise<string[]> {
    return this.call(() => this.client.zRange(STUCK, 0, limit - 1))
  }

  watch(watcher: StoreWatcher): () => void {
    return this.changes.watch(watcher)
  }

  async check(): Promise<string | null> {
    try {
      await this.call(() => tryWrite(this.client))
      return null
    }
    catch (error) {
      const refusal = refusalLine(error) ?? refusalLine(refusedBefore(this.client))
      if (refusal === null) throw error
      return refusal
    }
  }

  /** Closes the client, for everybody who shares it. */
  async close(): Promise<void> {
    this.changes.close()
    // A client closed in the middle of its first attempt would leave the socket open.
    await bounded(this.calls.started, CALL_TIMEOUT_MS).catch(() => { /* Then there is no socket to leave. */ })
    if (!this.client.isOpen) return
    await bounded(this.client.close(), CALL_TIMEOUT_MS).catch(() => this.client.destroy())
  }

  /** Score in the index of what is due, '' for none. */
  private dueOf(submission: Submission): number | '' {
    const due = this.options.nextAttention(submission)
    return Number.isFinite(due) ? due : ''
  }

  private async read(ids: string[]): Promise<(Submission | null)[]> {
    if (ids.length === 0) return []
    const found = await run(this.client, READ, ids.flatMap(id => [recordKey(id), dataKey(id)]), []) as (string | null)[]
    return ids.map((_, index) => this.parse(found[2 * index] ?? null, found[2 * index + 1] ?? null))
  }

  private parse(record: string | null, data: string | null): Submission | null {
    return record === null ? null : { ...JSON.parse(record), data: data === null ? null : this.options.parse(data) }
  }
}

/** Everything but the form data, as text. */
function recordOf(submission: Submission): string {
  return JSON.stringify({ ...submission, data: undefined })
}

/** How the scripts take an audit line, or that there is none. */
function lineOf(audit: AuditLine | undefined) {
  return audit === undefined
    ? ['', '', '', '', '']
    : [audit.outcome, JSON.stringify(audit), audit.at, AUDIT_TTL_MS, AUDIT_LINES]
}

function isPending({ state }: Submission): boolean {
  return state === 'open' || state === 'settling'
}
