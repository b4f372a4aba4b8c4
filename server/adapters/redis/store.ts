import type { OpenPage, SubmissionStore } from '../../ports/store'
import type { AuditLine, Submission } from '../../ports/submission'
import { CALL_TIMEOUT_MS, createCalls, type Calls } from './calls'
import { bounded, type RedisClient } from './client'
import { LEASE, PAGE, PUT, READ, REMOVE, run } from './scripts'

/** What the store has to know of the lifecycle. */
interface RedisStoreOptions {
  /** When the submission is due next, epoch ms. */
  nextAttention: (submission: Submission) => number
  /** When its form data has to be gone, epoch ms. */
  dataLivesUntil: (submission: Submission) => number
}

const DAY_MS = 24 * 60 * 60 * 1000
/** The record, which has no form data, outlives the data so that its cards can still be told of the expiry. */
const RECORD_GRACE_MS = DAY_MS
/** How long an idempotency key is held. */
const IDEMPOTENCY_TTL_MS = DAY_MS
const AUDIT_TTL_MS = 30 * DAY_MS
const AUDIT_LINES = 10_000

// One hash tag: in a cluster all keys live in one slot, so that one script may touch several.
const OPEN = '{triage}:open'
const DUE = '{triage}:due'
const AUDIT = '{triage}:audit'
const recordKey = (id: string) => `{triage}:s:${id}`
const dataKey = (id: string) => `{triage}:d:${id}`
const idempotencyKeyOf = (digest: string) => `{triage}:i:${digest}`

/** Keeps submissions in Redis, shared by all replicas. Form data is a key of its own, which Redis deletes on time. */
export class RedisStore implements SubmissionStore {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient, private readonly options: RedisStoreOptions) {
    this.calls = createCalls(client)
  }

  async create(submission: Submission, idempotencyKey?: string): Promise<string> {
    const stored = await this.put('', submission, 'set', idempotencyKey)
    if (stored === 0) throw new Error(`Submission ${submission.id} exists already`)
    return typeof stored === 'string' ? stored : submission.id
  }

  async get(id: string): Promise<Submission | null> {
    const [submission] = await this.call(() => this.read([id]))
    return submission ?? null
  }

  async replace(previous: Submission, next: Submission): Promise<boolean> {
    const data = next.data === null ? 'erase' : next.data === previous.data ? 'keep' : 'set'
    return await this.put(String(previous.version), next, data) === 1
  }

  async remove({ id, version }: Submission, audit: AuditLine): Promise<boolean> {
    const keys = [recordKey(id), dataKey(id), OPEN, DUE, AUDIT]
    const args = [id, version, JSON.stringify(audit), audit.at, AUDIT_TTL_MS, AUDIT_LINES]
    return await this.call(() => run(this.client, REMOVE, keys, args.map(String))) === 1
  }

  async lease(now: number, until: number, limit: number): Promise<string[]> {
    return await this.call(() => run(this.client, LEASE, [DUE], [now, until, limit].map(String))) as string[]
  }

  async forget(id: string): Promise<void> {
    await this.call(() => Promise.all([this.client.zRem(OPEN, id), this.client.zRem(DUE, id)]))
  }

  listOpen({ limit, before = '' }: { limit: number, before?: string }): Promise<OpenPage> {
    return this.call(async () => {
      const [, score = '', id = ''] = /^(\d{1,16})-(.+)$/.exec(before) ?? []
      const [total, more, places] = await run(this.client, PAGE, [OPEN], [String(limit), score, id]) as [number, number, string[]]
      const found = await this.read(places.filter((_, index) => index % 2 === 0))
      return {
        // Somebody may have decided between the two round trips.
        submissions: found.filter(submission => submission?.state === 'open') as Submission[],
        total,
        cursor: more ? `${places.at(-1)}-${places.at(-2)}` : null,
      }
    })
  }

  async audit(limit: number): Promise<AuditLine[]> {
    const lines = await this.call(() => this.client.zRange(AUDIT, '+inf', '-inf', { BY: 'SCORE', REV: true, LIMIT: { offset: 0, count: limit } }))
    return lines.map(line => JSON.parse(line) as AuditLine)
  }

  async ping(): Promise<void> {
    await this.call(() => this.client.ping())
  }

  /** Closes the client, for everybody who shares it. */
  async close(): Promise<void> {
    // A client closed in the middle of its first attempt would leave the socket open.
    await bounded(this.calls.started, CALL_TIMEOUT_MS).catch(() => { /* Then there is no socket to leave. */ })
    if (!this.client.isOpen) return
    await bounded(this.client.close(), CALL_TIMEOUT_MS).catch(() => this.client.destroy())
  }

  /** 1 when `next` is stored, 0 when another version is, or the id that holds the idempotency key. */
  private async put(expected: string, next: Submission, data: 'set' | 'keep' | 'erase', idempotencyKey?: string): Promise<unknown> {
    const { id, version, state, receivedAt } = next
    const end = this.options.dataLivesUntil(next)
    const due = this.options.nextAttention(next)
    const args = [
      id, expected, version, JSON.stringify({ ...next, data: undefined }), end + RECORD_GRACE_MS,
      data, data === 'set' ? JSON.stringify(next.data) : '', end,
      state === 'open' ? receivedAt : '', Number.isFinite(due) ? due : '', IDEMPOTENCY_TTL_MS,
    ]
    const keys = [recordKey(id), dataKey(id), OPEN, DUE, ...idempotencyKey ? [idempotencyKeyOf(idempotencyKey)] : []]
    return this.call(() => run(this.client, PUT, keys, args.map(String)))
  }

  private async read(ids: string[]): Promise<(Submission | null)[]> {
    if (ids.length === 0) return []
    const found = await run(this.client, READ, ids.flatMap(id => [recordKey(id), dataKey(id)]), []) as (string | null)[]
    return ids.map((_, index) => parse(found[2 * index] ?? null, found[2 * index + 1] ?? null))
  }

  private call<T>(command: () => Promise<T>): Promise<T> {
    return this.calls.call(command)
  }
}

function parse(record: string | null, data: string | null): Submission | null {
  return record === null ? null : { ...JSON.parse(record), data: data === null ? null : JSON.parse(data) }
}
