import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { GatewaySocket, type SocketHooks } from '../../../../../server/platforms/discord/gateway/socket'
import { startDiscord, type DiscordDouble } from '../../../../support/discord/discord'
import { endAfterTest } from '../../../../support/lifetime'
import { until } from '../../../../support/until'

/** Time after which the library would have reconnected, ms: it waits for 500 ms. */
const RECONNECTED_MS = 700

let discord: DiscordDouble
beforeEach(async () => { discord = endAfterTest(await startDiscord()) })

const pause = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const gatewayAt = (url: string, remaining = 1) => async () => (
  { url, session_start_limit: { remaining, reset_after: 0 } }
)
const sessionAt = (resumeURL: string) => ({ sessionId: 'gone', resumeURL, sequence: 1 })

type Session = ReturnType<SocketHooks['session']>

function connect(hooks: Partial<SocketHooks> = {}, session: Session = null, double = discord) {
  const run = { session, events: [] as string[], refusals: [] as string[], ready: () => run.events.includes('READY') }
  const socket = endAfterTest(new GatewaySocket({
    botToken: double.botToken, intents: 1, session: () => run.session, gateway: gatewayAt(double.gateway.url),
    mayIdentify: async () => {},
    identified: (identity, sequence) => {
      run.session = { ...identity, sequence }
      run.events.push('identified')
    },
    ready: guilds => void run.events.push(`guilds ${guilds.length}`),
    resumed: () => void run.events.push('resumed'),
    dispatch: ({ t }) => void run.events.push(t),
    lost: () => {
      run.session = null
      run.events.push('lost')
    },
    detached: () => void run.events.push('detached'),
    refused: reason => void run.refusals.push(reason),
    ...hooks,
  }))
  void socket.open()
  return { run, socket }
}

/** Starts a session. */
async function begin(...args: Parameters<typeof connect>) {
  const connected = connect(...args)
  await until('the session', connected.run.ready)
  return connected
}

async function listen<T extends Server | WebSocketServer>(server: T): Promise<string> {
  endAfterTest(server)
  await once(server, 'listening')
  return `ws://127.0.0.1:${(server.address() as AddressInfo).port}`
}
const listenForSockets = (onSocket: (socket: Socket) => void) => (
  listen(createServer(socket => onSocket(socket.on('error', () => {}))).listen(0, '127.0.0.1'))
)
const refuse = (socket: Socket) => void socket.end('HTTP/1.1 503 Service Unavailable\r\n\r\n')

test('a new session is known with its guilds before its first event', async () => {
  const { run, socket } = connect()
  await until('the guild', () => run.events.includes('GUILD_CREATE'))
  expect(run.events).toEqual(['identified', 'guilds 1', 'READY', 'GUILD_CREATE'])
  expect(socket.detachedMs).toBe(0)
})

test.each([4007, 4009])('close code %i ends the session, others do not', async (code) => {
  const { run } = await begin()
  discord.gateway.closeWith(4000)
  await until('the resume', () => run.events.includes('resumed'))
  expect(run.events).not.toContain('lost')
  run.events = []
  discord.gateway.closeWith(code)
  await until('a new session', () => discord.gateway.identifies === 2)
  // If the ended session were resumed, there would be one more connection.
  expect(run.events.filter(event => event === 'lost' || event === 'detached')).toEqual(['detached', 'lost'])
})

test('close codes of refusals are told with what to do, and not answered by another socket', async () => {
  const codes = [4004, 4010, 4011, 4012, 4013, 4014]
  expect(await Promise.all(codes.map(async (code) => {
    const double = endAfterTest(await startDiscord())
    const { run: { refusals } } = await begin({}, null, double)
    double.gateway.closeWith(code)
    await until('the refusal', () => refusals.length > 0)
    await pause(RECONNECTED_MS)
    return [code, refusals.length, double.gateway.identifies, double.gateway.live()]
  }))).toEqual(codes.map(code => [code, 1, 1, 0]))
})

test('closing leaves a session, which is resumed at its own address, and at the general one if that has failed twice', async () => {
  const deadUrl = 'ws://127.0.0.1:9'
  const first = await begin()
  await first.socket.close()
  expect(discord.gateway.live()).toBe(0)
  expect(first.run.events.filter(event => event === 'lost' || event === 'detached')).toEqual([])
  const second = connect({ gateway: gatewayAt(deadUrl) }, first.run.session)
  for (let resumes = 1; resumes <= 4; resumes++) {
    await until('a resume', () => discord.gateway.resumes === resumes)
    if (resumes < 4) discord.gateway.closeWith(4000)
  }
  await second.socket.close()
  connect({}, { ...second.run.session!, resumeURL: deadUrl })
  await until('a resume', () => discord.gateway.resumes === 5)
  expect(discord.gateway.identifies).toBe(1)
})

test('without a session it waits for the REST API and for a budget, and tells only of a refusal of the bot', async () => {
  const answers: SocketHooks['gateway'][] = [
    async () => { throw new DeliveryFailed('HTTP 503') },
    async () => { throw new DeliveryFailed('HTTP 401', { permanent: true }) },
    gatewayAt(discord.gateway.url, 0), gatewayAt(discord.gateway.url),
  ]
  const identifies: number[] = []
  const { run } = await begin({ gateway: () => {
    identifies.push(discord.gateway.identifies)
    return answers.shift()!()
  } })
  expect([run.refusals, identifies]).toEqual([['HTTP 401'], [0, 0, 0, 0]])
})

test.each<[string, (url: string) => unknown]>([
  ['is away', () => { throw new Error('HTTP 500') }],
  ['answers with something else than where the gateway is', () => ({})],
  ['refuses the bot', () => { throw new DeliveryFailed('HTTP 403', { permanent: true }) }],
  ['says that no session may be begun any more', url => gatewayAt(url, 0)()],
])('a session is resumed while the REST API %s', async (_, answer) => {
  const { url } = discord.gateway
  const { run } = connect({ gateway: async () => answer(url) as never }, sessionAt(url))
  // Op 9 (invalid session): the server was reached.
  await until('an answer', () => run.session === null)
  expect(run.refusals).toEqual([])
})

test.each<[string, (socket: Socket) => void]>([
  ['is reset', socket => void socket.resetAndDestroy()], ['is refused', refuse],
])('closing while a socket connects waits for it, also when it %s', async (_, fail) => {
  const sockets: Socket[] = []
  const { socket } = connect({}, sessionAt(await listenForSockets(each => void sockets.push(each))))
  await until('the socket', () => sockets.length > 0)
  const from = performance.now()
  const closing = socket.close()
  setTimeout(() => fail(sockets[0]!), 100)
  await closing
  // Waits only for this socket: another one would have a handshake timeout of five seconds.
  expect(performance.now() - from).toBeLessThan(5000)
  // During this pause, an error without a handler would end the test run.
  await pause(RECONNECTED_MS)
  expect(sockets.length).toBe(1)
})

test('sockets that fail come ever more slowly, and none after it was closed', async () => {
  const connectedAt: number[] = []
  const url = await listenForSockets((socket) => {
    connectedAt.push(performance.now())
    refuse(socket)
  })
  const { socket } = connect({ gateway: gatewayAt(url) }, sessionAt(url))
  await until('four sockets', () => connectedAt.length === 4)
  // The library's 500 ms, plus at least half of 1 s and half of 2 s. Timers may be 1 ms early.
  expect(connectedAt[2]! - connectedAt[1]!).toBeGreaterThan(990)
  expect(connectedAt[3]! - connectedAt[2]!).toBeGreaterThan(1490)
  // Close within the next pause of at least 2.5 s.
  await pause(1500)
  await socket.close()
  await pause(RECONNECTED_MS)
  expect(connectedAt.length).toBe(4)
})

test('closing does not wait for another end that is gone', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  server.on('connection', (peer) => {
    peer.send(JSON.stringify({ op: 10, d: { heartbeat_interval: 41_250 } }))
    peer.once('message', () => peer.pause())
  })
  const { socket } = connect({}, sessionAt(await listen(server)))
  await until('the RESUME', () => [...server.clients].some(({ isPaused }) => isPaused))
  const from = performance.now()
  await socket.close()
  // The library itself waits for half a minute.
  expect(performance.now() - from).toBeLessThan(20_000)
  for (const peer of server.clients) peer.terminate()
})
