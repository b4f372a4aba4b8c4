import type { MessageQueue, QueueLimits } from '../../ports/message-queue'
import { createCalls, type Calls, NOW, script } from './connection/calls'
import type { RedisClient } from './connection/client'

/** Threads with waiting messages, by the time of their last progress, in ms of Redis's clock. */
export const THREADS = '{triage}:conversations'
export const queueKey = (thread: string) => `{triage}:conversation:${thread}`

/** KEYS queue, waiting. ARGV thread, message, max messages that may wait, time to keep them, ms. */
const ADD = script(`${NOW}
redis.call('RPUSH', KEYS[1], '0' .. ARGV[2])
redis.call('LTRIM', KEYS[1], -ARGV[3], -1)
redis.call('PEXPIRE', KEYS[1], ARGV[4])
redis.call('ZADD', KEYS[2], 'NX', now(), ARGV[1])
`)

/** Returns the number of attempts at the first message, up to 9, and the message. KEYS queue, waiting. ARGV thread. */
const READ_FIRST = script(`${NOW}
local head = redis.call('LINDEX', KEYS[1], 0)
if not head then
  redis.call('ZREM', KEYS[2], ARGV[1])
  return {}
end
local attempt = math.min(string.sub(head, 1, 1) + 1, 9)
redis.call('LSET', KEYS[1], 0, string.format('%d', attempt) .. string.sub(head, 2))
redis.call('ZADD', KEYS[2], now(), ARGV[1])
return { attempt, string.sub(head, 2) }
`)

/** KEYS queue, waiting. ARGV thread, message. */
const REMOVE = script(`${NOW}
local head = redis.call('LINDEX', KEYS[1], 0)
if head and string.sub(head, 2) == ARGV[2] then redis.call('LPOP', KEYS[1]) end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('ZREM', KEYS[2], ARGV[1])
else
  redis.call('ZADD', KEYS[2], now(), ARGV[1])
end
`)

/** KEYS waiting. ARGV time without any progress, ms; max threads to return. */
const STALLED = script(`${NOW}
local found = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now() - ARGV[1], 'LIMIT', 0, ARGV[2])
for _, thread in ipairs(found) do redis.call('ZADD', KEYS[1], now(), thread) end
return found
`)

/** Keeps queues in Redis: a list per thread, each entry with its attempts as prefix, and a sorted set of threads. */
export class RedisMessageQueue implements MessageQueue {
  private readonly calls: Calls

  constructor(private readonly client: RedisClient, private readonly limits: QueueLimits) {
    this.calls = createCalls(client)
  }

  async add(thread: string, message: string): Promise<void> {
    const { most: maxMessages, keptMs } = this.limits
    await this.calls.run(ADD, [queueKey(thread), THREADS], [thread, message, maxMessages, keptMs])
  }

  async first(thread: string): Promise<{ message: string, attempt: number } | null> {
    const reply = await this.calls.run(READ_FIRST, [queueKey(thread), THREADS], [thread])
    const [attempt, message] = reply as [number?, string?]
    return attempt === undefined ? null : { attempt, message: message! }
  }

  async remove(thread: string, message: string): Promise<void> {
    await this.calls.run(REMOVE, [queueKey(thread), THREADS], [thread, message])
  }

  async isEmpty(thread: string): Promise<boolean> {
    return await this.calls.call(() => this.client.exists(queueKey(thread))) === 0
  }

  async stalled(ms: number, limit: number): Promise<string[]> {
    return await this.calls.run(STALLED, [THREADS], [ms, limit]) as string[]
  }
}
