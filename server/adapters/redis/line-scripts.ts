import { script } from './scripts'

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
