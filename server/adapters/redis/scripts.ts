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

/**
 * Compare-and-set of one submission and its places in the indexes. Returns 1, or 0 if another version is stored;
 * with an idempotency key that another submission holds, that one's id.
 *
 * KEYS record, data, open, due, idempotency key (or none).
 * ARGV id, expected version ('' for none), version, record, its end, 'set' | 'keep' | 'erase', data, its end,
 * score in open ('' for none), score in due ('' for none), how long the idempotency key is held.
 */
export const PUT = script(`
local holder = KEYS[5] and redis.call('GET', KEYS[5])
if holder then return holder end
local stored = redis.call('HGET', KEYS[1], 'v') or ''
if stored ~= ARGV[2] then return 0 end
if KEYS[5] then redis.call('SET', KEYS[5], ARGV[1], 'PX', ARGV[11]) end
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
return 1
`)

/**
 * Compare-and-set removal. Returns 1, or 0 if another version is stored.
 *
 * KEYS record, data, open, due, audit.
 * ARGV id, expected version, audit line, its time, how long lines are kept, most lines.
 * Age counts from the newest line, because the clocks of replicas differ.
 */
export const REMOVE = script(`
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZADD', KEYS[5], ARGV[4], ARGV[3])
local newest = redis.call('ZREVRANGE', KEYS[5], 0, 0, 'WITHSCORES')[2]
redis.call('ZREMRANGEBYSCORE', KEYS[5], '-inf', newest - ARGV[5])
redis.call('ZREMRANGEBYRANK', KEYS[5], 0, -1 - ARGV[6])
redis.call('PEXPIREAT', KEYS[5], newest + ARGV[5])
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
 * A page of the open ones, newest first: [total, whether more follow, [id, score, id, score, …]].
 * The cursor is a place (score and id), not a rank: what left the list is put back for a moment to see where it was.
 * So a page starts exactly below the one above, whatever came or went in between, in O(log total + limit).
 *
 * KEYS open. ARGV limit, score and id of the cursor ('' and '' for the first page).
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

function script(source: string): Script {
  return { source, sha: createHash('sha1').update(source).digest('hex') }
}

/**
 * Joins the line of cards (KEYS: line, taken, gate, arrivals; ARGV: id, until, interval). 0 when it may be posted
 * right now, else for how many intervals it waits. Arrivals are numbered, because a millisecond is no order.
 */
export const ENTER = script(`
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  local before = redis.call('ZCARD', KEYS[1])
  redis.call('ZADD', KEYS[1], redis.call('INCR', KEYS[4]), ARGV[1])
  if before == 0 and redis.call('EXISTS', KEYS[3]) == 0 then
    redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
    redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
    return 0
  end
end
return redis.call('ZRANK', KEYS[1], ARGV[1]) + 1`)

/**
 * Takes the first in line whom nobody has (KEYS as ENTER; ARGV: now, until, interval). Its id, or '' and how many
 * ms to wait; -1 when the line is empty. Only the first 50 are looked at: more are never in the making at once.
 */
export const TAKE = script(`
local first = redis.call('ZRANGE', KEYS[1], 0, 49)
if #first == 0 then return {'', -1} end
local closed = redis.call('PTTL', KEYS[3])
if closed > 0 then return {'', closed} end
local wait = nil
for _, id in ipairs(first) do
  local until_ = tonumber(redis.call('HGET', KEYS[2], id) or '0')
  if until_ <= tonumber(ARGV[1]) then
    redis.call('HSET', KEYS[2], id, ARGV[2])
    redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
    return {id, 0}
  end
  local left = until_ - tonumber(ARGV[1])
  if not wait or left < wait then wait = left end
end
return {'', wait}`)

/**
 * Records a verdict on one call of a waiting turn, or on all that have none; who records the last one takes the turn.
 * Returns ['gone'], ['decided', what stands], ['recorded'] or ['complete', field, value, …].
 *
 * KEYS turn, due. ARGV id, position of the call ('' for all), verdict, when the taken turn is due.
 */
export const DECIDE = script(`
local count = redis.call('HGET', KEYS[1], 'count')
if not count or (ARGV[2] == '' and redis.call('HEXISTS', KEYS[1], 'taken') == 1) then return { 'gone' } end
local from, to = ARGV[2], ARGV[2]
if ARGV[2] == '' then
  from, to = 0, count - 1
else
  if tonumber(ARGV[2]) >= tonumber(count) then return { 'gone' } end
  local stands = redis.call('HGET', KEYS[1], ARGV[2])
  if stands then return { 'decided', stands } end
end
for call = from, to do redis.call('HSETNX', KEYS[1], string.format('%d', call), ARGV[3]) end
for call = 0, count - 1 do
  if redis.call('HEXISTS', KEYS[1], string.format('%d', call)) == 0 then return { 'recorded' } end
end
redis.call('HSET', KEYS[1], 'taken', '1')
redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
local found = redis.call('HGETALL', KEYS[1])
table.insert(found, 1, 'complete')
return found
`)
