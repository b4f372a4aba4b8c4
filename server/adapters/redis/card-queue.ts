import {
  NOTICE_TTL_MS, type CardQueueStore, type Leaving, type Notice, type Pace, type Taken,
} from '../../ports/card-queue'
import { createCalls, type Calls } from './calls'
import type { RedisClient } from './client'
import { NOW, script } from './lua'

const NOTICES: Record<Notice, string> = { backlog: 'notice', held: 'held-notice', closed: 'closed-notice' }

/**
 * What the store's scripts do to queues, too. The queue of a room is four keys, of which `at` is the position of the
 * first: who waits, by number of arrival; until when somebody has them; the gate, which is closed while it exists; the
 * last number. Arrivals are numbered from 1, because a millisecond is no order.
 */
export const QUEUE = `${NOW}
local function enter(at, id, lease, interval, first)
  if not redis.call('ZSCORE', KEYS[at], id) then
    local before = redis.call('ZCARD', KEYS[at])
    redis.call('ZADD', KEYS[at], first and 0 or redis.call('INCR', KEYS[at + 3]), id)
    if before == 0 and redis.call('EXISTS', KEYS[at + 2]) == 0 then
      redis.call('HSET', KEYS[at + 1], id, now() + lease)
      redis.call('SET', KEYS[at + 2], '1', 'PX', interval)
      return 0
    end
  end
  return redis.call('ZRANK', KEYS[at], id) + 1
end
local function leave(at, id, pause)
  if pause ~= '0' then redis.call('SET', KEYS[at + 2], '1', 'PX', pause) end
  redis.call('ZREM', KEYS[at], id)
  redis.call('HDEL', KEYS[at + 1], id)
end
`

/** KEYS the room's. ARGV id, lease, interval, 'first' to be before all others. */
const ENTER = script(`${QUEUE}
return enter(1, ARGV[1], ARGV[2], ARGV[3], ARGV[4] == 'first')`)

/** KEYS of each room. ARGV id, and for each room how long its gate stays closed ('0' to leave it as it is). */
const LEAVE = script(`${QUEUE}
for at = 1, #KEYS, 4 do leave(at, ARGV[1], ARGV[2 + (at - 1) / 4]) end`)

/**
 * Takes the first in the queue whom nobody has. Its id, or '' and how many ms to wait; -1 when the queue is empty. Only
 * the first 50 are looked at: more are never in the making at once, and who was tried has left.
 *
 * KEYS the room's. ARGV lease, interval.
 */
const TAKE = script(`${NOW}
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

export class RedisCardQueue implements CardQueueStore {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient) {
    this.calls = createCalls(client)
  }

  async enter(
    { room, intervalMs }: Pace, id: string, { leaseMs, first }: { leaseMs: number, first?: boolean },
  ): Promise<number> {
    return await this.calls.run(ENTER, queueKeys(room), [id, leaseMs, intervalMs, first ? 'first' : '']) as number
  }

  async take({ room, intervalMs }: Pace, leaseMs: number): Promise<Taken> {
    const [id, waitMs] = await this.calls.run(TAKE, queueKeys(room), [leaseMs, intervalMs]) as [string, number]
    return id ? { id } : { id: null, waitMs: waitMs < 0 ? null : waitMs }
  }

  async leave(id: string, leaving: readonly Leaving[]): Promise<void> {
    await this.calls.run(LEAVE, leaving.flatMap(({ room }) => queueKeys(room)), [id, ...leaving.map(pauseOf)])
  }

  async reopen(room: string): Promise<void> {
    await this.calls.call(() => this.client.del(keyOf(room, 'gate')))
  }

  length(room: string): Promise<number> {
    return this.calls.call(() => this.client.zCard(keyOf(room, 'waiting')))
  }

  async takeNotice(room: string, about: Notice): Promise<boolean> {
    const once = { NX: true, PX: NOTICE_TTL_MS } as const
    return await this.calls.call(() => this.client.set(keyOf(room, NOTICES[about]), '1', once)) !== null
  }

  async forgetNotice(room: string, about: Notice): Promise<void> {
    await this.calls.call(() => this.client.del(keyOf(room, NOTICES[about])))
  }
}

/** The four keys of a room's queue, as the scripts take them. */
export function queueKeys(room: string): string[] {
  return ['waiting', 'taken', 'gate', 'arrivals'].map(name => keyOf(room, name))
}

/** How long the gate stays closed, as the scripts take it: whole ms. */
export function pauseOf({ pauseMs }: Leaving): string {
  return String(Math.ceil(pauseMs))
}

/** With the hash tag of all our keys. `line` is what earlier versions called a queue: replicas of both share it. */
function keyOf(room: string, name: string): string {
  return `{triage}:line:${room}:${name}`
}
