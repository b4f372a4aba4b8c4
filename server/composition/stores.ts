import type { StateAdapter } from 'chat'
import { createEmbeddedHealthBook } from '../adapters/embedded/health'
import { EmbeddedApprovals } from '../adapters/embedded/approvals'
import { createEmbeddedLimiter } from '../adapters/embedded/limiter'
import { EmbeddedCardQueue } from '../adapters/embedded/card-queue'
import { EmbeddedMessageQueue } from '../adapters/embedded/message-queue'
import { EmbeddedStore } from '../adapters/embedded/store'
import { RedisApprovals } from '../adapters/redis/approvals'
import { createRedis } from '../adapters/redis/client'
import { clockOf } from '../adapters/redis/clock'
import { createRedisHealthBook } from '../adapters/redis/health'
import { createRedisLimiter } from '../adapters/redis/limiter'
import { RedisCardQueue } from '../adapters/redis/card-queue'
import { RedisMessageQueue } from '../adapters/redis/message-queue'
import { RedisStore } from '../adapters/redis/store'
import { versionProblem } from '../adapters/redis/refusals'
import type { Config } from '../config'
import { storeRules } from '../domain/submission/store-rules'
import type { HealthBook } from '../ports/monitor'
import type { ApprovalStore } from '../ports/approvals'
import type { Limiter } from '../ports/limiter'
import type { MessageQueue } from '../ports/message-queue'
import type { CardQueueStore } from '../ports/card-queue'
import type { Log, StoreClock } from '../ports/runtime'
import type { SubmissionStore } from '../ports/store'

/** Everything that is kept, in Redis or on this machine. */
export interface Stores {
  store: SubmissionStore
  queues: CardQueueStore
  limiter: Limiter | null
  health: HealthBook
  /** Counts attempts to sign in. */
  signIns: Limiter
  /** Counts what one person asks the model; null for no limit. */
  questions: Limiter | null
  approvals: ApprovalStore
  /** Messages that wait for an answer. */
  messages: MessageQueue
  state: () => Promise<StateAdapter>
  clock: StoreClock
  /** What is to be changed about the store although it works; one line each. */
  advice: () => readonly string[]
  close: () => Promise<void>
}

/** Messages that wait for an answer: a later one would be to a question that nobody remembers. */
const WAITING = { most: 1000, keptMs: 3_600_000 }

export function openStore(config: Config, log: Log): Stores {
  const { rateLimit, heldMax } = config.form
  const rules = { ...storeRules, heldMax }
  const limit = rateLimit > 0 ? { limit: rateLimit, windowS: 60 } : undefined
  const signInsAMinute = { limit: 10, windowS: 60 }
  const questionsAnHour = config.agent.rateLimit > 0 ? { limit: config.agent.rateLimit, windowS: 3600 } : undefined
  if (!config.storeUrl) {
    const limiter = limit && createEmbeddedLimiter(limit)
    const queues = new EmbeddedCardQueue(Date.now)
    const store = new EmbeddedStore({
      dir: `${config.dataDir}/submissions`, now: Date.now, limiter, queue: queues, ...rules,
    })
    return {
      store,
      queues,
      health: createEmbeddedHealthBook(),
      approvals: new EmbeddedApprovals(`${config.dataDir}/approvals`, Date.now),
      messages: new EmbeddedMessageQueue(Date.now, WAITING),
      limiter: limiter ?? null,
      signIns: createEmbeddedLimiter(signInsAMinute),
      questions: questionsAnHour ? createEmbeddedLimiter(questionsAnHour) : null,
      state: async () => (await import('@chat-adapter/state-memory')).createMemoryState(),
      clock: { now: Date.now, aheadMs: 0, known: async () => {} },
      advice: () => [],
      close: () => store.close(),
    }
  }
  const client = createRedis(config.storeUrl, log)
  const store = new RedisStore(client, { limit, ...rules })
  return {
    store,
    queues: new RedisCardQueue(client),
    health: createRedisHealthBook(client),
    approvals: new RedisApprovals(client),
    messages: new RedisMessageQueue(client, WAITING),
    limiter: limit ? createRedisLimiter(client, limit) : null,
    signIns: createRedisLimiter(client, signInsAMinute),
    questions: questionsAnHour ? createRedisLimiter(client, questionsAnHour) : null,
    state: async () => {
      const [{ createChatState }, { sdkLogger }] = await Promise.all([
        import('../adapters/redis/state'), import('../platforms/shared/logger'),
      ])
      return createChatState(client, sdkLogger(log, 'state'))
    },
    clock: clockOf(client),
    advice: () => versionProblem(client) ?? [],
    close: () => store.close(),
  }
}
