import { Chat, type Adapter, type StateAdapter } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import type { Log } from '../../ports/runtime'
import { sdkLogger } from '../../platforms/shared/logger'
import type { Connection } from '../../platforms/connection'

/** Max delay by an adapter's start, ms. The adapter asks its platform for the bot's name while the others wait. */
const START_PATIENCE_MS = 1000

/** Bot name from the specification. */
const USER_NAME = 'form-bot'

/** Limits of the history kept for platforms without one: as many messages as a model gets, for a day. */
const HISTORY_LIMITS = { maxMessages: 20, ttlMs: 24 * 60 * 60_000 }

export interface BotOptions {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  /** Interval at which a growing message is edited if the platform cannot stream, ms. */
  streamingIntervalMs?: number
  /** Reads earlier messages of a thread. If false, none are kept. Default: true. */
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
    // The default drops a message that arrives while another one of its thread is handled. This setting drops none, and
    // `answer-queue.ts` keeps the order.
    concurrency: 'concurrent',
    streamingUpdateIntervalMs: streamingIntervalMs,
    // Post no placeholder: until the first words arrive, the platform shows that the bot is typing.
    fallbackStreamingPlaceholderText: null,
    history: { thread: HISTORY_LIMITS },
  })
  register(bot)
  return bot
}

/** Limits an adapter's start time. The SDK answers no platform until all have started, so one could delay all. */
function limitStart(adapter: Adapter): Adapter {
  const initialize = adapter.initialize.bind(adapter)
  adapter.initialize = async chat => void await withinOrNull(START_PATIENCE_MS, initialize(chat))
  return adapter
}
