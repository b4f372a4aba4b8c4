import { WebSocketManager, WebSocketShardEvents } from '@discordjs/ws'
import { Client, GatewayIntentBits, REST } from 'discord.js'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { startDiscord, type DiscordDouble } from '../../../support/discord/discord'
import { button, post, rest, row } from '../../../support/discord/fixtures'
import type { Json } from '../../../support/discord/types'
import { endAfterTest } from '../../../support/lifetime'
import { until } from '../../../support/until'

let discord: DiscordDouble
beforeEach(async () => {
  discord = endAfterTest(await startDiscord({ latencyMs: { connect: 2, identify: 2, resume: 2 } }))
})

const { Guilds, GuildMessages, MessageContent, GuildMessageReactions } = GatewayIntentBits
const INTENTS = Guilds | GuildMessages | MessageContent | GuildMessageReactions

async function connect(more: Partial<ConstructorParameters<typeof WebSocketManager>[0]> = {}) {
  let session: Parameters<NonNullable<typeof more.updateSessionInfo>>[1] = null
  const manager = new WebSocketManager({
    token: discord.botToken, intents: INTENTS,
    rest: new REST({ api: discord.restUrl.replace('/v10', '') }).setToken(discord.botToken),
    retrieveSessionInfo: () => session, updateSessionInfo: (_, info) => void (session = info), ...more,
  })
  const events: { t: string, d: Json }[] = []
  manager.on(WebSocketShardEvents.Dispatch, payload => void events.push(payload as unknown as typeof events[number]))
  manager.on(WebSocketShardEvents.Error, () => {})
  onTestFinished(() => manager.destroy())
  await manager.connect()
  const contents = () => events.filter(({ t }) => t === 'MESSAGE_CREATE').map(({ d }) => d.content as string)
  return { manager, events, contents }
}

test('lets @discordjs/ws identify and sends it guild, messages and reactions', async () => {
  const { events } = await connect()
  const { id } = discord.emitMessage({ content: `<@${discord.applicationId}> hello` })
  discord.emitReaction({ messageId: id, emoji: '👍' })
  await until('all events', () => events.length === 4)
  expect(events).toMatchObject([
    { t: 'READY' }, { t: 'GUILD_CREATE', d: { id: discord.guildId } },
    { t: 'MESSAGE_CREATE', d: {
      id, author: { username: 'ada' }, mentions: [{ id: discord.applicationId }], guild_id: discord.guildId,
    } },
    { t: 'MESSAGE_REACTION_ADD', d: { message_id: id, emoji: { name: '👍' }, user_id: discord.user.id } },
  ])
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 0 })
  expect(discord.gateway.live()).toBe(1)
})

test.each<[string, () => void]>([
  ['a TCP reset', () => discord.gateway.dropAll()],
  ['op 7', () => discord.gateway.reconnect()],
  ['a resumable op 9', () => discord.gateway.invalidate(true)],
  ['close code 4000', () => discord.gateway.closeWith(4000)],
])('replays to a resumed session what was missed after %s', async (_, interrupt) => {
  const { contents } = await connect()
  discord.emitMessage({ content: 'before' })
  interrupt()
  discord.emitMessage({ content: 'meanwhile' })
  await until('the resume', () => discord.gateway.resumes === 1)
  discord.emitMessage({ content: 'after' })
  await until('the last message', () => contents().includes('after'))
  // Once or twice: @discordjs/ws may read its sequence before it has counted the events that came with op 9.
  expect([...new Set(contents())]).toEqual(['before', 'meanwhile', 'after'])
  expect(discord.gateway.identifies).toBe(1)
})

test('replays to a client that a zombie connection had', async () => {
  discord.gateway.heartbeatIntervalMs = 500
  const { contents } = await connect()
  discord.gateway.heartbeatIntervalMs = 41_250
  discord.gateway.freezeAcks = true
  discord.emitMessage({ content: 'unheard' })
  await until('the replay', () => contents().includes('unheard'))
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1, freezeAcks: false })
})

test('asks for a heartbeat and acknowledges it', async () => {
  // The client's own first heartbeat comes at a random time within this interval.
  discord.gateway.heartbeatIntervalMs = 2 ** 31 - 1
  const { manager } = await connect()
  const acknowledged = new Promise(resolve => manager.once(WebSocketShardEvents.HeartbeatComplete, resolve))
  discord.gateway.requestHeartbeat()
  await acknowledged
  expect(discord.gateway.heartbeats).toBe(1)
})

test('forgets a session that the client closed with 1000, and keeps one closed with 4200', async () => {
  let stored: Json | null = null
  const keep = {
    retrieveSessionInfo: () => stored as never,
    updateSessionInfo: (_: number, info: unknown) => void (stored = info as Json ?? stored),
  }
  const first = await connect(keep)
  await first.manager.destroy({ code: 4200 })
  discord.emitMessage({ content: 'kept' })
  const second = await connect(keep)
  await until('the replay', () => second.contents().includes('kept'))
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1 })
  await second.manager.destroy({ code: 1000 })
  const session = stored as unknown as Json
  expect(
    await closing({ op: 6, d: { token: discord.botToken, session_id: session.sessionId, seq: session.sequence } }),
  ).toEqual({ op: 9, d: false })
})

test('closes with 4004 on a wrong token, 4013 on wrong intents, 4003 on a request before identifying, 4001 on an unknown opcode', async () => {
  expect(await closing({ op: 2, d: { token: 'wrong', intents: 1 } })).toEqual({ code: 4004 })
  expect(await closing({ op: 2, d: { token: discord.botToken } })).toEqual({ code: 4013 })
  expect(await closing({ op: 3, d: {} })).toEqual({ code: 4003 })
  expect(await closing({ op: 99 })).toEqual({ code: 4001 })
  expect(discord.gateway.identifies).toBe(0)
})

test('hides content from who did not ask for it', async () => {
  const { events } = await connect({ intents: INTENTS & ~GatewayIntentBits.MessageContent })
  discord.emitMessage({ content: 'secret' })
  await until('the message', () => events.some(({ t }) => t === 'MESSAGE_CREATE'))
  expect(events.at(-1)!.d.content).toBe('')
})

test('serves a stock discord.js client', async () => {
  const client = new Client({ intents: INTENTS, rest: { api: discord.restUrl.replace('/v10', '') } })
  onTestFinished(() => client.destroy())
  const heard: string[] = []
  client.on(
    'messageCreate',
    message => (
      void heard.push(`${message.author.displayName}: ${message.content} in ${String('name' in message.channel && message.channel.name)}`)
    ),
  )
  const ready = new Promise(resolve => client.once('clientReady', resolve))
  await client.login(discord.botToken)
  await ready
  discord.emitMessage({ content: 'hello' })
  await until('the message', () => heard.length > 0)
  expect(heard).toEqual(['Ada Lovelace: hello in submissions'])
})

test('answers op 9 to an IDENTIFY that comes too soon', async () => {
  discord.gateway.identifyIntervalMs = 60_000
  await connect()
  expect(await closing({ op: 2, d: { token: discord.botToken, intents: 1 } })).toEqual({ op: 9, d: false })
  expect(discord.gateway.identifies).toBe(1)
})

test('refuses sockets during an outage', async () => {
  discord.gateway.refuse = true
  expect(await closing({ op: 1 })).toEqual({ code: 1006 })
  discord.gateway.refuse = false
  await connect()
  expect(discord.gateway.live()).toBe(1)
})

test('an interaction without an endpoint arrives as an event and is answered through the callback', async () => {
  const { manager } = await connect()
  manager.on(WebSocketShardEvents.Dispatch, ({ t, d }) => {
    if (t === 'INTERACTION_CREATE') {
      void rest(discord, 'POST', `/interactions/${d.id}/${d.token}/callback`, { type: 7, data: { components: [] } }, '')
    }
  })
  await post(discord, { content: 'a', components: [row(button(1))] })
  expect(await discord.click('gateway', discord.messages()[0]!, 'b1')).toMatchObject({
    status: 200, message: { components: [] },
  })
})

/** Reaction to this packet, sent by a bare socket after HELLO: the close code, or op 9. */
function closing(packet: Json): Promise<Json> {
  const socket = new WebSocket(discord.gateway.url)
  onTestFinished(() => socket.close())
  return new Promise((resolve) => {
    socket.onclose = ({ code }) => resolve({ code })
    socket.onmessage = ({ data }) => {
      const { op, d } = JSON.parse(String(data)) as Json
      if (op === 10) socket.send(JSON.stringify(packet))
      if (op === 9) resolve({ op, d })
    }
  })
}
