import type { Installations } from '../../ports/installations'
import { createCalls, script } from './connection/calls'
import type { RedisClient } from './connection/client'

/**
 * Stores the app's channel, unless the app is installed in another place (`within`). Returns the stored channel and
 * place. KEYS of the app. ARGV channel, within.
 */
const LEARN = script(`
local within = redis.call('HGET', KEYS[1], 'within')
if not within or within == ARGV[2] then redis.call('HSET', KEYS[1], 'channel', ARGV[1], 'within', ARGV[2]) end
return redis.call('HMGET', KEYS[1], 'channel', 'within')
`)

/** KEYS of the app. ARGV within. */
const FORGET = script(`
if redis.call('HGET', KEYS[1], 'within') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`)

const keyOf = (app: string) => `{triage}:installation:${app}`

export function createRedisInstallations(client: RedisClient): Installations {
  const { call, run } = createCalls(client)
  return {
    async find(app) {
      const { channel, within } = await call(() => client.hGetAll(keyOf(app)))
      return channel !== undefined && within !== undefined ? { channel, within } : null
    },
    async learn(app, installation) {
      const reply = await run(LEARN, [keyOf(app)], [installation.channel, installation.within])
      const [channel, within] = reply as [string, string]
      return { channel, within }
    },
    forget: async (app, within) => await run(FORGET, [keyOf(app)], [within]) === 1,
  }
}
