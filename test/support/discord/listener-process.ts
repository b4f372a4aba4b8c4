import { createRedisState } from '@chat-adapter/state-redis'
import { createHttpClient } from '../../../server/adapters/http/client'
import { forwardTo } from '../../../server/platforms/discord/gateway/events'
import { listen } from '../../../server/platforms/discord/gateway/listener'
import { createDiscordRest } from '../../../server/platforms/discord/api/rest'
import type { Log } from '../../../server/ports/runtime'

/** Settings from the environment variable `LISTENER`, as JSON */
export interface ListenerSettings {
  redisUrl: string
  webhookUrl: string
  botToken: string
  applicationId: string
  apiUrl: string
  leaseMs: number
  /** If absent, the listener stays on standby for the life of the process. */
  durationMs?: number
  owner?: string
}

const settings = JSON.parse(process.env.LISTENER ?? '{}') as ListenerSettings

const say = (what: string, facts: Record<string, unknown> = {}) => (
  void process.stdout.write(`${JSON.stringify({ what, at: Date.now(), ...facts })}\n`)
)
const log: Log = {
  info: (event, facts) => say(event.replace('discord.gateway.', ''), facts), warn: say, error: say,
}
const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }
const state = createRedisState({ url: settings.redisUrl, logger: quiet })
await state.connect()
say('started')

const stop = new AbortController()
process.once('SIGTERM', () => stop.abort())
// stdin closes when the test ends, however it ends.
process.stdin.resume().once('end', () => process.exit())

const { webhookUrl, botToken, durationMs, redisUrl, apiUrl, ...more } = settings
const rest = createDiscordRest({ botToken, apiUrl }, createHttpClient())
const options = { ...more, rest, state, botToken, log, deliver: forwardTo(webhookUrl, botToken, 10_000) }
try {
  await listen(options, { durationMs: durationMs ?? Infinity, standBy: durationMs === undefined, signal: stop.signal })
}
catch (error) {
  say('failed', { error: String(error) })
}
say('left')
process.exit()
