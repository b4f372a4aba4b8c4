import { createHash } from 'node:crypto'
import type { RedisClient } from './client'

/** A Lua script; Redis runs it as one atomic step. */
interface Script {
  source: string
  sha: string
}

/**
 * Runs a script in one round trip; in two when this Redis has not seen it yet (first use, restart, failover).
 * Not node-redis' `scripts` option: that changes the client's type, and the Chat SDK shares the client.
 */
export async function run(client: RedisClient, script: Script, keys: string[], args: string[]): Promise<unknown> {
  const options = { keys, arguments: args }
  try {
    return await client.evalSha(script.sha, options)
  }
  catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    return client.eval(script.source, options)
  }
}

/** Where every change is announced, by id. */
export const CHANGES = '{triage}:changes'

/**
 * What both writes do besides: an audit line with its count, and the announcement. Age counts from the newest line,
 * because the clocks of replicas differ.
 *
 * A count is kept for 25 hours after it last grew, so that the last 24 can always be told.
 */
const BOOKKEEPING = `
local function count(key, field)
  redis.call('HINCRBY', key, field, 1)
  redis.call('EXPIRE', key, 90000)
end
local function note(key, line, at, age, most)
  redis.call('ZADD', key, at, line)
  local newest = redis.call('ZREVRANGE', key, 0, 0, 'WITHSCORES')[2]
  redis.call('ZREMRANGEBYSCORE', key, '-inf', newest - age)
  redis.call('ZREMRANGEBYRANK', key, 0, -1 - most)
  redis.call('PEXPIREAT', key, newest + age)
end
`

/**
 * Compare-and-set of one submission and its places in the indexes. Returns 1, or 0 if another version is stored;
 * with an idempotency key that another submission holds, that one's id.
 *
 * KEYS record, data, pending, due, audit, this hour's counts, idempotency key (or none).
 * ARGV id, expected version ('' for none), version, record, its end, 'set' | 'keep' | 'erase', data, its end,
 * score in pending ('' for none), score in due ('' for none), what to count ('' for none), audit line ('' for none),
 * its time, how long lines are kept, most lines, how long the idempotency key is held.
 */
export const PUT = script(`${BOOKKEEPING}
local holder = KEYS[7] and redis.call('GET', KEYS[7])
if holder then return holder end
local stored = redis.call('HGET', KEYS[1], 'v') or ''
if stored ~= ARGV[2] then return 0 end
if KEYS[7] then redis.call('SET', KEYS[7], ARGV[1], 'PX', ARGV[16]) end
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'r', ARGV[4])
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
if ARGV[6] == 'set' then redis.call('SET', KEYS[2], ARGV[7]) end
if ARGV[6] == 'erase' then redis.call('DEL', KEYS[2]) end
redis.call('PEXPIREAT', KEYS[2], ARGV[8])
for i, score in ipairs({ ARGV[9], ARGV[10] }) do
  if score == '' then
    redis.call('ZREM', KEYS[2 + i], ARGV[1])
  else
    redis.call('ZADD', KEYS[2 + i], score, ARGV[1])
  end
end
if ARGV[11] ~= '' then count(KEYS[6], ARGV[11]) end
if ARGV[12] ~= '' then note(KEYS[5], ARGV[12], ARGV[13], ARGV[14], ARGV[15]) end
redis.call('PUBLISH', '${CHANGES}', ARGV[1])
return 1
`)

/**
 * Compare-and-set removal. Returns 1, or 0 if another version is stored.
 *
 * KEYS record, data, pending, due, audit, this hour's counts.
 * ARGV id, expected version, what to count, audit line, its time, how long lines are kept, most lines.
 */
export const REMOVE = script(`${BOOKKEEPING}
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
count(KEYS[6], ARGV[3])
note(KEYS[5], ARGV[4], ARGV[5], ARGV[6], ARGV[7])
redis.call('PUBLISH', '${CHANGES}', ARGV[1])
return 1
`)

/**
 * Record and data of many submissions as of one moment: [record, data, record, data, …], nil where there is none.
 *
 * KEYS record, data, record, data, …
 */
export const READ = script(`
local found = {}
for i = 1, #KEYS, 2 do
  found[i] = redis.call('HGET', KEYS[i], 'r')
  found[i + 1] = redis.call('GET', KEYS[i + 1])
end
return found
`)

/**
 * Hands out what is due and puts it off, so that nobody else is handed it.
 *
 * KEYS due. ARGV now, until, limit.
 */
export const LEASE = script(`
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[3])
for _, id in ipairs(ids) do redis.call('ZADD', KEYS[1], 'XX', ARGV[2], id) end
return ids
`)

/**
 * A page of the pending ones, newest first: [total, whether more follow, [id, score, id, score, …]].
 * The cursor is a place (score and id), not a rank: what left the list is put back for a moment to see where it was.
 * So a page starts exactly below the one above, whatever came or went in between, in O(log total + limit).
 *
 * KEYS pending. ARGV limit, score and id of the cursor ('' and '' for the first page).
 */
export const PAGE = script(`
local from = 0
if ARGV[3] ~= '' then
  local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[3])
  from = redis.call('ZREVRANK', KEYS[1], ARGV[3]) + 1 - added
  if added == 1 then redis.call('ZREM', KEYS[1], ARGV[3]) end
end
local total = redis.call('ZCARD', KEYS[1])
local more = 0
if from + ARGV[1] < total then more = 1 end
return { total, more, redis.call('ZREVRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES') }
`)

/**
 * How much waits: [pending, score of the oldest or nil, due by now].
 *
 * KEYS pending, due. ARGV now.
 */
export const BACKLOG = script(`
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return { redis.call('ZCARD', KEYS[1]), oldest or '', redis.call('ZCOUNT', KEYS[2], '-inf', ARGV[1]) }
`)

export function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}
