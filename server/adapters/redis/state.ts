import { createRedisState } from '@chat-adapter/state-redis'
import type { Logger, StateAdapter } from 'chat'
import { bounded, type RedisClient } from './client'

/** Less than what a platform waits for an answer, which is 3 s. */
const CALL_TIMEOUT_MS = 1500

/**
 * The Chat SDK's state over the shared client. Its calls have no time-out of their own: on a connection that went
 * silent a click would hang, and take effect long after its reviewer was told that it did not.
 */
export function createChatState(client: RedisClient, logger: Logger): StateAdapter {
  return new Proxy(createRedisState({ client, logger }), {
    get(state, name) {
      const member: unknown = Reflect.get(state, name, state)
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        const result: unknown = member.apply(state, args)
        return result instanceof Promise ? bounded(result, CALL_TIMEOUT_MS) : result
      }
    },
  })
}
