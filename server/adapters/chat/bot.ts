import { Chat, type Adapter, type StateAdapter } from 'chat'
import { withinOrNull } from '../../../shared/utils/time'
import type { Log } from '../../ports/runtime'
import { sdkLogger } from '../../platforms/shared/logger'
import type { Connection } from '../../platforms/connection'

/** How long an adapter may keep the others from starting while it asks its platform who it is, ms. */
const START_PATIENCE_MS = 1000

/** The specification's bot name. */
const USER_NAME = 'form-bot'

/** What is kept of a chat whose platform cannot be asked for it: as much as a model is given, for a day. */
const KEPT = { maxMessages: 20, ttlMs: 24 * 60 * 60_000 }

export interface BotOptions {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  /** How often a growing message is edited where the platform cannot stream, ms. */
  streamingIntervalMs?: number
  /** Whether what was said before is read, as it is by default. Where it is not, nothing of it is kept. */
  remembers?: boolean
  /** Adds the handlers before the first event can arrive. */
  register: (bot: Chat) => void
}

export async function createBot({
  connections, state, log, streamingIntervalMs, remembers = true, register,
}: BotOptions): Promise<Chat> {
  const adapters = await Promise.all(connections.map(async ({ platform, adapter }): Promise<[string, Adapter]> => [
    platform.key, patient(await adapter()),
  ]))
  if (!remembers) for (const [, adapter] of adapters) Object.assign(adapter, { persistThreadHistory: false })
  const bot = new Chat({
    userName: USER_NAME,
    adapters: Object.fromEntries(adapters),
    state: await state(),
    logger: sdkLogger(log),
    // The default drops a message that arrives while another of its thread is handled; this loses none, and
    // `answer-queue.ts` puts them in order.
    concurrency: 'concurrent',
    streamingUpdateIntervalMs: streamingIntervalMs,
    // A growing message begins with its first words; before that the platform shows that somebody types.
    fallbackStreamingPlaceholderText: null,
    history: { thread: KEPT },
  })
  register(bot)
  return bot
}

/** The SDK answers no platform before all have started; one that is down must not hold up the rest. */
function patient(adapter: Adapter): Adapter {
  const initialize = adapter.initialize.bind(adapter)
  adapter.initialize = async chat => void await withinOrNull(START_PATIENCE_MS, initialize(chat))
  return adapter
}
