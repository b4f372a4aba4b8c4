import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { queryObjects } from 'node:v8'
import { Client } from 'undici'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { until } from '../../../support/until'

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'

let server: Server
let url: string
/** Requests in order, by connection. */
let requests: string[][]
let respond: (socket: Socket, text: string, connection: number) => void

beforeEach(async () => {
  requests = []
  server = createServer((socket) => {
    const connection = requests.push([]) - 1
    socket.on('error', () => {}).on('data', (chunk) => {
      requests[connection]!.push(String(chunk))
      respond(socket, String(chunk), connection)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
})
afterEach(() => { server.close() })

const call = (http: ReturnType<typeof createHttpClient>, timeoutMs = 60_000, ignoreBody = false) => http({
  method: 'POST', url, headers: {}, body: 'x', timeoutMs, ignoreBody,
})

/** Client with an idle connection in its pool. undici frees a connection one event-loop turn after the answer. */
async function warm() {
  const http = createHttpClient()
  respond = socket => socket.write(OK)
  await call(http)
  await nextTurn()
  return http
}

test('a kept connection that the vendor closes as we write is replaced at once', async () => {
  const http = await warm()
  respond = (socket, _, connection) => connection === 0 ? socket.resetAndDestroy() : socket.write(OK)
  expect(await call(http)).toMatchObject({ status: 200 })
  expect(requests.map(({ length }) => length)).toEqual([2, 1])
})

test('it is replaced once: the second failure is told', async () => {
  const http = await warm()
  respond = socket => socket.resetAndDestroy()
  await expect(call(http)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(requests.map(({ length }) => length)).toEqual([2, 1])
})

test('a new connection that is closed is not tried again: the request may have been read', async () => {
  respond = socket => socket.resetAndDestroy()
  await expect(call(createHttpClient())).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(requests.map(({ length }) => length)).toEqual([1])
})

test('an answer that breaks off is not asked for again', async () => {
  const http = await warm()
  respond = socket => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{"ok"', () => socket.resetAndDestroy())
  await expect(call(http)).rejects.toMatchObject({ code: 'ECONNRESET' })
  expect(requests.map(({ length }) => length)).toEqual([2])
})

test.each([
  [
    'a switch to another protocol', 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
    'UND_ERR_SOCKET',
  ],
  ['something that is no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'NO_HTTP_ANSWER'],
  ['headers without end', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(40_000)}\r\n\r\n`, 'UND_ERR_HEADERS_OVERFLOW'],
])('%s is a failure, and nobody waits for ever', async (_, answer, code) => {
  respond = socket => socket.write(answer)
  await expect(call(createHttpClient())).rejects.toMatchObject({ code })
})

test('an answer that drips is given up when its time is over', async () => {
  respond = (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n')
    const drip = setInterval(() => socket.write(' '), 5)
    socket.on('close', () => clearInterval(drip))
  }
  await expect(call(createHttpClient(), 100)).rejects.toMatchObject({ code: 'NO_ANSWER' })
})

test('early hints are no answer', async () => {
  respond = socket => socket.write(`HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${OK}`)
  expect(await call(createHttpClient())).toMatchObject({ status: 200, json: {} })
  // A call that needs only the status ends as soon as the status arrives.
  expect(await call(createHttpClient(), 60_000, true)).toMatchObject({ status: 200 })
})

test('an answer longer than any vendor\'s is a failure; one that nobody reads ends its connection', async () => {
  const closedConnections: number[] = []
  respond = (socket, _, connection) => {
    socket.on('close', () => closedConnections.push(connection))
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const flow = () => { while (!socket.destroyed && socket.write('x'.repeat(2 ** 16))) { /* Until it is full. */ } }
    socket.on('drain', flow)
    flow()
  }
  await expect(call(createHttpClient())).rejects.toMatchObject({ code: 'ANSWER_TOO_LONG' })
  expect(await call(createHttpClient(), 60_000, true)).toMatchObject({ status: 200 })
  await until('both connections are closed', () => closedConnections.length === 2)
})

test('every request says who sends it', async () => {
  respond = socket => socket.write(OK)
  await call(createHttpClient())
  expect(requests.flat().join('')).toMatch(/^user-agent: form-triage-bot\r$/im)
})

test('a vendor that would keep a connection for longer than we do does not', async () => {
  const http = createHttpClient({ idleMs: 50 })
  let isOpen = true
  respond = (socket) => {
    socket.on('close', () => { isOpen = false })
    socket.write(OK.replace('\r\n\r\n', '\r\nkeep-alive: timeout=600\r\n\r\n'))
  }
  await call(http)
  await until('the connection is closed', () => !isOpen)
  await call(http)
  expect(requests.map(({ length }) => length)).toEqual([1, 1])
})

test('of an endpoint that nobody calls any more nothing stays', async () => {
  const http = createHttpClient({ idleMs: 50 })
  const otherClients = queryObjects(Client, { format: 'count' })
  let openConnections = 0
  server.on('connection', (socket) => {
    openConnections++
    socket.on('close', () => openConnections--)
  })
  respond = socket => socket.write(OK)
  await Promise.all(Array.from({ length: 100 }, () => call(http)))
  // Counting objects on the heap is slow.
  await until('its connections are closed', () => openConnections === 0)
  await until('its connections are gone', () => queryObjects(Client, { format: 'count' }) < otherClients + 20)
  expect(await call(http)).toMatchObject({ status: 200 })
})
