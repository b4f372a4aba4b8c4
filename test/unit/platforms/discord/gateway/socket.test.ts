import { once } from 'node:events'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { GatewaySocket, type SocketHooks } from '../../../../../server/platforms/discord/gateway/socket'
import { startDiscord, type DiscordDouble } from '../../../../support/discord/discord'
import { endAfterTest } from '../../../../support/lifetime'
import { until } from '../../../../support/until'

let discord: DiscordDouble
let socket: GatewaySocket
let events: string[]

beforeEach(async () => {
  discord = endAfterTest(await startDiscord())
  events = []
})

afterEach(async () => { await socket.close() })

function connect(hooks: Partial<SocketHooks> = {}): GatewaySocket {
  const url = discord.gateway.url
  let session: ReturnType<SocketHooks['session']> = null
  socket = new GatewaySocket({
    botToken: discord.botToken, intents: 1,
    session: () => session,
    gateway: async () => ({ url, session_start_limit: { remaining: 1, reset_after: 0 } }),
    mayIdentify: async () => {},
    identified: (identity, sequence) => {
      session = { ...identity, sequence }
      events.push('identified')
    },
    ready: guilds => void events.push(`guilds ${guilds.length}`),
    resumed: () => void events.push('resumed'),
    dispatch: ({ t }) => void events.push(t),
    lost: () => {
      session = null
      events.push('lost')
    },
    detached: () => void events.push('detached'),
    refused: reason => void events.push(reason),
    ...hooks,
  })
  void socket.open()
  return socket
}

test('a new session is known with its guilds before its first event', async () => {
  connect()
  await until('the guild', () => events.includes('GUILD_CREATE'))
  expect(events).toEqual(['identified', 'guilds 1', 'READY', 'GUILD_CREATE'])
  expect(socket.detachedMs).toBe(0)
})

test('closing leaves a session that can be resumed, and connects no more', async () => {
  connect()
  await until('the session', () => events.includes('READY'))
  await socket.close()
  await new Promise(resolve => setTimeout(resolve, 700))
  expect(discord.gateway).toMatchObject({ identifies: 1 })
  expect(discord.gateway.live()).toBe(0)
  expect(events).not.toContain('lost')
  expect(events).not.toContain('detached')
})

test.each([4007, 4009])('close code %i ends the session, others do not', async (code) => {
  connect()
  await until('the session', () => events.includes('READY'))
  discord.gateway.closeWith(4000)
  await until('the resume', () => events.includes('resumed'))
  expect(events).not.toContain('lost')
  events = []
  discord.gateway.closeWith(code)
  await until('a new session', () => discord.gateway.identifies === 2)
  // A RESUME of an ended session would be one more connection.
  expect(events.filter(event => event === 'lost' || event === 'detached')).toEqual(['detached', 'lost'])
})

test.each([4004, 4010, 4011, 4012, 4013, 4014])('close code %i is told with what to do, and not answered by another socket', async (code) => {
  const refusals: string[] = []
  connect({ refused: reason => void refusals.push(reason) })
  await until('the session', () => events.includes('READY'))
  discord.gateway.closeWith(code)
  await until('the refusal', () => refusals.length > 0)
  // The library reconnects after 500 ms, if at all.
  await new Promise(resolve => setTimeout(resolve, 700))
  expect([refusals.length, discord.gateway.identifies, discord.gateway.live()]).toEqual([1, 1, 0])
})

test('a session is resumed at its own address, and at the general one once that has failed twice in a row', async () => {
  const [url, deadUrl] = [discord.gateway.url, 'ws://127.0.0.1:9']
  let storedSession: ReturnType<SocketHooks['session']> = null
  const getSession = () => storedSession
  const gateway = (url: string) => async () => ({ url, session_start_limit: { remaining: 1, reset_after: 0 } })
  connect({ identified: (identity, sequence) => void (storedSession = { ...identity, sequence }) })
  await until('the session', () => events.includes('READY'))
  await socket.close()
  connect({ session: getSession, gateway: gateway(deadUrl) })
  for (let resumes = 1; resumes <= 4; resumes++) {
    await until('a resume', () => discord.gateway.resumes === resumes)
    if (resumes < 4) discord.gateway.closeWith(4000)
  }
  await socket.close()
  storedSession = { ...storedSession!, resumeURL: deadUrl }
  connect({ session: getSession, gateway: gateway(url) })
  await until('a resume', () => discord.gateway.resumes === 5)
  expect(discord.gateway.identifies).toBe(1)
})

test('a bot that the REST API refuses is told to whoever listens, and what fails in passing is not', async () => {
  const refusal = new DeliveryFailed('HTTP 401', { permanent: true })
  const answers = [new Error('HTTP 500'), new DeliveryFailed('HTTP 503'), refusal]
  const { url } = discord.gateway
  connect({ gateway: async () => {
    if (answers.length > 0) throw answers.shift()
    return { url, session_start_limit: { remaining: 1, reset_after: 0 } }
  } })
  await until('the session', () => events.includes('READY'))
  expect(events.filter(event => event.startsWith('HTTP'))).toEqual(['HTTP 401'])
})

test('without budget for an IDENTIFY it waits; a REST API that is away stops no RESUME', async () => {
  let budget = 0
  const { url } = discord.gateway
  connect({ gateway: async () => ({ url, session_start_limit: { remaining: budget, reset_after: 0 } }) })
  await until('the refusal', () => events.includes('detached'))
  expect(discord.gateway.identifies).toBe(0)
  budget = 1
  await until('the session', () => events.includes('READY'))
  await socket.close()
  const session = { sessionId: 'gone', resumeURL: url, sequence: 1 }
  let currentSession: typeof session | null = session
  events = []
  connect({ session: () => currentSession, lost: () => void (currentSession = null), gateway: async () => {
    throw new Error('HTTP 500')
  } })
  // Op 9 (invalid session): the server was reached.
  await until('an answer', () => currentSession === null)
})

test.each([
  ['answers with something else than where the gateway is', () => ({})],
  ['refuses the bot', () => { throw new DeliveryFailed('HTTP 403', { permanent: true }) }],
  ['says that no session may be begun any more', (url: string) => (
    { url, session_start_limit: { remaining: 0, reset_after: 60_000 } }
  )],
])('a session is resumed while the REST API %s', async (_, answer) => {
  const refusals: string[] = []
  let currentSession: { sessionId: string, resumeURL: string, sequence: number } | null = {
    sessionId: 'gone', resumeURL: discord.gateway.url, sequence: 1,
  }
  connect({
    session: () => currentSession, lost: () => void (currentSession = null),
    refused: reason => void refusals.push(reason), gateway: async () => answer(discord.gateway.url) as never,
  })
  // Op 9 (invalid session): the server was reached.
  await until('an answer', () => currentSession === null)
  expect(refusals).toEqual([])
})

test.each<[string, (socket: Socket) => void]>([
  ['is reset', socket => void socket.resetAndDestroy()],
  ['is refused', socket => void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')],
])('closing while a socket connects waits for it, also when it %s', async (_, fail) => {
  const sockets: Socket[] = []
  const server = createServer(socket => void sockets.push(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resumeURL = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  connect({ session: () => ({ sessionId: 's', resumeURL, sequence: 1 }) })
  await until('the socket', () => sockets.length > 0)
  const from = performance.now()
  const closing = socket.close()
  setTimeout(() => fail(sockets[0]!), 100)
  await closing
  // Waits only for this socket: another one would have a handshake timeout of five seconds.
  expect(performance.now() - from).toBeLessThan(5000)
  // An error without a handler would end the test run here.
  await new Promise(resolve => setTimeout(resolve, 700))
  expect(sockets.length).toBe(1)
  server.close()
})

test('sockets that fail come ever more slowly, and none after it was closed', async () => {
  const connectedAt: number[] = []
  const server = createServer((socket) => {
    connectedAt.push(performance.now())
    socket.on('error', () => {}).end('HTTP/1.1 503 Service Unavailable\r\n\r\n')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const resumeURL = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  connect({
    session: () => ({ sessionId: 's', resumeURL, sequence: 1 }),
    gateway: async () => ({ url: resumeURL, session_start_limit: { remaining: 1, reset_after: 0 } }),
  })
  await until('four sockets', () => connectedAt.length === 4)
  // The library's 500 ms, plus at least half of 1 s and half of 2 s. Timers may be 1 ms early.
  expect(connectedAt[2]! - connectedAt[1]!).toBeGreaterThan(990)
  expect(connectedAt[3]! - connectedAt[2]!).toBeGreaterThan(1490)
  // Close within the next pause of at least 2.5 s.
  await new Promise(resolve => setTimeout(resolve, 1500))
  await socket.close()
  await new Promise(resolve => setTimeout(resolve, 700))
  expect(connectedAt.length).toBe(4)
  server.close()
})

test('closing does not wait for another end that is gone', async () => {
  const server = endAfterTest(new WebSocketServer({ port: 0, host: '127.0.0.1' }))
  server.on('connection', (peer) => {
    peer.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 } }))
    peer.once('message', () => peer.pause())
  })
  await once(server, 'listening')
  const resumeURL = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
  connect({ session: () => ({ sessionId: 's', resumeURL, sequence: 1 }) })
  await until('the RESUME', () => [...server.clients].some(({ isPaused }) => isPaused))
  const from = performance.now()
  await socket.close()
  // The library itself waits for half a minute.
  expect(performance.now() - from).toBeLessThan(20_000)
  for (const peer of server.clients) peer.terminate()
})
