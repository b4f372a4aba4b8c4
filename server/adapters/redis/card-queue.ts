import { NOTICE_TTL_MS } from '../../../shared/lifetimes'
import type { CardQueueStore, Pace, QueuedCard, QueueTurn, RoomNotice } from '../../ports/card-queue'
import { createCalls, type Calls, script } from './connection/calls'
import type { RedisClient } from './connection/client'

export const NOTICES: Record<RoomNotice, string> = { backlog: 'notice', held: 'held-notice', closed: 'closed-notice' }

/**
 * Lua code of the queue, also used by the script that stores a submission. The queue of a room has two keys, at
 * position `at` and the next one. First, the waiting submissions by time of arrival, in epoch µs because several may
 * arrive in one ms. Second, the gate, which is closed while the key exists.
 */
export const QUEUE = `
local function enter(at, id, interval)
  local isEmpty = redis.call('EXISTS', KEYS[at]) == 0
  if isEmpty and redis.call('SET', KEYS[at + 1], '1', 'PX', interval, 'NX') then return 0 end
  local time = redis.call('TIME')
  redis.call('ZADD', KEYS[at], time[1] * 1000000 + time[2], id)
  return redis.call('ZCARD', KEYS[at])
end
`

/** Takes the first id; returns it, or '' and the ms to wait (-1: empty queue). KEYS: of a room. ARGV: interval, ms. */
const TAKE = script(`
if redis.call('EXISTS', KEYS[1]) == 0 then return {'', -1} end
local closed = redis.call('PTTL', KEYS[2])
if closed > 0 then return {'', closed} end
redis.call('SET', KEYS[2], '1', 'PX', ARGV[1])
return {redis.call('ZPOPMIN', KEYS[1])[1], 0}`)

export class RedisCardQueue implements CardQueueStore {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient) {
    this.calls = createCalls(client)
  }

  async enter(room: string, { id, receivedAt }: QueuedCard): Promise<number> {
    const waitingKey = keyOf(room, 'waiting')
    const [, rank] = await this.calls.call(() => Promise.all([
      this.client.zAdd(waitingKey, { score: receivedAt * 1000, value: id }, { condition: 'NX' }),
      this.client.zRank(waitingKey, id),
    ]))
    return (rank ?? 0) + 1
  }

  async take({ room, intervalMs }: Pace): Promise<QueueTurn> {
    const [id, waitMs] = await this.calls.run(TAKE, queueKeys(room), [intervalMs]) as [string, number]
    return id ? { id } : { id: null, waitMs: waitMs < 0 ? null : waitMs }
  }

  async pause(room: string, pauseMs: number): Promise<void> {
    const gate = keyOf(room, 'gate')
    await this.calls.call<unknown>(() => (
      pauseMs > 0 ? this.client.set(gate, '1', { PX: Math.ceil(pauseMs) }) : this.client.del(gate)
    ))
  }

  length(room: string): Promise<number> {
    return this.calls.call(() => this.client.zCard(keyOf(room, 'waiting')))
  }

  async takeNotice(room: string, about: RoomNotice): Promise<boolean> {
    const options = { NX: true, PX: NOTICE_TTL_MS } as const
    return await this.calls.call(() => this.client.set(keyOf(room, NOTICES[about]), '1', options)) !== null
  }

  async forgetNotice(room: string, about: RoomNotice): Promise<void> {
    await this.calls.call(() => this.client.del(keyOf(room, NOTICES[about])))
  }
}

/** Returns the two keys of a room's queue, as the scripts take them. */
export function queueKeys(room: string): string[] {
  return ['waiting', 'gate'].map(name => keyOf(room, name))
}

/** Builds a key with the hash tag of all our keys. Earlier versions called a queue `line`. */
export function keyOf(room: string, name: string): string {
  return `{triage}:line:${room}:${name}`
}
