import { Chat, type Adapter, type StateAdapter } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import type { Log } from '../../ports/runtime'
import { sdkLogger } from '../../platforms/shared/logger'
import type { Connection } from '../../platforms/connection'

/** Longest that an adapter may delay the start of the others while it asks its platform for its own name, ms. */
const START_PATIENCE_MS = 1000

/** Bot name from the specification. */
const USER_NAME = 'form-bot'

/** Messages kept of a chat whose platform cannot return its history: as many as a model is given, for one day. */
const HISTORY_LIMITS = { maxMessages: 20, ttlMs: 24 * 60 * 60_000 }

export interface BotOptions {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  /** Interval at which a growing message is edited if the platform cannot stream, ms. */
  streamingIntervalMs?: number
  /** True, the default, if earlier messages of a thread are read. If false, none are kept. */
  remembers?: boolean
  /** Adds the handlers before the first event can arrive. */
  register: (bot: Chat) => void
}

export async function createBot({
  connections, state, log, streamingIntervalMs, remembers = true, register,
}: BotOptions): Promise<Chat> {
  const adapters = await Promise.all(connections.map(async ({ platform, adapter }): Promise<[string, Adapter]> => [
    platform.key, limitStart(await adapter()),
  ]))
  if (!remembers) for (const [, adapter] of adapters) Object.assign(adapter, { persistThreadHistory: false })
  const bot = new Chat({
    userName: USER_NAME,
    adapters: Object.fromEntries(adapters),
    state: await state(),
    logger: sdkLogger(log),
    // The default drops a message that arrives while another of its thread is handled. This loses none, and
    // `answer-queue.ts` keeps the order.
    concurrency: 'concurrent',
    streamingUpdateIntervalMs: streamingIntervalMs,
    // A growing message begins with its first words. Until then the platform shows that the bot is typing.
    fallbackStreamingPlaceholderText: null,
    history: { thread: HISTORY_LIMITS },
  })
  register(bot)
  return bot
}

/** Limits an adapter's start: the SDK answers no platform until all have started, so one that is down delays all. */
function limitStart(adapter: Adapter): Adapter {
  const initialize = adapter.initialize.bind(adapter)
  adapter.initialize = async chat => void await withinOrNull(START_PATIENCE_MS, initialize(chat))
  return adapter
}
