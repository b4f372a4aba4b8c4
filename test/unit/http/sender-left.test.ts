import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import type { H3Event } from 'h3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBodyReader } from '../../../server/http/body/body'
import { type BodyLimits, BodyMemory } from '../../../server/http/body/body-memory'
import { answerTo } from '../../../server/http/errors'
import { readUpload } from '../../../server/http/body/upload'

const MIB = 2 ** 20
const BODY = '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--b--\r\n'

let server: Server
let limits: BodyLimits
beforeEach(async () => {
  const memory = () => new BodyMemory(64 * MIB, MIB)
  limits = { memory: memory(), uploads: memory(), timeoutMs: 60_000, trustedProxies: 0 }
  server = createServer().listen(0)
  await once(server, 'listening')
})
afterEach(() => server.close())

const readers = {
  body: (event: H3Event) => createBodyReader(limits)(event, MIB),
  upload: (event: H3Event) => readUpload(event, {
    rule: { max: 1, maxBytes: MIB, types: ['text/plain'] }, take: async () => {}, count: async () => {},
  }, MIB, limits),
}

/** Error code of reading a body if the sender disconnects before or during the read */
async function readOf(kind: keyof typeof readers, content: string, when: 'before' | 'while') {
  const sender = connect((server.address() as AddressInfo).port)
  sender.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ${BODY.length}\r\n\r\n${content}`)
  const [req, res] = await once(server, 'request') as [IncomingMessage, object]
  const event = { node: { req, res }, headers: new Headers(req.headers as Record<string, string>), context: {} }
  const readBody = () => readers[kind](event as unknown as H3Event)
  const closing = once(req, 'close').catch(() => { /* The error comes before the close. */ })
  const reading = when === 'while' ? readBody() : null
  const outcome = reading?.then(() => 'read', (error: unknown) => answerTo(error).code)
  if (reading) await once(req, 'data')
  sender.destroy()
  await closing
  return outcome ?? readBody().then(() => 'read', (error: unknown) => answerTo(error).code)
}

test.each(['body', 'upload'] as const)('to leave while the %s is read is to send half of it, and no fault of ours', async (kind) => {
  expect(await readOf(kind, BODY.slice(0, 20), 'while')).toBe('BODY_INCOMPLETE')
})

test.each([
  ['body', 'half', 20], ['body', 'all', BODY.length], ['upload', 'half', 20], ['upload', 'all', BODY.length],
] as const)('nobody waits for the %s of which %s came, when its sender left before it was read', async (kind, _, byteCount) => {
  expect(await readOf(kind, BODY.slice(0, byteCount), 'before')).toBe('BODY_INCOMPLETE')
})
