import { QUEUE } from './card-queue'
import { script } from './lua'

/** Where every change is announced, by id. */
export const CHANGES = '{triage}:changes'

/** Announces a change, and counts what happened in this hour until 24 hours after it. */
const BOOKKEEPING = `
local function announce(id)
  redis.call('PUBLISH', '${CHANGES}', id)
end
local function count(key, field)
  if redis.call('HINCRBY', key, field, 1) == 1 then redis.call('EXPIRE', key, 90000) end
end
`

/** Adds an audit line and its count. Age counts from the newest line, because the clocks of replicas differ. */
const NOTE = `
local function note(audit, counts, outcome, line, at, age, most)
  count(counts, outcome)
  redis.call('ZADD', audit, at, line)
  local newest = redis.call('ZREVRANGE', audit, 0, 0, 'WITHSCORES')[2]
  redis.call('ZREMRANGEBYSCORE', audit, '-inf', newest - age)
  redis.call('ZREMRANGEBYRANK', audit, 0, -1 - most)
  redis.call('PEXPIREAT', audit, newest + age)
end
`

/**
 * Stores a new submission and places it in the queues of its rooms. Returns its places there, 0 if there is one with
 * this id, the id of the one that holds the idempotency key, or minus the ms for which the client is over its limit.
 * Counts as rate-limiter-flexible does, on the same key: what is not stored is counted by that.
 *
 * Of an index with a limit, the oldest go with everything that is kept of them.
 *
 * KEYS record, data, pending or held, due, this hour's counts, idempotency key, the client's count; for one that there
 * is not, the record again, since a cluster wants all keys in one slot. Then for each room what `queueKeys` says.
 * ARGV id, version, record, its end, data, its end, score in pending or held, score in due ('' for none),
 * how long the idempotency key is held ('' for none), the client's limit ('' for none), its window; lengths in ms;
 * most in the index ('' for any number), what keys of records and of data begin with, for how long a card that may be
 * posted at once is its maker's, and for each room its interval.
 */
export const CREATE = script(`${QUEUE}${BOOKKEEPING}
if ARGV[10] ~= '' then
  local sent = redis.call('INCR', KEYS[7])
  if sent == 1 then redis.call('PEXPIRE', KEYS[7], ARGV[11]) end
  if sent > tonumber(ARGV[10]) then return -math.max(redis.call('PTTL', KEYS[7]), 1) end
end
local holder = ARGV[9] ~= '' and redis.call('GET', KEYS[6])
if holder then return holder end
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
if ARGV[9] ~= '' then redis.call('SET', KEYS[6], ARGV[1], 'PX', ARGV[9]) end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'r', ARGV[3])
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
redis.call('SET', KEYS[2], ARGV[5], 'PXAT', ARGV[6])
redis.call('ZADD', KEYS[3], ARGV[7], ARGV[1])
if ARGV[8] ~= '' then redis.call('ZADD', KEYS[4], ARGV[8], ARGV[1]) end
if ARGV[12] ~= '' then
  local surplus = redis.call('ZRANGE', KEYS[3], 0, -1 - ARGV[12])
  for _, id in ipairs(surplus) do
    redis.call('DEL', ARGV[13] .. id, ARGV[14] .. id)
    redis.call('ZREM', KEYS[3], id)
    redis.call('ZREM', KEYS[4], id)
    announce(id)
  end
end
count(KEYS[5], 'received')
announce(ARGV[1])
local places = {}
for at = 8, #KEYS, 4 do
  table.insert(places, enter(at, ARGV[1], ARGV[15], ARGV[16 + #places]))
end
return places
`)

/**
 * Compare-and-set of one submission and its places in the indexes; its cards leave their queues with it. Returns 1, or
 * 0 if another version is stored.
 *
 * KEYS record, data, pending, due, stuck, audit, this hour's counts, held, and for each room that it leaves what
 * `queueKeys` says.
 * ARGV id, expected version, version, record, its end ('' when it stays), 'set' | 'keep' | 'erase', data, its end,
 * 'stay', or its score in pending ('' for none) where it goes from held, score in due ('' for none), score in stuck
 * ('' for none), what the audit line counts as ('' for no line), the line, its time, how long lines are kept, most
 * lines, and for each room that it leaves how long its gate stays closed.
 */
export const PUT = script(`${QUEUE}${BOOKKEEPING}${NOTE}
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[3], 'r', ARGV[4])
if ARGV[5] ~= '' then
  redis.call('PEXPIREAT', KEYS[1], ARGV[5])
  redis.call('PEXPIREAT', KEYS[2], ARGV[8])
end
if ARGV[6] == 'set' then redis.call('SET', KEYS[2], ARGV[7], 'PXAT', ARGV[8]) end
if ARGV[6] == 'erase' then redis.call('DEL', KEYS[2]) end
if ARGV[9] == '' then redis.call('ZREM', KEYS[3], ARGV[1]) end
if ARGV[9] ~= '' and ARGV[9] ~= 'stay' then
  redis.call('ZREM', KEYS[8], ARGV[1])
  redis.call('ZADD', KEYS[3], ARGV[9], ARGV[1])
end
if ARGV[10] == '' then
  redis.call('ZREM', KEYS[4], ARGV[1])
else
  redis.call('ZADD', KEYS[4], ARGV[10], ARGV[1])
end
if ARGV[11] == '' then
  redis.call('ZREM', KEYS[5], ARGV[1])
else
  redis.call('ZADD', KEYS[5], ARGV[11], ARGV[1])
end
if ARGV[12] ~= '' then note(KEYS[6], KEYS[7], ARGV[12], ARGV[13], ARGV[14], ARGV[15], ARGV[16]) end
for at = 9, #KEYS, 4 do leave(at, ARGV[1], ARGV[17 + (at - 9) / 4]) end
announce(ARGV[1])
return 1
`)

/**
 * Compare-and-set removal, also from queues. Returns 1, or 0 if another version is stored.
 *
 * KEYS as `PUT`. ARGV id, expected version, what the audit line counts as ('' for no line), the line, its time, how
 * long lines are kept, most lines, and for each room that it leaves how long its gate stays closed.
 */
export const REMOVE = script(`${QUEUE}${BOOKKEEPING}${NOTE}
if redis.call('HGET', KEYS[1], 'v') ~= ARGV[2] then return 0 end
redis.call('DEL', KEYS[1], KEYS[2])
redis.call('ZREM', KEYS[3], ARGV[1])
redis.call('ZREM', KEYS[4], ARGV[1])
redis.call('ZREM', KEYS[5], ARGV[1])
redis.call('ZREM', KEYS[8], ARGV[1])
if ARGV[3] ~= '' then note(KEYS[6], KEYS[7], ARGV[3], ARGV[4], ARGV[5], ARGV[6], ARGV[7]) end
for at = 9, #KEYS, 4 do leave(at, ARGV[1], ARGV[8 + (at - 9) / 4]) end
announce(ARGV[1])
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
 * A page of an index, newest first: [how many there are in all, whether more follow, [id, score, id, score, …]].
 * The cursor is a place (score and id), not a rank: what left the list is put back for a moment to see where it was.
 * So a page starts exactly below the one above, whatever came or went in between, in O(log size + limit).
 *
 * KEYS the index, the one whose size is told. ARGV limit, score and id of the cursor ('' and '' for the first page).
 */
export const PAGE = script(`
local from = 0
if ARGV[3] ~= '' then
  local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[3])
  from = redis.call('ZREVRANK', KEYS[1], ARGV[3]) + 1 - added
  if added == 1 then redis.call('ZREM', KEYS[1], ARGV[3]) end
end
local more = 0
if from + ARGV[1] < redis.call('ZCARD', KEYS[1]) then more = 1 end
return { redis.call('ZCARD', KEYS[2]), more, redis.call('ZREVRANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES') }
`)

/**
 * How much waits: [pending, score of the oldest or '', due by now, stuck].
 *
 * KEYS pending, due, stuck. ARGV now.
 */
export const BACKLOG = script(`
local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]
return { redis.call('ZCARD', KEYS[1]), oldest or '', redis.call('ZCOUNT', KEYS[2], '-inf', ARGV[1]), redis.call('ZCARD', KEYS[3]) }
`)
