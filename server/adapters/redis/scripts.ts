import { QUEUE } from './card-queue'
import { script } from './lua'

/** How many there were. */
export const REVISION = '{triage}:revision'

/** Announces a change in the channel that ARGV ends with; counts what happened in this hour until 24 hours after it. */
const BOOKKEEPING = `
local function announce(id)
  redis.call('INCR', '${REVISION}')
  redis.call('PUBLISH', ARGV[#ARGV], id)
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
 * Stores a new submission and places it in the queues of its rooms. Returns its places there, 0 if there is form data
 * of this id, the id of the one that holds the idempotency key, or minus the ms for which the client is over its limit.
 * Counts as rate-limiter-flexible does, on the same key: what is not stored is counted by that.
 *
 * Of an index with a limit, the oldest go with everything that is kept of them.
 *
 * KEYS record, data, pending or held, due, this hour's counts, idempotency key, the client's count; for one that there
 * is not, another key of their slot, in which a cluster wants them all. Then for each room what `queueKeys` says.
 * ARGV id, version, record, its end, data, its end, score in pending or held, score in due ('' for none),
 * how long the idempotency key is held ('' for none), the client's limit ('' for none), its window; lengths in ms;
 * most in the index and what keys of records and of data begin with ('' each for any number), for how long a card that
 * may be posted at once is its maker's, for each room its interval, and the channel of announcements.
 */
export const CREATE = script(`${QUEUE}${BOOKKEEPING}
if ARGV[10] ~= '' then
  local sent = redis.call('INCR', KEYS[7])
  if sent == 1 then redis.call('PEXPIRE', KEYS[7], ARGV[11]) end
  if sent > tonumber(ARGV[10]) then return -math.max(redis.call('PTTL', KEYS[7]), 1) end
end
local holder = ARGV[9] ~= '' and redis.call('GET', KEYS[6])
if holder then return holder end
if not redis.call('SET', KEYS[2], ARGV[5], 'PXAT', ARGV[6], 'NX') then return 0 end
if ARGV[9] ~= '' then redis.call('SET', KEYS[6], ARGV[1], 'PX', ARGV[9]) end
redis.call('HSET', KEYS[1], 'v', ARGV[2], 'r', ARGV[3])
redis.call('PEXPIREAT', KEYS[1], ARGV[4])
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

/** The version that is stored, of a record or of a trace; nil or false if there is neither. */
const STORED = `
local function stored(record, trace)
  local version = redis.call('HGET', record, 'v')
  if version then return version end
  local text = redis.call('GET', trace)
  return text and string.match(text, '^%[(%d+)')
end
`

/**
 * What both compare-and-sets do beside the record, by the arguments that both begin with: the submission takes its
 * places in the indexes, its cards leave their queues, and the audit trail gets its line.
 *
 * KEYS record, data, trace, the list that it was in, due, stuck, audit, this hour's counts, the list that it goes to,
 * taken, and for each room that it leaves what `queueKeys` says.
 * ARGV id, expected version, its scores in the list that it goes to, in due, in stuck and in taken ('' for none, 'stay'
 * when nothing changes), what the audit line counts as ('' for no line), the line, its time, how long lines are kept,
 * most lines, what the script says, from `pauses` on for each room how long its gate stays closed, and the channel of
 * announcements.
 */
const FOLLOW = `
local function place(from, to, score)
  if score ~= 'stay' and (score == '' or from ~= to) then redis.call('ZREM', from, ARGV[1]) end
  if score ~= 'stay' and score ~= '' then redis.call('ZADD', to, score, ARGV[1]) end
end
local function follow(pauses)
  place(KEYS[4], KEYS[9], ARGV[3])
  place(KEYS[5], KEYS[5], ARGV[4])
  place(KEYS[6], KEYS[6], ARGV[5])
  place(KEYS[10], KEYS[10], ARGV[6])
  if ARGV[7] ~= '' then note(KEYS[7], KEYS[8], ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]) end
  for at = 11, #KEYS, 4 do leave(at, ARGV[1], ARGV[pauses + (at - 11) / 4]) end
  announce(ARGV[1])
end
`

const COMPARE_AND_SET = `${QUEUE}${BOOKKEEPING}${NOTE}${STORED}${FOLLOW}`

/**
 * Compare-and-set of one submission. Returns 1, or the form data when that is to be read, or 0 if another version is
 * stored, or form data is to be read or kept longer that Redis has deleted since.
 *
 * KEYS and ARGV as `FOLLOW`, and version, record, its end ('' when it stays), 'set' | 'keep' | 'read' | 'erase', data,
 * its end.
 */
export const PUT = script(`${COMPARE_AND_SET}
if stored(KEYS[1], KEYS[3]) ~= ARGV[2] then return 0 end
local kept = ARGV[15] == 'keep' or ARGV[15] == 'read'
local data = ARGV[15] == 'read' and redis.call('GET', KEYS[2])
if ARGV[15] == 'read' and not data then return 0 end
if ARGV[14] ~= '' and kept and redis.call('PEXPIREAT', KEYS[2], ARGV[17]) == 0 then return 0 end
redis.call('HSET', KEYS[1], 'v', ARGV[12], 'r', ARGV[13])
if ARGV[14] ~= '' then
  redis.call('PEXPIREAT', KEYS[1], ARGV[14])
  redis.call('DEL', KEYS[3])
end
if ARGV[15] == 'set' then redis.call('SET', KEYS[2], ARGV[16], 'PXAT', ARGV[17]) end
if ARGV[15] == 'erase' then redis.call('DEL', KEYS[2]) end
follow(18)
return data or 1
`)

/**
 * Compare-and-set of one submission that is over: its trace takes the place of everything else, also in queues. Returns
 * 1, or 0 if another version is stored.
 *
 * KEYS and ARGV as `FOLLOW`, and trace, how long it is kept.
 */
export const TRACE = script(`${COMPARE_AND_SET}
if stored(KEYS[1], KEYS[3]) ~= ARGV[2] then return 0 end
redis.call('SET', KEYS[3], ARGV[12], 'PX', ARGV[13])
redis.call('DEL', KEYS[1], KEYS[2])
follow(14)
return 1
`)

/**
 * Record, data and trace of many submissions as of one moment, as far as there are any: [record, data, trace, …].
 *
 * KEYS record, data, trace, record, data, trace, …
 */
export const READ = script(`
local found = {}
for i = 1, #KEYS, 3 do
  found[i] = redis.call('HGET', KEYS[i], 'r')
  found[i + 1] = redis.call('GET', KEYS[i + 1])
  found[i + 2] = not found[i] and redis.call('GET', KEYS[i + 2])
end
return found
`)

/**
 * A page of an index, by age: [how many there are in all, whether more follow, [id, score, id, score, …]].
 * The cursor is a place (score and id), not a rank: what left the list is put back for a moment to see where it was.
 * So a page starts exactly below the one above, whatever came or went in between, in O(log size + limit).
 *
 * KEYS the index, the one whose size is told. ARGV limit, score and id of the cursor ('' and '' for the first page),
 * '' for the oldest first or 'REV' for the newest.
 */
export const PAGE = script(`
local from = 0
if ARGV[3] ~= '' then
  local added = redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[3])
  from = redis.call('Z' .. ARGV[4] .. 'RANK', KEYS[1], ARGV[3]) + 1 - added
  if added == 1 then redis.call('ZREM', KEYS[1], ARGV[3]) end
end
local more = 0
if from + ARGV[1] < redis.call('ZCARD', KEYS[1]) then more = 1 end
local page = redis.call('Z' .. ARGV[4] .. 'RANGE', KEYS[1], from, from + ARGV[1] - 1, 'WITHSCORES')
return { redis.call('ZCARD', KEYS[2]), more, page }
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
