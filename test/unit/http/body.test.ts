import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { H3Event } from 'h3'
import { expect, test } from 'vitest'
import { createBodyReader, readForm } from '../../../server/http/body'
import { BodyMemory } from '../../../server/http/body-limits'

const MIB = 1024 * 1024

/** A request of this client, whose body is sent by hand, and its answer. */
function request(remoteAddress = '203.0.113.1') {
  const req = Object.assign(new EventEmitter(), { headers: {}, socket: { remoteAddress }, resume: () => {} })
  const res = new EventEmitter()
  return { req, res, event: { node: { req, res }, headers: new Headers(), context: {} } as unknown as H3Event }
}

const memory = () => new BodyMemory(64 * MIB, 256 * 1024)
const limits = () => ({ memory: memory(), uploads: memory(), timeoutMs: 60_000, trustedProxies: 0 })
const open = () => createBodyReader(limits())

/** Bytes of the heap that are in use after everything else was collected. */
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
    one.req.emit('data', Buffer.alloc(1))
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
  little.hold('ada', 10 * MIB)
  expect(() => little.hold('ada', 1)).toThrow(expect.objectContaining({ status: 429 }))
  expect(() => little.hold('grace', 1)).toThrow(expect.objectContaining({ status: 503 }))
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

test('JSON that is nested too deep is called so', async () => {
  const depth = 200_000
  await expect(readJsonForm(`${'['.repeat(depth)}1.0${']'.repeat(depth)}`)).rejects.toThrow('nested too deep')
})
