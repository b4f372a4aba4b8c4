import { script } from './scripts'

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
