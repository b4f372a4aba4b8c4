import { NOW, script, run } from './scripts'
import type { CardLine, Taken, Pace } from '../../ports/line'
import { createCalls, type Calls } from './calls'
import type { RedisClient } from './client'

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

/** A backlog notice that nobody took back is forgotten after this, so that a later backlog is announced again. */
const NOTICE_TTL_MS = 24 * 60 * 60 * 1000

/** The line of cards in Redis: a sorted set by arrival, a hash of who is being posted, and a gate that expires. */
export class RedisCardLine implements CardLine {
  private readonly call: Calls['call']

  constructor(private readonly client: RedisClient) {
    this.call = createCalls(client).call
  }

  async enter({ room, intervalMs }: Pace, id: string, { leaseMs, first }: { leaseMs: number, first?: boolean }): Promise<number> {
    const args = [id, leaseMs, intervalMs, first ? 'first' : ''].map(String)
    return await this.call(() => run(this.client, ENTER, keys(room), args)) as number
  }

  async take({ room, intervalMs }: Pace, leaseMs: number): Promise<Taken> {
    const [id, waitMs] = await this.call(() => run(this.client, TAKE, keys(room), [leaseMs, intervalMs].map(String))) as [string, number]
    return id ? { id } : { id: null, waitMs: waitMs < 0 ? null : waitMs }
  }

  async leave(room: string, id: string): Promise<void> {
    const { line, taken } = named(room)
    await this.call(() => Promise.all([this.client.zRem(line, id), this.client.hDel(taken, id)]))
  }

  async close(room: string, ms: number): Promise<void> {
    await this.call(() => this.client.set(named(room).gate, '1', { PX: Math.ceil(ms) }))
  }

  length(room: string): Promise<number> {
    return this.call(() => this.client.zCard(named(room).line))
  }

  async takeNotice(room: string): Promise<boolean> {
    return await this.call(() => this.client.set(named(room).notice, '1', { NX: true, PX: NOTICE_TTL_MS })) !== null
  }

  async forgetNotice(room: string): Promise<void> {
    await this.call(() => this.client.del(named(room).notice))
  }
}

/** One hash tag with the submissions, so that a cluster keeps them together. */
function named(room: string) {
  const key = (name: string) => `{triage}:line:${room}:${name}`
  return { line: key('waiting'), taken: key('taken'), gate: key('gate'), arrivals: key('arrivals'), notice: key('notice') }
}

function keys(room: string): string[] {
  const { line, taken, gate, arrivals } = named(room)
  return [line, taken, gate, arrivals]
}
