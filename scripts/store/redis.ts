import { createClient } from 'redis'
import { AUDIT_TTL_MS } from '../../shared/lifetimes'
import { jsonIn } from '../../shared/utils/json'
import { StoreUnusable, type List } from '../../server/ports/store'
import type { Columns, CopiedTable, StoreCopy, StoredRow } from './rows'
import { DUE as APPROVALS_DUE, turnKey } from '../../server/adapters/redis/approvals'
import { keyOf, NOTICES, queueKeys } from '../../server/adapters/redis/card-queue'
import { COPY_NAME, COPYING, isOurConnection, type RedisClient } from '../../server/adapters/redis/connection/client'
import { countKey } from '../../server/adapters/redis/limiter'
import { queueKey, THREADS } from '../../server/adapters/redis/message-queue'
import { oldTrace } from '../../server/adapters/redis/store/old-traces'
import {
  AUDIT, dataKey, draftsKey, DUE, idempotencyKeyOf, INDEXES, LISTS, recordKey, tallyKey,
} from '../../server/adapters/redis/store/record'
import { REVISION } from '../../server/adapters/redis/store/scripts'
import { fieldOf, textAt } from '../../server/adapters/redis/storage'

/** Keys that Redis looks at for a page, and rows of a page of one key. */
const PAGE_KEYS = 100

/** All keys of a service. Chat SDK's locks are not copied. */
const OURS = ['{triage}:*', 'chat-sdk:*']
const NO_CONTENT = /^(?:\{triage\}|chat-sdk):(?:probe|copying$|lock:)/
const SUBSCRIPTIONS = 'chat-sdk:subscriptions'
const chatKey = (kind: string, key: string) => `chat-sdk:${kind}:${key}`

/** End of a key without one, in a table whose rows have one: no store keeps anything for so long. */
const NEVER = Number.MAX_SAFE_INTEGER

type Read = (redis: RedisClient, key: string, rest: string, until: number) => Promise<StoredRow[]>

const row = (table: CopiedTable, values: Partial<Columns>): StoredRow => ({ table, values })

/** Readers by the beginning of the key. Keys that none reads, such as indexes, have no content of their own. */
const READERS: Readonly<Record<string, Read>> = {
  '{triage}:s:': (redis, _, id, until) => readSubmission(redis, id, until),
  '{triage}:t:': async (redis, _, id) => {
    await oldTrace(redis, id)
    return readSubmission(redis, id, await redis.pExpireTime(recordKey(id)))
  },
  '{triage}:tally:': async (redis, key, hour, until) => Object.entries(await redis.hGetAll(key)).map(
    ([event, count]) => row('tallies', { hour: Number(hour), event, count: Number(count), until }),
  ),
  '{triage}:i:': async (redis, key, rest, until) => {
    const holder = await redis.get(key)
    return holder === null ? [] : [row('idempotency', { key: rest, holder, until })]
  },
  '{triage}:id': readPair,
  '{triage}:installation:': readPair,
  '{triage}:test-email:': readPair,
  '{triage}:health': readPairs,
  '{triage}:incident': readPairs,
  '{triage}:rate:': async (redis, key, client, until) => {
    const count = await redis.get(key)
    return count === null ? [] : [row('counts', { client, count: Number(count), until })]
  },
  '{triage}:line:': readQueue,
  '{triage}:approval:': async (redis, key, id, until) => {
    const [{ turn, count, cards, taken, ...decisions }, due] = await Promise.all([
      redis.hGetAll(key), redis.zScore(APPROVALS_DUE, id),
    ])
    if (turn === undefined) return []
    const listOf = (textAt: (call: number) => string | undefined) => (
      `[${Array.from({ length: Number(count) }, (_, call) => textAt(call) ?? 'null').join()}]`
    )
    return [row('approvals', {
      id, turn, cards: cards ?? listOf(() => undefined), verdicts: listOf(call => decisions[call]),
      taken: Number(taken ?? 0), due, until,
    })]
  },
  '{triage}:conversation:': async (redis, key, thread, until) => {
    const [messages, moved] = await Promise.all([redis.lRange(key, 0, -1), redis.zScore(THREADS, thread)])
    if (messages.length === 0) return []
    return [...messages.map(text => (
      row('messages', { thread, message: text.slice(1), attempt: Number(text[0]), until })
    )), row('threads', { thread, moved: moved ?? 0, until })]
  },
  'chat-sdk:cache:': async (redis, key, rest, until) => {
    const value = await redis.get(key)
    return value === null ? [] : [row('chat_values', { key: rest, value, until: until === NEVER ? null : until })]
  },
  'chat-sdk:list:': (redis, _, key, until) => readList(redis, 'list', key, until),
  'chat-sdk:queue:': (redis, _, key, until) => readList(redis, 'queue', key, until),
}

async function readSubmission(redis: RedisClient, id: string, until: number): Promise<StoredRow[]> {
  const scoreOf = (index: string) => redis.zScore(index, id)
  const [{ v, r }, text, contentEnd, drafts, draftsEnd, due, stuck, taken, retrying, ...scores] = await Promise.all([
    redis.hGetAll(recordKey(id)), redis.get(dataKey(id)), redis.pExpireTime(dataKey(id)), redis.hGetAll(draftsKey(id)),
    redis.pExpireTime(draftsKey(id)),
    ...[DUE, INDEXES.stuck, INDEXES.taken, INDEXES.retrying, ...Object.values(LISTS)].map(scoreOf),
  ] as const)
  if (v === undefined || r === undefined) return []
  const at = scores.findIndex(score => score !== null)
  const submission = row('submissions', {
    id, version: Number(v), record: r, text, until, content_until: text === null ? until : contentEnd,
    received: scores[at] ?? (jsonIn(r) as { receivedAt?: number } | undefined)?.receivedAt ?? 0,
    list: (Object.keys(LISTS) as List[])[at] ?? null, due, stuck: Number(stuck !== null), taken: Number(taken !== null),
    retrying: Number(retrying !== null),
  })
  return [submission, ...Object.entries(drafts).map(
    ([draft, draftText]) => row('drafts', { id, draft, text: draftText, until: draftsEnd }),
  )]
}

/** Reads the queue of a room, its gate or a notice. The first cards of a ms entered after their submission. */
async function readQueue(redis: RedisClient, key: string, rest: string, until: number): Promise<StoredRow[]> {
  const end = rest.lastIndexOf(':')
  const [room, name] = [rest.slice(0, end), rest.slice(end + 1)]
  const about = (Object.keys(NOTICES) as (keyof typeof NOTICES)[]).find(each => NOTICES[each] === name)
  if (about) return [row('notices', { room, about, until })]
  if (name === 'gate') return [row('gates', { room, until })]
  const cards = await redis.zRangeWithScores(key, 0, -1)
  return [...Map.groupBy(cards, ({ score }) => Math.floor(score / 1000))].flatMap(([at, sameMs]) => (
    sameMs.map(({ value, score }, index) => (
      row('cards', { room, id: value, at, stored: score % 1000 === 0 ? 0 : 1, seq: index + 1 })
    ))
  ))
}

async function readPair(redis: RedisClient, key: string, _: string, until: number): Promise<StoredRow[]> {
  const value = await textAt(redis, key)
  return value === null ? [] : [row('pairs', { key: pairKey(key), value, until: until === NEVER ? null : until })]
}

/** Reads values that share a hash; with a `rest`, the key is another one, of an earlier version. */
async function readPairs(redis: RedisClient, key: string, rest: string): Promise<StoredRow[]> {
  if (rest !== '') return []
  return Object.entries(await redis.hGetAll(key)).map(([field, value]) => (
    row('pairs', { key: `${pairKey(key)}:${field}`, value, until: null })
  ))
}

const pairKey = (key: string) => key.slice('{triage}:'.length)

async function readList(redis: RedisClient, kind: string, key: string, until: number): Promise<StoredRow[]> {
  const values = await redis.lRange(chatKey(kind, key), 0, -1)
  return values.map(value => row('chat_lists', { kind, key, value, until: until === NEVER ? null : until }))
}

type Write = (redis: RedisClient, values: Columns) => Promise<unknown>[]

const WRITERS: Readonly<Record<CopiedTable, Write>> = {
  submissions: (redis, { id, version, record, received, list, due, stuck, taken, retrying, text, ...ends }) => {
    const indexed = {
      [LISTS[list ?? 'pending']]: list !== null, [INDEXES.stuck]: stuck === 1, [INDEXES.taken]: taken === 1,
      [INDEXES.retrying]: retrying === 1,
    }
    return [
      redis.hSet(recordKey(id), { v: version, r: record }), redis.pExpireAt(recordKey(id), ends.until!),
      ...text === null ? [] : [redis.set(dataKey(id), text, { PXAT: ends.content_until })],
      ...due === null ? [] : [redis.zAdd(DUE, { score: due, value: id })],
      ...Object.entries(indexed).flatMap(([index, isIn]) => (
        isIn ? [redis.zAdd(index, { score: received, value: id })] : []
      )),
    ]
  },
  drafts: (redis, { id, draft, text, until }) => [
    redis.hSet(draftsKey(id), draft, text!), redis.pExpireAt(draftsKey(id), until!),
  ],
  audit: (redis, { at, line, until }) => [
    redis.zAdd(AUDIT, { score: at, value: line }), redis.pExpireAt(AUDIT, until!),
  ],
  tallies: (redis, { hour, event, count, until }) => [
    redis.hSet(tallyKey(hour), event, count), redis.pExpireAt(tallyKey(hour), until!),
  ],
  idempotency: (redis, { key, holder, until }) => [redis.set(idempotencyKeyOf(key), holder, { PXAT: until! })],
  counts: (redis, { client, count, until }) => [redis.set(countKey(client), String(count), { PXAT: until! })],
  cards: (redis, { room, at, stored, seq, id }) => [
    redis.zAdd(queueKeys(room)[0]!, { score: at * 1000 + (stored ? Math.min(seq, 999) : 0), value: id }),
  ],
  gates: (redis, { room, until }) => [redis.set(queueKeys(room)[1]!, '1', { PXAT: until! })],
  notices: (redis, { room, about, until }) => [
    redis.set(keyOf(room, NOTICES[about as keyof typeof NOTICES]), '1', { PXAT: until! }),
  ],
  approvals: (redis, { id, turn, verdicts, cards, taken, due, until }) => {
    const list = JSON.parse(verdicts) as unknown[]
    const decisions = list.flatMap((each, call) => each === null ? [] : [[String(call), JSON.stringify(each)] as const])
    const fields = { turn, count: list.length, cards, ...taken && { taken: '1' }, ...Object.fromEntries(decisions) }
    return [
      redis.hSet(turnKey(id), fields), redis.pExpireAt(turnKey(id), until!),
      ...due === null ? [] : [redis.zAdd(APPROVALS_DUE, { score: due, value: id })],
    ]
  },
  messages: (redis, { thread, message, attempt, until }) => [
    redis.rPush(queueKey(thread), `${Math.min(attempt, 9)}${message}`), redis.pExpireAt(queueKey(thread), until!),
  ],
  threads: (redis, { thread, moved }) => [redis.zAdd(THREADS, { score: moved, value: thread })],
  pairs: (redis, { key, value, until }) => {
    const { name, field } = fieldOf(key)
    return [field ? redis.hSet(name, field, value) : redis.set(name, value, until === null ? {} : { PXAT: until })]
  },
  chat_values: (redis, { key, value, until }) => [
    redis.set(chatKey('cache', key), value, until === null ? {} : { PXAT: until }),
  ],
  chat_subscriptions: (redis, { thread }) => [redis.sAdd(SUBSCRIPTIONS, thread)],
  chat_lists: (redis, { kind, key, value, until }) => [
    redis.rPush(chatKey(kind, key), value), ...until === null ? [] : [redis.pExpireAt(chatKey(kind, key), until)],
  ],
}

/**
 * Opens a Redis for a copy. A target is marked until it is whole: no service takes it before.
 *
 * @throws StoreUnusable if nobody may see who uses it; errors of the connection
 */
export async function openRedisCopy(url: string): Promise<StoreCopy> {
  const redis = createClient({ url, socket: { reconnectStrategy: false } }) as RedisClient
  redis.on('error', () => { /* The command that fails says so. */ })
  await redis.connect()
  const ownId = await redis.clientSetName(COPY_NAME).then(() => redis.clientId())
  return {
    async* rows() {
      yield* scanned(redis)
      for (let start = 0; ; start += PAGE_KEYS) {
        const lines = await redis.zRangeWithScores(AUDIT, start, start + PAGE_KEYS - 1)
        if (lines.length === 0) break
        yield lines.map(({ value, score }) => row('audit', { at: score, line: value, until: score + AUDIT_TTL_MS }))
      }
      for await (const threads of redis.sScanIterator(SUBSCRIPTIONS)) {
        yield threads.map(thread => row('chat_subscriptions', { thread }))
      }
    },
    async write(rows) {
      await Promise.all(rows.flatMap(({ table, values }) => WRITERS[table](redis, values as Columns)))
    },
    async isUsed() {
      const { db } = await redis.clientInfo()
      return (await redis.clientList()).some(each => isOurConnection(each.name) && each.db === db && each.id !== ownId)
    },
    async begin() {
      const isHalf = await redis.exists(COPYING) === 1
      for await (const keys of keysOf(redis)) {
        if (!isHalf) throw new StoreUnusable(`${hostOf(url)} is not empty. Name an empty database of Redis.`)
        if (keys.length > 0) await redis.unlink(keys)
      }
      // A page that is open compares revisions: the next one has to differ from all earlier ones.
      await Promise.all([redis.set(COPYING, '1'), redis.set(REVISION, String(Date.now()))])
    },
    finish: async () => void await redis.del(COPYING),
    close: async () => redis.destroy(),
  }
}

const hostOf = (url: string) => new URL(url).host + new URL(url).pathname

/** Yields pages of keys that have content. Redis may return a key twice. */
async function* keysOf(redis: RedisClient): AsyncIterable<string[]> {
  const seen = new Set<string>()
  for (const MATCH of OURS) {
    for await (const found of redis.scanIterator({ MATCH, COUNT: PAGE_KEYS })) {
      const keys = found.filter(key => !seen.has(key) && !NO_CONTENT.test(key))
      keys.forEach(key => seen.add(key))
      if (keys.length > 0) yield keys
    }
  }
}

async function* scanned(redis: RedisClient): AsyncIterable<StoredRow[]> {
  for await (const keys of keysOf(redis)) {
    const pages = await Promise.all(keys.map(async (key) => {
      const start = Object.keys(READERS).find(each => key.startsWith(each))
      const until = await redis.pExpireTime(key)
      // It may have ended since it was found.
      if (start === undefined || until === -2) return []
      return READERS[start]!(redis, key, key.slice(start.length), until === -1 ? NEVER : until)
    }))
    yield pages.flat()
  }
}
