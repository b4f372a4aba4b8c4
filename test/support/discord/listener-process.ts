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
const gateway = '../../../server/platforms/discord/gateway'
const [{ createRedisState }, { listen, keepListening }, { createHttpForward }, { createDiscordRest }, { createHttpClient }] = await Promise.all([
  import('@chat-adapter/state-redis'),
  import(`${gateway}/listener.ts`) as Promise<typeof import('../../../server/platforms/discord/gateway/listener')>,
  import(`${gateway}/http-forward.ts`) as Promise<typeof import('../../../server/platforms/discord/gateway/http-forward')>,
  import(`${gateway}/../rest.ts`) as Promise<typeof import('../../../server/platforms/discord/rest')>,
  import('../../../server/adapters/http/client.ts' as string) as Promise<typeof import('../../../server/adapters/http/client')>,
])

const say = (what: string, facts: Record<string, unknown> = {}) => void process.stdout.write(`${JSON.stringify({ what, at: Date.now(), ...facts })}\n`)
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
const options = { ...more, rest, state, botToken, log, deliver: createHttpForward(webhookUrl, botToken, 10_000), onStatus: say }
try {
  if (durationMs === undefined) await keepListening(options, stop.signal)
  else await listen(options, { durationMs, signal: stop.signal })
}
catch (error) {
  say('failed', { error: String(error) })
}
say('left')
process.exit()
