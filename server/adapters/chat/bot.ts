import { Chat, type Adapter, type StateAdapter } from 'chat'
import type { Log } from '../../ports/runtime'
import { sdkLogger } from './logger'
import type { Connection } from './rooms'

/** The specification's bot name. */
const USER_NAME = 'form-bot'

export interface BotOptions {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  /** Adds the handlers before the first event can arrive. */
  register: (bot: Chat) => void
}

/** Starts the Chat SDK with every configured platform. */
export async function createBot({ connections, state, log, register }: BotOptions): Promise<Chat> {
  const adapters = await Promise.all(connections.map(async ({ platform, adapter }): Promise<[string, Adapter]> => [platform.key, await adapter()]))
  const bot = new Chat({
    userName: USER_NAME,
    adapters: Object.fromEntries(adapters),
    state: await state(),
    logger: sdkLogger(log),
    // The default drops a message that arrives while another of its thread is handled; this loses none, and `turns.ts`
    // puts them in order.
    concurrency: 'concurrent',
  })
  register(bot)
  return bot
}
