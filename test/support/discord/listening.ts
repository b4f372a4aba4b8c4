import { type ChildProcess, spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { createRedisState } from '@chat-adapter/state-redis'
import type { StateAdapter } from 'chat'
import { build } from 'esbuild'
import { expect } from 'vitest'
import { startRedis, type RedisServer } from '../redis-server'
import { until } from '../until'
import { startDiscord } from './discord'
import { rest } from './fixtures'
import type { ListenerSettings } from './listener-process'
import { startReceiver, type Receiver } from './receiver'
import type { DiscordDouble, Json } from './types'

const LEASE_MS = 2000
/** A listener is a process, which takes long to start where many others are busy. */
const HANGS_MS = 60_000

/** In one file: a process takes three times as long to start from many. */
const PROGRAM = resolve(import.meta.dirname, '../../../.tmp/listener.mjs')
let built: Promise<unknown> | undefined

/** A listener in a process of its own. */
interface ListenerProcess {
  child: ChildProcess
  said: ({ what: string } & Json)[]
  has: (what: string) => boolean
  /** Resolves when it has a session at Discord. */
  connected: () => Promise<unknown>
  left: Promise<void>
}

/** Redis, Discord, our route, and listeners between them. */
export interface Listening {
  redis: RedisServer
  state: StateAdapter
  discord: DiscordDouble
  receiver: Receiver
  /** What listeners that start from now on hold; it ends unless its holder has had the processor within that time. */
  leaseMs: number
  /** Without a duration it stands by. */
  listen: (durationMs?: number, owner?: string) => ListenerProcess
  send: (channelId?: string) => string
  react: (messageId: string, emoji: string, channelId?: string, remove?: boolean) => void
  /**
   * A message per 50 ms over all channels and, unless told otherwise, at every fourth a reaction that is added, removed
   * and added again. Returns how to stop.
   */
  chatter: (channels: string[], reactions?: boolean) => () => void
  thread: () => Promise<string>
  sent: () => number
  handled: () => number
  /** Asserts that everything was handled, in the order of each channel, and nothing twice. */
  allHandled: () => Promise<void>
  close: () => Promise<void>
}

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }

export async function startListening(): Promise<Listening> {
  await (built ??= buildListener())
  const redis = await startRedis()
  const state = createRedisState({ url: redis.url, logger: quiet })
  await state.connect()
  const discord = await startDiscord({ latencyMs: { connect: 20, identify: 100, resume: 20 } })
  const receiver = await startReceiver(state, discord.botToken)
  const listeners: ListenerProcess[] = []
  const sent = new Map<string, string[]>()
  const note = (channel: string, what: string) => void sent.set(channel, [...sent.get(channel) ?? [], what])

  const listening: Listening = {
    redis, state, discord, receiver, leaseMs: LEASE_MS,
    listen: (durationMs, owner) => {
      const { botToken, applicationId, restUrl } = discord
      const listener = startListener({
        redisUrl: redis.url, webhookUrl: receiver.url, botToken, applicationId, apiUrl: restUrl,
        leaseMs: listening.leaseMs,
        durationMs, owner,
      })
      listeners.push(listener)
      return listener
    },
    send: (channelId = discord.channelId) => {
      const { id } = discord.emitMessage({ channelId, content: 'hello' })
      note(channelId, `message ${id}`)
      return id
    },
    react: (messageId, emoji, channelId = discord.channelId, remove = false) => {
      discord.emitReaction({ messageId, emoji, channelId, remove })
      note(channelId, `${remove ? 'REMOVE' : 'ADD'} ${emoji} ${messageId}`)
    },
    chatter: (channels, reactions = true) => {
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
    allHandled: async () => {
      const isAll = () => listening.handled() >= listening.sent()
      // A slow machine has many to catch up on: as long as it gets on.
      for (let before = -1; !isAll() && listening.handled() > before;) {
        before = listening.handled()
        await until('more of it to be handled', () => isAll() || listening.handled() > before, HANGS_MS).catch(() => {})
      }
      expect(byChannel(receiver)).toEqual(Object.fromEntries(sent))
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

function byChannel({ handled }: Receiver): Record<string, string[]> {
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
    // For what of the packages is CommonJS.
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
