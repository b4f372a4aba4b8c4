import { createRedisState } from '@chat-adapter/state-redis'
import { ConsoleLogger, type StateAdapter } from 'chat'
import { createCalls } from './connection/calls'
import type { RedisClient } from './connection/client'

/**
 * Creates the Chat SDK's state over the shared client, with a timeout for its calls. Without a timeout, a click on a
 * silent connection would hang, and take effect long after the reviewer was told that it failed. The client already
 * logs each outage once; the SDK would log every attempt to connect.
 */
export function createChatState(client: RedisClient): StateAdapter {
  const { call } = createCalls(client)
  return new Proxy(createRedisState({ client, logger: new ConsoleLogger('silent') }), {
    get(state, name) {
      const member: unknown = Reflect.get(state, name, state)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => call(async () => member.apply(state, args) as unknown)
    },
  })
}
