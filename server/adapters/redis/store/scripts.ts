import { TALLY_TTL_MS } from '../../../../shared/lifetimes'
import { QUEUE } from '../card-queue'
import { namedScript, script } from '../connection/calls'

/** Number of changes so far. */
export const REVISION = '{triage}:revision'

/** Announces a change in its channel, and counts events of this hour. Counts are kept as long as they are shown. */
const BOOKKEEPING = `
local function announce(id)
  redis.call('INCR', '${REVISION}')
  redis.call('PUBLISH', channel, id)
end
local function count(field)
  if redis.call('HINCRBY', tally, field, 1) == 1 then redis.call('PEXPIRE', tally, ${TALLY_TTL_MS}) end
end
`

/**
 * Stores a new submission and adds it to the queues of its rooms. Returns its places in the queues; 0 if form data with
 * this id exists; or the value of the idempotency key (an id and a fingerprint). Over a limit, it returns minus the ms
 * until the window ends, as a list for the limit of bytes. Counts on the same key as rate-limiter-flexible, which
 * counts the forms that are not stored.
 *
 * If the list has a limit (`most`), the oldest submissions in it are deleted with all their data.
 *
 * Durations are in ms, ends and scores in epoch ms. '' stands for none: no due time, idempotency key, limit or queue.
 * An absent key is replaced by another of the same slot, because a cluster wants all keys in one slot. The `queueKeys`
 * of each room follow the named keys, and its interval follows the named arguments.
 */
export const CREATE = namedScript(
  ['record', 'data', 'list', 'due', 'tally', 'idempotency', 'sends', 'sentBytes'],
  [
    'id', 'version', 'recordText', 'recordEnd', 'dataText', 'dataEnd', 'score', 'dueAt', 'heldFor', 'holderText',
    'limit', 'window', 'byteLimit', 'byteWindow', 'most', 'recordPrefix', 'dataPrefix', 'channel',
  ],
  `${QUEUE}${BOOKKEEPING}
local function wait(key, amount, most, ms)
  if most == '' then return nil end
  local sum = redis.call('INCRBY', key, amount)
  if sum == amount then redis.call('PEXPIRE', key, ms) end
  return sum > tonumber(most) and math.max(redis.call('PTTL', key), 1) or nil
end
local formWait = wait(sends, 1, limit, window)
if formWait then return -formWait end
local holder = heldFor ~= '' and redis.call('GET', idempotency)
if holder then return holder end
local byteWait = wait(sentBytes, #dataText, byteLimit, byteWindow)
if byteWait then return { -byteWait } end
if not redis.call('SET', data, dataText, 'PXAT', dataEnd, 'NX') then return 0 end
if heldFor ~= '' then redis.call('SET', idempotency, holderText, 'PX', heldFor) end
redis.call('HSET', record, 'v', version, 'r', recordText)
redis.call('PEXPIREAT', record, recordEnd)
redis.call('ZADD', list, score, id)
if dueAt ~= '' then redis.call('ZADD', due, dueAt, id) end
if most ~= '' then
  local surplus = redis.call('ZRANGE', list, 0, -1 - most)
  for _, oldest in ipairs(surplus) do
    redis.call('DEL', recordPrefix .. oldest, dataPrefix .. oldest)
    redis.call('ZREM', list, oldest)
    redis.call('ZREM', due, oldest)
    announce(oldest)
  end
end
count('received')
announce(id)
local places = {}
for at = keysNamed + 1, #KEYS, 2 do
  table.insert(places, enter(at, id, ARGV[argsNamed + 1 + #places]))
end
return places
`)

/**
 * Adds a line to the audit trail. Lines are kept for `lineAge` ms, counted from the newest line, because the clocks of
 * replicas differ.
 */
const NOTE = `
local function note()
  count(outcome)
  redis.call('ZADD', audit, lineAt, line)
  local newest = redis.call('ZREVRANGE', audit, 0, 0, 'WITHSCORES')[2]
  redis.call('ZREMRANGEBYSCORE', audit, '-inf', newest - lineAge)
  redis.call('ZREMRANGEBYRANK', audit, 0, -1 - mostLines)
  redis.call('PEXPIREAT', audit, newest + lineAge)
end
`

/**
 * Compare-and-set of one submission. Returns 1, or the form data if `keeping` is 'read'. Returns 0 if another version
 * is stored. Also returns 0 if form data that must be read or kept longer is gone or is not JSON. Updates the
 * submission's scores in its list, in due and in the indexes ('' removes it, 'stay' changes nothing). Adds a line to
 * the audit trail if there is an outcome.
 *
 * `recordEnd` is '' if it does not change. `keeping` says what happens to the data: 'set' | 'keep' | 'read' | 'erase'.
 */
export const PUT = namedScript(
  ['record', 'data', 'from', 'due', 'stuck', 'audit', 'tally', 'to', 'taken', 'retrying', 'drafts'],
  [
    'id', 'expected', 'score', 'dueAt', 'stuckAt', 'takenAt', 'retryingAt', 'outcome', 'line', 'lineAt', 'lineAge',
    'mostLines', 'channel', 'version', 'recordText', 'recordEnd', 'keeping', 'dataText', 'dataEnd',
  ],
  `${BOOKKEEPING}${NOTE}
local function place(old, new, at)
  if at ~= 'stay' and (at == '' or old ~= new) then redis.call('ZREM', old, id) end
  if at ~= 'stay' and at ~= '' then redis.call('ZADD', new, at, id) end
end
if redis.call('HGET', record, 'v') ~= expected then return 0 end
local kept = keeping == 'keep' or keeping == 'read'
local text = keeping == 'read' and redis.pcall('GET', data)
if keeping == 'read' and not pcall(cjson.decode, text) then return 0 end
if recordEnd ~= '' and kept and redis.call('PEXPIREAT', data, dataEnd) == 0 then return 0 end
redis.call('HSET', record, 'v', version, 'r', recordText)
if recordEnd ~= '' then redis.call('PEXPIREAT', record, recordEnd) end
if keeping == 'set' then redis.call('SET', data, dataText, 'PXAT', dataEnd) end
if keeping == 'erase' then redis.call('DEL', data, drafts) end
place(from, to, score)
place(due, due, dueAt)
place(stuck, stuck, stuckAt)
place(taken, taken, takenAt)
place(retrying, retrying, retryingAt)
if outcome ~= '' then note() end
announce(id)
return text or 1
`)

/** Deletes everything stored about a submission, and adds an audit line if there is an outcome. */
export const FORGET = namedScript(
  ['record', 'data', 'pending', 'held', 'spam', 'due', 'stuck', 'taken', 'retrying', 'audit', 'tally', 'drafts'],
  ['id', 'outcome', 'line', 'lineAt', 'lineAge', 'mostLines', 'channel'], `${BOOKKEEPING}${NOTE}
redis.call('DEL', record, data, drafts)
for at = 3, 9 do redis.call('ZREM', KEYS[at], id) end
if outcome ~= '' then note() end
announce(id)
`)

/**
 * Reads record and data of many submissions in one atomic step, if they exist: [record, data, …]. '?' stands for a
 * value of another type.
 *
 * KEYS record, data, record, data, …
 */
export const READ = script(`
local function text(...)
  local answer = redis.pcall(...)
  return type(answer) == 'table' and '?' or answer
end
local found = {}
for i = 1, #KEYS, 2 do
  found[i] = text('HGET', KEYS[i], 'r')
  found[i + 1] = text('GET', KEYS[i + 1])
end
return found
`)

/**
 * Returns a page of an index, by age: [total, 1 if more follow, [id, score, id, score, …]]. The cursor is a score and
 * an id, not a rank. If that id has left the list, it is added for a moment to find its rank. So a page starts exactly
 * after the previous one, whatever changed in between, in O(log size + limit).
 *
 * KEYS the index, the index whose size is returned. ARGV limit, score and id of the cursor ('' and '' for the first
 * page), '' for the oldest first or 'REV' for the newest.
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
 * Returns the waiting work: [pending, score of the oldest or '', due by now, score of the first due or '', stuck].
 *
 * KEYS pending, due, stuck. ARGV now.
 */
export const BACKLOG = script(`
local function first(index) return redis.call('ZRANGE', index, 0, 0, 'WITHSCORES')[2] or '' end
local overdue = redis.call('ZCOUNT', KEYS[2], '-inf', ARGV[1])
local since = overdue > 0 and first(KEYS[2]) or ''
return { redis.call('ZCARD', KEYS[1]), first(KEYS[1]), overdue, since, redis.call('ZCARD', KEYS[3]) }
`)
