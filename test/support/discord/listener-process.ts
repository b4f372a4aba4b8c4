import { registerHooks } from 'node:module'
import type { Log } from '../../../server/ports/runtime'

/** What `LISTENER` in the environment says, as JSON. */
export interface ListenerSettings {
  redisUrl: string
  webhookUrl: string
  botToken: string
  applicationId: string
  apiUrl: string
  leaseMs: number
  /** Without it, the listener stands by for as long as the process lives. */
  durationMs?: number
  owner?: string
}

// The project's imports name no extension, which Node's own TypeScript support wants.
registerHooks({
  resolve: (specifier, context, next) => {
    try {
      return next(specifier, context)
    }
    catch (error) {
      if (!specifier.startsWith('.')) throw error
      return next(`${specifier}.ts`, context)
    }
  },
})

const settings = JSON.parse(process.env.LISTENER ?? '{}') as ListenerSettings
const server = '../../../server'
type ListenerModule = typeof import('../../../server/platforms/discord/gateway/listener')
type EventsModule = typeof import('../../../server/platforms/discord/gateway/events')
const [
  { createRedisState }, { listen }, { forwardTo }, { createDiscordRest }, { createHttpClient },
] = await Promise.all([
  import('@chat-adapter/state-redis'),
  import(`${server}/platforms/discord/gateway/listener.ts`) as Promise<ListenerModule>,
  import(`${server}/platforms/discord/gateway/events.ts`) as Promise<EventsModule>,
  import(`${server}/platforms/discord/rest.ts`) as Promise<typeof import('../../../server/platforms/discord/rest')>,
  import(`${server}/adapters/http/client.ts`) as Promise<typeof import('../../../server/adapters/http/client')>,
])

const say = (what: string, facts: Record<string, unknown> = {}) => (
  void process.stdout.write(`${JSON.stringify({ what, at: Date.now(), ...facts })}\n`)
)
const log: Log = { info: () => {}, warn: say, error: say }
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }
const state = createRedisState({ url: settings.redisUrl, logger: quiet })
await state.connect()

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
// The test's end closes it, however the test ends.
process.stdin.resume().once('end', () => process.exit())

const { webhookUrl, botToken, durationMs, redisUrl, apiUrl, ...more } = settings
const rest = createDiscordRest({ botToken, apiUrl }, createHttpClient())
const options = { ...more, rest, state, botToken, log, deliver: forwardTo(webhookUrl, botToken, 10_000), onStatus: say }
try {
  await listen(options, { durationMs: durationMs ?? Infinity, standBy: durationMs === undefined, signal: stop.signal })
}
catch (error) {
  say('failed', { error: String(error) })
}
say('left')
process.exit()
