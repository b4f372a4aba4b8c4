import {
  AUDIT_TTL_MS, IDEMPOTENCY_TTL_MS, RECORD_GRACE_MS, TRACE_TTL_MS, tallyHours,
} from '../../../../shared/lifetimes'
import { jsonIn } from '../../../../shared/utils/json'
import { LimitReached } from '../../../ports/limiter'
import {
  keyHolder, isComplete, UnreadableRecord, type Backlog, type Created, type CreateOptions, type HourTally, type
  PageRequest, type PendingPage, type StoreRules, type StoreWatcher, type SubmissionStore,
} from '../../../ports/store'
import { contentIn, recordIn, recordOf, serializeContent } from '../../../ports/stored-text'
import type { AuditLine, Submission, SubmissionRecord } from '../../../ports/submission'
import { REDIS_TIMEOUT_MS, createCalls, type Calls, lease, run } from '../connection/calls'
import { queueKeys } from '../card-queue'
import { RedisChanges } from './changes'
import { boundedCall, refusedBefore, tryWrite, whyUnconnected, type RedisClient } from '../connection/client'
import { clockOf } from '../connection/clock'
import { countKey } from '../limiter'
import { RecordReader, type ReaderOptions } from './reader'
import {
  AUDIT, changesChannel, dataKey, draftsKey, DUE, idempotencyKeyOf, INDEXES, LISTS, recordKey, tallyKey,
} from './record'
import { refusalLine } from '../connection/refusals'
import { BACKLOG, CREATE, FORGET, PUT, REVISION } from './scripts'

/** Max records kept in memory, about half a megabyte: as many as are pending in most teams. */
const MOST_RECORDS = 500

interface RedisStoreOptions extends StoreRules, ReaderOptions {
  /** Max forms that each client may send; any number if absent. */
  limit?: { limit: number, windowS: number }
  /** Max MB stored for each sender; any number if absent. */
  limitMb?: { limit: number, windowS: number }
  /** Max quarantined submissions kept (state `held`); any number if absent. */
  heldMax?: number
}

/** Keeps submissions in Redis, shared by all replicas. Form data has its own key, which Redis deletes on time. */
export class RedisStore implements SubmissionStore {
  private readonly calls: Calls
  private readonly call: Calls['call']
  private readonly changes: RedisChanges
  /** Records that this process stored last, as text. */
  private readonly records = new Map<string, string>()
  private readonly reader: RecordReader

  constructor(private readonly client: RedisClient, private readonly options: RedisStoreOptions) {
    this.calls = createCalls(client)
    this.call = this.calls.call
    this.changes = new RedisChanges(client)
    this.reader = new RecordReader(client, options)
  }

  async create(
    submission: Submission, { idempotencyKey, fingerprint, client, sender, queues = [] }: CreateOptions = {},
  ): Promise<Created> {
    const { id, version, receivedAt } = submission
    const dataEnd = this.options.dataLivesUntil(submission)
    const limit = client === undefined ? undefined : this.options.limit
    const limitMb = sender === undefined ? undefined : this.options.limitMb
    const isQuarantined = submission.state === 'held'
    const keys = {
      record: recordKey(id), data: dataKey(id), list: LISTS[isQuarantined ? 'held' : 'pending'], due: DUE,
      tally: tallyKey(receivedAt), idempotency: idempotencyKey ? idempotencyKeyOf(idempotencyKey) : DUE,
      sends: limit ? countKey(client!) : DUE, sentBytes: limitMb ? countKey(`bytes:${sender}`) : DUE,
    }
    const args = {
      id, version, recordText: recordOf(submission), recordEnd: dataEnd + RECORD_GRACE_MS,
      dataText: serializeContent(submission), dataEnd, score: receivedAt, dueAt: this.dueOf(submission),
      heldFor: idempotencyKey ? IDEMPOTENCY_TTL_MS : '', holderText: fingerprint ? `${id} ${fingerprint}` : id,
      limit: limit?.limit ?? '', window: (limit?.windowS ?? 0) * 1000,
      byteLimit: limitMb ? limitMb.limit * 2 ** 20 : '', byteWindow: (limitMb?.windowS ?? 0) * 1000,
      most: (isQuarantined ? this.options.heldMax : undefined) ?? '',
      recordPrefix: recordKey(''), dataPrefix: dataKey(''), channel: changesChannel(this.client),
    }
    const reply = await this.calls.runNamed(CREATE, keys, args, {
      keys: queues.flatMap(({ room }) => queueKeys(room)), args: queues.map(({ intervalMs }) => intervalMs),
    }) as string | number | number[]
    if (typeof reply === 'string') return { id: keyHolder(reply, fingerprint), places: [] }
    if (typeof reply === 'object') {
      const [firstPlace = 0] = reply
      if (firstPlace < 0) throw new LimitReached(-firstPlace, limitMb!.limit)
      return { id, places: reply }
    }
    if (reply < 0) throw new LimitReached(-reply)
    throw new Error(`Submission ${id} exists already`)
  }

  async get(id: string): Promise<Submission | null> {
    const [submission = null] = await this.call(() => this.reader.all([id]))
    if (submission instanceof UnreadableRecord) throw submission
    return submission
  }

  recall(id: string): SubmissionRecord | null {
    const record = this.records.get(id)
    return record === undefined ? null : recordIn(record)
  }

  async replace(previous: SubmissionRecord, next: Submission, audit?: AuditLine): Promise<Submission | null> {
    const { id, version } = next
    const { listOf, isIn, isOver, dataLivesUntil } = this.options
    const keys = {
      record: recordKey(id), data: dataKey(id),
      from: LISTS[listOf(previous) ?? 'pending'], to: LISTS[listOf(next) ?? 'pending'], due: DUE,
      ...INDEXES, audit: AUDIT, tally: tallyKey(audit?.at ?? next.receivedAt), drafts: draftsKey(id),
    }
    const getPlacement = (rule: StoreRules['isOver' | 'listOf']) => (
      rule(next) === rule(previous) ? 'stay' : rule(next) ? next.receivedAt : ''
    )
    const commonArgs = {
      id, expected: previous.version, score: getPlacement(listOf), dueAt: this.dueOf(next),
      stuckAt: getPlacement(isIn.stuck), takenAt: getPlacement(isIn.taken),
      // An earlier version did not keep this index: add what it has left out at its next attempt.
      retryingAt: isIn.retrying(next) ? next.receivedAt : getPlacement(isIn.retrying),
      channel: changesChannel(this.client), ...lineOf(audit),
    }
    // Keep a trace, or a submission that was one, for a week from now, whatever its age.
    const traceEnd = clockOf(this.client).now() + TRACE_TTL_MS
    const leastEnd = isOver(previous) ? traceEnd : 0
    const isSame = isComplete(previous) && next.data === previous.data && next.before === previous.before
    const keeping = next.data === null ? 'erase' : !isComplete(previous) ? 'read' : isSame ? 'keep' : 'set'
    const dataEnd = dataLivesUntil(next)
    const isSameEnd = dataEnd === dataLivesUntil(previous) && leastEnd === 0
    const openEnd = isSameEnd ? '' : Math.max(dataEnd + RECORD_GRACE_MS, leastEnd)
    const recordEnd = isOver(next) ? traceEnd : openEnd
    const recordText = recordOf(next)
    this.records.delete(id)
    const storedSubmission = this.resolveStored(next, await this.calls.runNamed(PUT, keys, {
      ...commonArgs, version, recordText, recordEnd, keeping,
      dataText: keeping === 'set' ? serializeContent(next) : '', dataEnd,
    }))
    if (storedSubmission && !isOver(next)) this.records.set(id, recordText)
    if (this.records.size > MOST_RECORDS) this.records.delete(this.records.keys().next().value!)
    return storedSubmission
  }

  lease(leaseMs: number, limit: number): Promise<string[]> {
    return this.call(() => lease(this.client, DUE, leaseMs, limit))
  }

  upcoming(until: number, limit: number): Promise<string[]> {
    return this.call(() => this.client.zRangeByScore(DUE, '-inf', until, { LIMIT: { offset: 0, count: limit } }))
  }

  async forget(id: string, erased?: Pick<AuditLine, 'reviewer' | 'at'>): Promise<void> {
    const indexes = { ...LISTS, ...INDEXES, due: DUE, drafts: draftsKey(id) }
    const receivedAt = erased && (await this.loadListedAt(id) ?? erased.at)
    const line = erased && { id, outcome: 'erased' as const, ...erased, receivedAt: receivedAt! }
    await this.calls.runNamed(
      FORGET, { record: recordKey(id), data: dataKey(id), ...indexes, audit: AUDIT, tally: tallyKey(line?.at ?? 0) },
      { id, ...lineOf(line), channel: changesChannel(this.client) },
    )
  }

  listPending(page: PageRequest): Promise<PendingPage> {
    return this.call(() => this.reader.page(page, ids => this.reader.all(ids)))
  }

  listRecords(page: PageRequest): Promise<PendingPage<SubmissionRecord>> {
    return this.call(() => this.reader.page(page, ids => this.reader.records(ids)))
  }

  audit(limit: number, since = -Infinity): Promise<AuditLine[]> {
    return readAudit(this.client, this.calls, limit, since)
  }

  tally(now: number): Promise<HourTally[]> {
    return this.call(async () => {
      const hours = tallyHours(now)
      const tallies = await Promise.all(hours.map(hour => this.client.hGetAll(tallyKey(hour))))
      return hours.map((hour, index) => ({
        hour, counts: Object.fromEntries(Object.entries(tallies[index]!).map(([name, count]) => [name, Number(count)])),
      }))
    })
  }

  backlog(now: number): Promise<Backlog> {
    return this.call(async () => {
      const keys = [LISTS.pending, DUE, INDEXES.stuck]
      const reply = await run(this.client, BACKLOG, keys, [String(now)]) as (number | string)[]
      const [pending, oldestAt, overdue, overdueSince, stuck] = reply.map(each => each === '' ? null : Number(each))
      return { pending, oldestAt, overdue, overdueSince, stuck } as Backlog
    })
  }

  stuck(limit: number): Promise<string[]> {
    return this.call(() => this.client.zRange(INDEXES.stuck, 0, limit - 1))
  }

  revision(): Promise<string> {
    return this.call(async () => await this.client.get(REVISION) ?? '0')
  }

  watch(watcher: StoreWatcher): () => void {
    return this.changes.watch(watcher)
  }

  async check(): Promise<string | null> {
    return this.call(() => tryWrite(this.client)).then(() => null, (error: unknown) => {
      const refusal = refusalLine(error) ?? refusalLine(refusedBefore(this.client)) ?? whyUnconnected(this.client)
      if (refusal === undefined) throw error
      return refusal
    })
  }

  /** Closes the client, for everybody who shares it. */
  async close(): Promise<void> {
    this.changes.close()
    // A client closed during its first attempt to connect would leave the socket open.
    await boundedCall(this.calls.started, REDIS_TIMEOUT_MS).catch(() => { /* Then there is no socket. */ })
    // Answers come in order: this one arrives after those of all earlier calls.
    await boundedCall(this.client.ping(), REDIS_TIMEOUT_MS).catch(() => { /* Nothing to wait for, or no answer. */ })
    if (this.client.isOpen) this.client.destroy()
  }

  /** Returns the time at which a submission came in, from the list that it is in. */
  private async loadListedAt(id: string): Promise<number | undefined> {
    const scores = await this.call(() => Promise.all(Object.values(LISTS).map(list => this.client.zScore(list, id))))
    return scores.find(score => score !== null) ?? undefined
  }

  /** Returns the score in the index of due work; '' for none. */
  private dueOf(submission: Submission): number | '' {
    const due = this.options.nextAttention(submission)
    return Number.isFinite(due) ? due : ''
  }

  /** Returns the submission that a compare-and-set stored, or null. */
  private resolveStored(next: Submission, reply: unknown): Submission | null {
    if (typeof reply === 'string') return { ...next, ...contentIn(reply, this.options.parse) }
    return reply === 1 ? next : null
  }
}

/** Maximum of audit lines, about 20 MB. Teams with more in `AUDIT_TTL_MS` have to export them in time. */
const AUDIT_LINES = 100_000

/** Audit lines per read, some 400 KB. On a slow connection, reading the whole trail could time out. */
const PAGE_SIZE = 2000

/**
 * Returns the newest lines since `since`, newest first. Lines added during the read do not shift the others. A line
 * that cannot be read is skipped.
 */
async function readAudit(
  client: RedisClient, { call }: Calls, limit: number, since: number,
): Promise<AuditLine[]> {
  const lines: { at: number, line: AuditLine | undefined }[] = []
  for (;;) {
    const lastAt = lines.at(-1)?.at
    // Several lines may have the same time. Skip those that are already read.
    const offset = lines.length - 1 - lines.findLastIndex(({ at }) => at !== lastAt)
    const count = Math.min(limit - lines.length, PAGE_SIZE)
    const page = await call(() => client.zRangeWithScores(
      AUDIT, lastAt ?? '+inf', since, { BY: 'SCORE', REV: true, LIMIT: { offset, count } },
    ))
    lines.push(...page.map(({ value, score }) => ({ at: score, line: jsonIn(value) as AuditLine | undefined })))
    if (page.length < count || lines.length === limit) return lines.flatMap(({ line }) => line ?? [])
  }
}

/** Returns the script arguments for an audit line, or for none. */
function lineOf(audit: AuditLine | undefined) {
  const line = audit ? JSON.stringify(audit) : ''
  return { outcome: audit?.outcome ?? '', line, lineAt: audit?.at ?? '', lineAge: AUDIT_TTL_MS, mostLines: AUDIT_LINES }
}
