import { NOW, script } from './scripts'

/**
 * Joins the line of cards (KEYS: line, taken, gate, arrivals; ARGV: id, lease, interval, 'first' to be before all others).
 * 0 when it may be posted right now, else for how many intervals it waits. Arrivals are numbered from 1, because a
 * millisecond is no order.
 */
export const ENTER = script(`${NOW}
if not redis.call('ZSCORE', KEYS[1], ARGV[1]) then
  local before = redis.call('ZCARD', KEYS[1])
  redis.call('ZADD', KEYS[1], ARGV[4] == 'first' and 0 or redis.call('INCR', KEYS[4]), ARGV[1])
  if before == 0 and redis.call('EXISTS', KEYS[3]) == 0 then
    redis.call('HSET', KEYS[2], ARGV[1], now() + ARGV[2])
    redis.call('SET', KEYS[3], '1', 'PX', ARGV[3])
    return 0
  end
end
return redis.call('ZRANK', KEYS[1], ARGV[1]) + 1`)

/**
 * Takes the first in line whom nobody has (KEYS as ENTER; ARGV: lease, interval). Its id, or '' and how many ms to wait;
 * -1 when the line is empty. Only the first 50 are looked at: more are never in the making at once, and who was tried has
 * left.
 */
export const TAKE = script(`${NOW}
local first = redis.call('ZRANGE', KEYS[1], 0, 49)
if #first == 0 then return {'', -1} end
local closed = redis.call('PTTL', KEYS[3])
if closed > 0 then return {'', closed} end
local at = now()
local wait = nil
for _, id in ipairs(first) do
  local left = tonumber(redis.call('HGET', KEYS[2], id) or '0') - at
  if left <= 0 then
    redis.call('HSET', KEYS[2], id, at + ARGV[1])
    redis.call('SET', KEYS[3], '1', 'PX', ARGV[2])
    return {id, 0}
  end
  if not wait or left < wait then wait = left end
end
return {'', wait}`)
