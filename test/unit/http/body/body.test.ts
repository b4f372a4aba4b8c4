import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { H3Event } from 'h3'
import { describe, expect, test, vi } from 'vitest'
import { createBodyReader, readForm } from '../../../../server/http/body/body'
import { BodyMemory } from '../../../../server/http/body/body-memory'

const MIB = 1024 * 1024

/** Request from this client, and its response. The test emits the events of the body. */
function request(remoteAddress = '203.0.113.1') {
  const req = Object.assign(new EventEmitter(), { headers: {}, socket: { remoteAddress }, resume: () => {} })
  const res = new EventEmitter()
  return { req, res, event: { node: { req, res }, headers: new Headers(), context: {} } as unknown as H3Event }
}

const memory = () => new BodyMemory(64 * MIB, 4 * MIB)
const limits = () => ({ memory: memory(), uploads: memory(), timeoutMs: 60_000, trustedProxies: 0 })
const createReader = () => createBodyReader(limits())

/** Sends this many bytes as a body; resolves with 200 once it is read, or the status that refuses it. */
function send(readBody: ReturnType<typeof createBodyReader>, bytes: number, address?: string) {
  const sender = request(address)
  const status = readBody(sender.event, 4 * MIB).then(() => 200, (error: { status: number }) => error.status)
  sender.req.emit('data', Buffer.alloc(bytes))
  sender.req.emit('end')
  return { ...sender, status }
}

/** Used bytes of the heap after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('a body in chunks of a byte takes its bytes, not a hundred times as many', async () => {
  const { req, res, event } = request()
  const heapBefore = heap()
  const body = createReader()(event, MIB)
  for (let byteCount = 0; byteCount < 250_000; byteCount++) req.emit('data', Buffer.from('x'))
  expect(heap() - heapBefore).toBeLessThan(5 * MIB)
  req.emit('end')
  expect((await body).toString()).toBe('x'.repeat(250_000))
  res.emit('close')
})

test('a body counts until its request is answered, and what was refused does not', async () => {
  const readBody = createReader()
  const large = Array.from({ length: 4 }, () => send(readBody, 4 * MIB))
  expect(await Promise.all(large.map(({ status }) => status))).toEqual([200, 200, 200, 200])
  for (const [address, status] of [['203.0.113.1', 429], ['203.0.113.1', 429], ['203.0.113.2', 200]] as const) {
    expect(await send(readBody, 65 * 1024, address).status).toBe(status)
  }
  large[0]!.res.emit('close')
  expect(await send(readBody, 65 * 1024).status).toBe(200)
})

test('one of the largest may come from anybody, however little memory there is, and no second one beside it', () => {
  const little = new BodyMemory(1000, 10 * MIB)
  little.open('ada').resize(10 * MIB)
  expect(() => little.open('ada').resize(100_000)).toThrow(expect.objectContaining({ status: 429 }))
  expect(() => little.open('grace').resize(100_000)).toThrow(expect.objectContaining({ status: 503 }))
})

describe('small bodies', () => {
  const fill = (bodyMemory: BodyMemory, bytes: number, clients = 4) => {
    const statuses: number[] = []
    for (let client = 0; client < clients; client++) {
      for (let sentBytes = 0; sentBytes < 16 * MIB; sentBytes += bytes) {
        const body = bodyMemory.open(`mallory-${client}`, ({ status }) => statuses.push(status))
        try {
          body.resize(bytes)
        }
        catch (error) {
          body.release()
          statuses.push((error as { status: number }).status)
        }
      }
    }
    return statuses
  }

  test('have room when four clients have filled all that there is for large ones', () => {
    const bodyMemory = memory()
    expect(fill(bodyMemory, MIB)).toEqual(Array(16).fill(503))
    expect(() => bodyMemory.open('ada').resize(64 * 1024)).not.toThrow()
    expect(() => bodyMemory.open('ada').resize(65 * 1024)).toThrow(expect.objectContaining({ status: 503 }))
  })

  test.each([64 * 1024, MIB])('take the room of late ones of %i bytes, whose clients hold most for longest', (bytes) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const bodyMemory = memory()
    const early: number[] = []
    const ada = bodyMemory.open('ada', ({ status }) => early.push(status))
    ada.resize(bytes)
    vi.advanceTimersByTime(500)
    fill(bodyMemory, bytes)
    vi.advanceTimersByTime(1100)
    for (let round = 0; round < 10; round++) expect(() => bodyMemory.open('grace').resize(bytes)).not.toThrow()
    expect(early).toEqual([])
    vi.useRealTimers()
  })

  test('that are there already make room for nobody', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const bodyMemory = new BodyMemory(4 * MIB, MIB)
    const statuses: number[] = []
    for (let client = 0; client < 3; client++) {
      const body = bodyMemory.open(`ada-${client}`, ({ status }) => statuses.push(status))
      body.resize(MIB)
      body.complete()
    }
    vi.advanceTimersByTime(60_000)
    expect(() => bodyMemory.open('grace').resize(MIB)).toThrow(expect.objectContaining({ status: 503 }))
    expect(statuses).toEqual([])
    vi.useRealTimers()
  })
})

test('a late body that makes room is refused, and its memory is free', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const readBody = createBodyReader({ ...limits(), memory: new BodyMemory(4 * MIB, MIB) })
  const lateRequest = request('203.0.113.1')
  const lateStatus = readBody(lateRequest.event, MIB).catch(({ status }: { status: number }) => status)
  lateRequest.req.emit('data', Buffer.alloc(MIB))
  vi.advanceTimersByTime(1100)
  const { status } = send(readBody, MIB)
  expect([await lateStatus, await status]).toEqual([429, 200])
  vi.useRealTimers()
})

test('IPv6 addresses of one /48 are one client', async () => {
  const readBody = createBodyReader({ ...limits(), memory: new BodyMemory(4 * MIB, MIB) })
  const addresses = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1']
  expect(await Promise.all(addresses.map(address => send(readBody, MIB, address).status))).toEqual([200, 429, 200])
})

test('a body that is said to be too long is refused before any of it is there', async () => {
  const { req, event } = request()
  Object.assign(req.headers, { 'content-length': String(MIB + 1) })
  const body = createReader()(event, MIB).catch(({ status }: { status?: number }) => status)
  req.emit('close')
  expect(await body).toBe(413)
})

test('a request that is too long, breaks off or is reset is refused once, and forgotten', async () => {
  const readBody = createReader()
  for (const end of ['data', 'close', 'error']) {
    for (let round = 0; round < 20; round++) {
      const { req, event } = request()
      const body = readBody(event, 4 * MIB).catch(({ status }: { status?: number }) => status)
      req.emit('data', Buffer.alloc(4 * MIB))
      req.emit(end, end === 'data' ? Buffer.alloc(1) : new Error('reset'))
      req.emit('close')
      expect(await body).toBe({ data: 413, close: 400, error: 400 }[end])
    }
  }
})

function readJsonForm(json: string): Promise<unknown> {
  const { req, event } = request()
  Object.assign(req.headers, { 'content-type': 'application/json' })
  const form = readForm(event, { readBody: createReader(), bodyLimits: limits() }, MIB, null).then(({ body }) => body)
  req.emit('data', Buffer.from(json))
  req.emit('end')
  return form
}

const NO_VALUE = 'something in it is not a JSON value, such as undefined, NaN or text without double quotes'

test.each([
  ['', 'it ends too early'], ['{"a":', 'it ends too early'], ['{"secret":1,}', 'it breaks at position 12'],
  ['name=secret', NO_VALUE], ['{"a":undefined}', NO_VALUE], ['{"a":NaN}', NO_VALUE], ['secret', NO_VALUE],
  ['{"secret":x, "at position 5"', NO_VALUE],
])('%s is not valid JSON: %s', async (json, reason) => {
  await expect(readJsonForm(json)).rejects.toThrow(`The body is not valid JSON: ${reason}.`)
})

test('JSON of more than 100 levels is refused before it is looked at, whatever its strings hold', async () => {
  await expect(readJsonForm('['.repeat(1_000_000))).rejects.toThrow('nested more than 100 levels deep')
  expect(await readJsonForm(`${'['.repeat(100)}"]]\\"[["${']'.repeat(100)}`)).toBeInstanceOf(Array)
  await expect(readJsonForm(`${'['.repeat(101)}1${']'.repeat(101)}`)).rejects.toThrow('nested')
})
