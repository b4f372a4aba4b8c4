import { connect, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { click, deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll, endAfterTest, formsFile, sharedFolder } from '../support/lifetime'
import { startServer } from '../support/server'
import { until } from '../support/until'

const TOKEN = 'a-metrics-token-of-some-length'
const MIB = 1024 * 1024
/** Time after which a body counts as late, ms; same value as in server/http/body/body-memory.ts */
const LATE_MS = 1000

const dir = sharedFolder()
let sockets: Socket[] = []
const d = endAfterAll(await deploy({
  FORMS_CONFIG: formsFile({ jobs: { name: 'Jobs', files: { types: ['image/png'] } } }, dir), DATA_DIR: dir,
  TRUST_PROXY: '1', METRICS_TOKEN: TOKEN, BODY_TIMEOUT_MS: '120000',
}))
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  sockets = []
})

interface Half { answer: string }

/** Sends the head of a request and a part of its body, then pauses. `answer` grows as data arrives. */
function half(
  path: string, address: string,
  { declared, sent, url = d.server.url }: { declared: number, sent: Buffer, url?: string },
): Half {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const seen = { answer: '' }
  socket.on('data', (data: Buffer) => { seen.answer += data.toString() }).on('error', () => {})
  socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: ${declared}\r\n\r\n`)
  socket.write(sent)
  sockets.push(socket)
  return seen
}

const status = ({ answer }: Half) => Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1] ?? 0)
const all = (held: Half[], code: number) => held.filter(each => status(each) === code)

async function memory(): Promise<number> {
  const text = await (await fetch(
    `${d.server.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } },
  )).text()
  return Number(/^process_resident_memory_bytes (.+)$/m.exec(text)![1])
}

describe('half-sent bodies', () => {
  it('of one client take a quarter of the memory that there is for all; others are served', async () => {
    const before = await memory()
    const held = Array.from({ length: 150 }, () => half(
      '/api/webhooks/slack', '203.0.113.1', { declared: MIB, sent: Buffer.alloc(MIB - 1, 'x') },
    ))
    await until('most of them to be refused', () => all(held, 429).length >= 130)
    expect(all(held, 0).length).toBeGreaterThanOrEqual(1)
    expect(all(held, 429)[0]!.answer).toMatch(/retry-after: \d+[^]*TOO_MUCH_AT_ONCE/i)
    expect(await memory() - before).toBeLessThan(250 * MIB)
    const { id, card } = await submit(d, { name: 'Ada' })
    expect((await click(d, card, 'forward', id)).status).toBe(200)
    for (const socket of sockets) socket.destroy()
    await until('that client to be served again', async () => (
      (await sendForm(d.server, { name: 'x'.repeat(200_000) }, { 'x-forwarded-for': '203.0.113.1' })).status === 200
    ))
  })

  it('of many clients take no more than there is for all, on every route that reads one', async () => {
    const paths = ['/api/webhooks/slack', '/api/form', '/api/webhooks/slack', '/api/webhooks/slack']
    const sizes = [MIB, 256 * 1024, MIB, MIB]
    const held = Array.from({ length: 160 }, (_, index) => half(paths[index % 4]!, `198.51.100.${index}`, {
      declared: sizes[index % 4]!, sent: Buffer.alloc(sizes[index % 4]! - 1, 'x'),
    }))
    await until('some to be refused', () => all(held, 503).length >= 30)
    await until('no more to be kept than there is room for', () => (
      held.reduce((sum, each, index) => sum + (status(each) === 0 ? sizes[index % 4]! : 0), 0) <= 64 * MIB
    ))
    expect(all(held, 503)[0]!.answer).toMatch(/retry-after: \d+/i)
    expect((await fetch(`${d.server.url}/api/health`)).status).toBe(200)
  })

  it('of four addresses leave room for forms and clicks, large ones too, however many follow', async () => {
    const addresses = ['203.0.113.11', '203.0.113.12', '2001:db8:1:1::1', '2001:db8:2:1::1']
    /** Begins unfinished forms from each address: `count` of the largest, and `count` of the largest small ones. */
    const attack = (count: number) => addresses.flatMap(address => Array.from({ length: 2 * count }, (_, index) => {
      const bytes = (index % 2 ? 64 : 256) * 1024
      return half('/api/form', address, { declared: bytes, sent: Buffer.alloc(bytes - 1, 'x') })
    }))
    const held = attack(66)
    await until('no room to be left', () => all(held, 429).length + all(held, 503).length >= 8)
    // With no room left, a new request is refused or replaces another one.
    let [answered, since] = [0, 0]
    await until('all of it to be late', () => {
      const now = held.filter(each => status(each) > 0).length
      if (now !== answered) [answered, since] = [now, Date.now()]
      return Date.now() - since > 2 * LATE_MS
    })
    for (let round = 0; round < 5; round++) {
      attack(4)
      const { id, card } = await submit(d, { name: 'Ada' })
      expect((await click(d, card, 'forward', id)).status).toBe(200)
      expect((await sendForm(d.server, { name: 'x'.repeat(200_000) })).status).toBe(200)
    }
  })
})

it('a body that does not arrive in time is 408 that closes the connection, on every route that reads one', async () => {
  const server = endAfterTest(await startServer({ ...d.env, BODY_TIMEOUT_MS: '2000' }))
  const held = ['/api/webhooks/slack', '/api/form'].map(path => half(
    path, '203.0.113.9', { declared: 100, sent: Buffer.from('{"name":'), url: server.url },
  ))
  await until('both answers', () => all(held, 408).length === 2)
  for (const { answer } of held) expect(answer).toMatch(/connection: close[^]*BODY_TOO_SLOW/i)
  await until('both connections to end', () => sockets.every(socket => socket.readableEnded || socket.destroyed))
  expect((await sendForm(server, { name: 'Ada' })).status).toBe(200)
})
