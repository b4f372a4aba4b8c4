import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createRedisState } from '@chat-adapter/state-redis'
import type { StateAdapter } from 'chat'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { firstDelivery, type ForwardedEvent } from '../../../server/platforms/discord/gateway/events'
import { startProxy } from '../proxy'
import { startRedis } from '../redis-server'
import { until } from '../until'
import { startDiscord } from './discord'
import { rest } from './fixtures'
import type { ListenerSettings } from './listener-process'
import type { Json } from './types'

const LEASE_MS = 2000
/** Time limit for hangs, ms: the listener is a process, which starts slowly on a busy machine. */
const HANGS_MS = 60_000

/** Bundled into one file: a process takes three times as long to start from many files. */
const PROGRAM = resolve(import.meta.dirname, '../../../.tmp/listener.mjs')
let built: Promise<unknown> | undefined

/** A listener in its own process */
interface ListenerProcess {
  child: ChildProcess
  said: ({ what: string } & Json)[]
  has: (what: string) => boolean
  /** Resolves when it has a Discord session. */
  connected: () => Promise<unknown>
  left: Promise<void>
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }

export type Listening = Awaited<ReturnType<typeof startListening>>

type Handled = ForwardedEvent & { data: Json }

/** Starts a slow double of our webhook route. It checks the token, drops repetitions, and records events in order. */
async function startReceiver(state: StateAdapter, botToken: string) {
  const handled: Handled[] = []
  const proxy = await startProxy(async ({ headers, body }) => {
    if (headers['x-discord-gateway-token'] !== botToken) return new Response(null, { status: 401 })
    const event = JSON.parse(body) as Handled
    if (await firstDelivery(state, event)) {
      handled.push(event)
      await new Promise(resolve => setTimeout(resolve, 5))
    }
    return new Response()
  })
  return Object.assign(proxy, { handled })
}

/** Starts Redis, a Discord double and our route; listeners connect them. */
export async function startListening() {
  await (built ??= buildListener())
  const redis = await startRedis()
  const state = createRedisState({ url: redis.url, logger: quiet })
  await state.connect()
  const discord = await startDiscord({ latencyMs: { connect: 20, identify: 100, resume: 20 } })
  const receiver = await startReceiver(state, discord.botToken)
  const listeners: ListenerProcess[] = []
  const sent = new Map<string, string[]>()
  const note = (channel: string, what: string) => void sent.set(channel, [...sent.get(channel) ?? [], what])

  const listening = {
    redis, state, discord, receiver,
    /**
     * Lease duration of listeners started from now on, ms. An owner that gets no processor time for this long loses
     * its lease.
     */
    leaseMs: LEASE_MS,
    /** Without a duration, the listener stays on standby. */
    listen: (durationMs?: number, owner?: string) => {
      const { botToken, applicationId, restUrl } = discord
      const listener = startListener({
        redisUrl: redis.url, webhookUrl: `${receiver.url}/api/webhooks/discord`, botToken, applicationId,
        apiUrl: restUrl, leaseMs: listening.leaseMs, durationMs, owner,
      })
      listeners.push(listener)
      return listener
    },
    send: (channelId = discord.channelId) => {
      const { id } = discord.emitMessage({ channelId, content: 'hello' })
      note(channelId, `message ${id}`)
      return id
    },
    react: (messageId: string, emoji: string, channelId = discord.channelId, remove = false) => {
      discord.emitReaction({ messageId, emoji, channelId, remove })
      note(channelId, `${remove ? 'REMOVE' : 'ADD'} ${emoji} ${messageId}`)
    },
    /**
     * Sends a message every 50 ms, to each channel in turn. With `reactions`, adds a reaction to every fourth message,
     * removes it and adds it again. Returns a function that stops it.
     */
    chatter: (channels: string[], reactions = true) => {
      let count = 0
      const timer = setInterval(() => {
        const channel = channels[count++ % channels.length]!
        const id = listening.send(channel)
        if (reactions && count % 4 === 1) {
          for (const remove of [false, true, false]) listening.react(id, '👍', channel, remove)
        }
      }, 50)
      return () => clearInterval(timer)
    },
    thread: async () => {
      const { status, body } = await rest(
        discord, 'POST', `/channels/${discord.channelId}/messages/${listening.send()}/threads`, { name: 'Talk' },
      )
      expect(status).toBe(200)
      return body.id as string
    },
    sent: () => [...sent.values()].flat().length,
    handled: () => receiver.handled.length,
    /** Asserts that every event was handled exactly once, and in order within its channel. */
    allHandled: async () => {
      const isAll = () => listening.handled() >= listening.sent()
      // Wait as long as there is progress: a slow machine has many events to catch up on.
      for (let before = -1; !isAll() && listening.handled() > before;) {
        before = listening.handled()
        await until('more of it to be handled', () => isAll() || listening.handled() > before, HANGS_MS).catch(() => {})
      }
      expect(byChannel(receiver.handled)).toEqual(Object.fromEntries(sent))
    },
    close: async () => {
      for (const { child } of listeners) child.kill('SIGKILL')
      await Promise.all(listeners.map(({ left }) => left))
      await receiver.close()
      await discord.close()
      await state.disconnect()
      await redis.stop()
    },
  }
  return listening
}

function byChannel(handled: readonly Handled[]): Record<string, string[]> {
  const channels: Record<string, string[]> = {}
  for (const { type, data } of handled) {
    const what = type === 'GATEWAY_MESSAGE_CREATE'
      ? `message ${data.id}`
      : `${type.split('_').at(-1)} ${data.emoji.name} ${data.message_id}`
    channels[data.channel_id] = [...channels[data.channel_id] ?? [], what]
  }
  return channels
}

function buildListener(): Promise<unknown> {
  return build({
    entryPoints: [resolve(import.meta.dirname, 'listener-process.ts')], outfile: PROGRAM,
    bundle: true, platform: 'node', format: 'esm', logLevel: 'error',
    // Needed by packages that are CommonJS.
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url)' },
  })
}

function startListener(settings: ListenerSettings): ListenerProcess {
  const child = spawn(process.execPath, [PROGRAM], {
    env: { ...process.env, LISTENER: JSON.stringify(settings) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const said: ListenerProcess['said'] = []
  createInterface({ input: child.stdout! }).on('line', line => said.push(JSON.parse(line) as { what: string }))
  const has = (what: string) => said.some(entry => entry.what === what)
  return {
    child, said, has,
    connected: () => until('a session', () => has('resumed') || has('identified'), HANGS_MS),
    left: new Promise(resolve => child.once('exit', () => resolve())),
  }
}
