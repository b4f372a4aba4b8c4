import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { H3Event } from 'h3'
import { describe, expect, test, vi } from 'vitest'
import { createBodyReader, readForm } from '../../../../server/http/body/body'
import { BodyMemory } from '../../../../server/http/body/body-memory'

const MIB = 1024 * 1024

/** Request of this client, with events for its body sent by hand, and its response. */
function request(remoteAddress = '203.0.113.1') {
  const req = Object.assign(new EventEmitter(), { headers: {}, socket: { remoteAddress }, resume: () => {} })
  const res = new EventEmitter()
  return { req, res, event: { node: { req, res }, headers: new Headers(), context: {} } as unknown as H3Event }
}

const memory = () => new BodyMemory(64 * MIB, 4 * MIB)
const limits = () => ({ memory: memory(), uploads: memory(), timeoutMs: 60_000, trustedProxies: 0 })
const open = () => createBodyReader(limits())

/** Used bytes of the heap after garbage collection. */
function heap(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

test('a body in chunks of a byte takes its bytes, not a hundred times as many', async () => {
  const { req, res, event } = request()
  const before = heap()
  const body = open()(event, MIB)
  for (let sent = 0; sent < 250_000; sent++) req.emit('data', Buffer.from('x'))
  expect(heap() - before).toBeLessThan(5 * MIB)
  req.emit('end')
  expect((await body).toString()).toBe('x'.repeat(250_000))
  res.emit('close')
})

test('a body counts until its request is answered, and what was refused does not', async () => {
  const read = open()
  const held = await Promise.all(Array.from({ length: 4 }, async () => {
    const one = request()
    const body = read(one.event, 4 * MIB)
    one.req.emit('data', Buffer.alloc(4 * MIB))
    one.req.emit('end')
    await body
    return one
  }))
  const send = (address: string) => {
    const one = request(address)
    const body = read(one.event, 4 * MIB).then(() => 'read', (error: { status: number }) => error.status)
    one.req.emit('data', Buffer.alloc(65 * 1024))
    one.req.emit('end')
    return body
  }
  expect(await send('203.0.113.1')).toBe(429)
  expect(await send('203.0.113.1')).toBe(429)
  expect(await send('203.0.113.2')).toBe('read')
  held[0]!.res.emit('close')
  expect(await send('203.0.113.1')).toBe('read')
})

test('one of the largest may come from anybody, however little memory there is, and no second one beside it', () => {
  const little = new BodyMemory(1000, 10 * MIB)
  little.open('ada').resize(10 * MIB)
  expect(() => little.open('ada').resize(100_000)).toThrow(expect.objectContaining({ status: 429 }))
  expect(() => little.open('grace').resize(100_000)).toThrow(expect.objectContaining({ status: 503 }))
})

describe('small bodies', () => {
  const fill = (all: BodyMemory, bytes: number, clients = 4) => {
    const refused: number[] = []
    for (let client = 0; client < clients; client++) {
      for (let sent = 0; sent < 16 * MIB; sent += bytes) {
        const body = all.open(`mallory-${client}`, ({ status }) => refused.push(status))
        try {
          body.resize(bytes)
        }
        catch (error) {
          body.release()
          refused.push((error as { status: number }).status)
        }
      }
    }
    return refused
  }

  test('have room when four clients have filled all that there is for large ones', () => {
    const all = memory()
    expect(fill(all, MIB)).toEqual(Array(16).fill(503))
    expect(() => all.open('ada').resize(64 * 1024)).not.toThrow()
    expect(() => all.open('ada').resize(65 * 1024)).toThrow(expect.objectContaining({ status: 503 }))
  })

  test.each([64 * 1024, MIB])('take the room of late ones of %i bytes, whose clients hold most for longest', (bytes) => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const all = memory()
    const early: number[] = []
    const ada = all.open('ada', ({ status }) => early.push(status))
    ada.resize(bytes)
    vi.advanceTimersByTime(500)
    fill(all, bytes)
    vi.advanceTimersByTime(1100)
    for (let sent = 0; sent < 10; sent++) expect(() => all.open('grace').resize(bytes)).not.toThrow()
    expect(early).toEqual([])
    vi.useRealTimers()
  })

  test('that are there already make room for nobody', () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    const all = new BodyMemory(4 * MIB, MIB)
    const refused: number[] = []
    for (let client = 0; client < 3; client++) {
      const body = all.open(`ada-${client}`, ({ status }) => refused.push(status))
      body.resize(MIB)
      body.complete()
    }
    vi.advanceTimersByTime(60_000)
    expect(() => all.open('grace').resize(MIB)).toThrow(expect.objectContaining({ status: 503 }))
    expect(refused).toEqual([])
    vi.useRealTimers()
  })
})

test('a late body that makes room is refused, and its memory is free', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  const read = createBodyReader({ ...limits(), memory: new BodyMemory(4 * MIB, MIB) })
  const late = request('203.0.113.1')
  const refused = read(late.event, MIB).catch(({ status }: { status: number }) => status)
  late.req.emit('data', Buffer.alloc(MIB))
  vi.advanceTimersByTime(1100)
  const next = request('203.0.113.1')
  const body = read(next.event, MIB)
  next.req.emit('data', Buffer.alloc(MIB))
  next.req.emit('end')
  expect([await refused, (await body).length]).toEqual([429, MIB])
  vi.useRealTimers()
})

test('IPv6 addresses of one /48 are one client', async () => {
  const read = createBodyReader({ ...limits(), memory: new BodyMemory(4 * MIB, MIB) })
  const statuses = []
  for (const address of ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:2:2::1']) {
    const one = request(address)
    const body = read(one.event, MIB).then(() => 200, ({ status }: { status: number }) => status)
    one.req.emit('data', Buffer.alloc(MIB))
    one.req.emit('end')
    statuses.push(await body)
  }
  expect(statuses).toEqual([200, 429, 200])
})

test('a body that is said to be too long is refused before any of it is there', async () => {
  const { req, event } = request()
  Object.assign(req.headers, { 'content-length': String(MIB + 1) })
  const body = open()(event, MIB).catch(({ status }: { status?: number }) => status)
  req.emit('close')
  expect(await body).toBe(413)
})

test('a request that is too long, breaks off or is reset is refused once, and forgotten', async () => {
  const read = open()
  for (const end of ['data', 'close', 'error']) {
    for (let round = 0; round < 20; round++) {
      const { req, event } = request()
      const body = read(event, 4 * MIB).catch(({ status }: { status?: number }) => status)
      req.emit('data', Buffer.alloc(4 * MIB))
      req.emit(end, end === 'data' ? Buffer.alloc(1) : new Error('reset'))
      req.emit('close')
      expect(await body).toBe({ data: 413, close: 400, error: 400 }[end])
    }
  }
})

function readJsonForm(sent: string): Promise<unknown> {
  const { req, event } = request()
  Object.assign(req.headers, { 'content-type': 'application/json' })
  const form = readForm(event, { readBody: open(), bodyLimits: limits() }, MIB, null)
  req.emit('data', Buffer.from(sent))
  req.emit('end')
  return form
}

const NO_VALUE = 'something in it is no value of JSON, such as undefined, NaN or text without double quotes'

test.each([
  ['', 'it ends too early'], ['{"a":', 'it ends too early'], ['{"secret":1,}', 'it breaks at position 12'],
  ['name=secret', NO_VALUE], ['{"a":undefined}', NO_VALUE], ['{"a":NaN}', NO_VALUE], ['secret', NO_VALUE],
  ['{"secret":x, "at position 5"', NO_VALUE],
])('%s is not valid JSON: %s', async (sent, said) => {
  await expect(readJsonForm(sent)).rejects.toThrow(`The body is not valid JSON: ${said}.`)
})

test('JSON of more than 100 levels is refused before it is looked at, whatever its strings hold', async () => {
  await expect(readJsonForm('['.repeat(1_000_000))).rejects.toThrow('nested more than 100 levels deep')
  expect(await readJsonForm(`${'['.repeat(100)}"]]\\"[["${']'.repeat(100)}`)).toBeInstanceOf(Array)
  await expect(readJsonForm(`${'['.repeat(101)}1${']'.repeat(101)}`)).rejects.toThrow('nested')
})
