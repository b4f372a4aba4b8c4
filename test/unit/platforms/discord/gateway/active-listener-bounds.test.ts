import { createMemoryState } from '@chat-adapter/state-memory'
import type { StateAdapter } from 'chat'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EventData } from '../../../../../server/platforms/discord/gateway/events'
import { GatewayStore } from '../../../../../server/platforms/discord/gateway/store'
import { ownerOf } from '../../../../support/discord/active'
import { startDiscord } from '../../../../support/discord/discord'
import type { DiscordDouble } from '../../../../support/discord/types'
import { until } from '../../../../support/until'

/** What an owner leaves undone: sessions that it may not begin, and events that are its successor's. */

/** So long that it looks at the store only when something has happened: its looks are minutes apart. */
const LONG_MS = 6_000_000

let discord: DiscordDouble
let state: StateAdapter
let store: GatewayStore
let over: AbortController
let running: Promise<string>

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  discord = await startDiscord()
  state = createMemoryState()
  await state.connect()
  store = new GatewayStore(state, discord.applicationId)
  over = new AbortController()
})

afterEach(async () => {
  over.abort()
  await running
  await discord.close()
  vi.useRealTimers()
})

async function start(deliver: (event: EventData) => Promise<void> = async () => {}) {
  let isConnected = false
  const owner = await ownerOf(discord, {
    state, store, leaseMs: LONG_MS, signal: over.signal, deliver: ({ data }) => deliver(data as EventData),
    onStatus: what => void (isConnected ||= what === 'identified'),
  })
  running = owner.listener.run()
  await until('the session', () => isConnected)
  return owner
}

const pass = (ms: number) => void vi.setSystemTime(Date.now() + ms)
const say = () => discord.emitMessage({ content: 'help' }).id

test('a session that cannot be counted is not begun', async () => {
  const [count, begun] = [store.countIdentify.bind(store), [] as number[]]
  store.countIdentify = async () => {
    begun.push(discord.gateway.identifies)
    if (begun.length < 2) throw new Error('OOM command not allowed')
    return count()
  }
  await start()
  expect(begun).toEqual([0, 0])
})
