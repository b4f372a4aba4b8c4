import { get as request, type IncomingMessage } from 'node:http'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { deploy, sendForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { seed, waiting } from '../support/seed'
import { startServer } from '../support/server'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))

const KIB = 1024

/** Stores 120 submissions of 190 KiB each, a few at a time, so that a slow machine keeps up. */
async function fill(): Promise<void> {
  const all = Array.from({ length: 120 }, (_, index) => waiting({
    receivedAt: Date.now() - index, data: { name: `Person ${index}`, message: 'long '.repeat(38 * KIB) },
  }))
  for (let start = 0; start < all.length; start += 10) await seed(d.redis.url, all.slice(start, start + 10))
}

/** Starts a download and reads only its first chunk. */
function begin(path: string): Promise<{ response: IncomingMessage, first: Buffer }> {
  return new Promise((resolve, reject) => {
    request(d.server.url + path, (response) => {
      response.once('data', (first: Buffer) => {
        response.pause()
        resolve({ response, first })
      })
    }).on('error', reject)
  })
}

/** Reads the rest of the download; resolves with its size, and `complete` if the connection was not cut. */
function finish(response: IncomingMessage): Promise<{ complete: boolean, bytes: number }> {
  let bytes = 0
  return new Promise((resolve) => {
    response.on('data', (bit: Buffer) => { bytes += bit.length }).on('error', () => {}).on(
      'close', () => resolve({ complete: response.complete, bytes }),
    ).resume()
  })
}

/** Returns how many scripts Redis has run so far. */
async function scriptsRun(): Promise<number> {
  const client = await createClient({ url: d.redis.url }).connect()
  const stats = await client.info('commandstats')
  await client.close()
  return Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1] ?? 0)
}

describe('a CSV export', () => {
  it('quotes every cell, and begins none with what a spreadsheet runs, however it splits the text', async () => {
    const texts = [
      '=1+1', '+1', '-1', '@x', '\t=1', '\r=1', 'hello\n=1+1', 'a\r\n@SUM(A1)', 'a;=cmd|x', 'a\t=1', '\n\n-2', '＝1',
      'fine, 1=2; x-y', '"=1"',
    ]
    // Not every field gets its own column.
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`a;=cmd${index}`, 'b;=cmd']))
    expect((await sendForm(d.server, many)).status).toBe(200)
    for (const text of texts) expect(
      (await sendForm(d.server, { [`field ${text}`]: text, list: [text] })).status,
    ).toBe(200)
    await sendForm(d.server, { number: -5 })
    const csv = (await (await fetch(`${d.server.url}/api/exports/submissions.csv`)).text()).replace('\uFEFF', '')
    const cells = [...csv.matchAll(/"((?:[^"]|"")*)"(,|\r\n)/g)]
    expect(cells.map(([cell]) => cell).join('')).toBe(csv)
    const pieces = cells.flatMap(([, cell]) => cell!.replaceAll('""', '"').split(/[\n\r;\t]/))
    for (const piece of pieces) expect(piece).not.toMatch(/^[=+\-@＝]/)
    expect(csv).toMatch(/"other fields"\r\n/)
    for (const shown of [
      `"'=1+1"`, `"hello\n'=1+1"`, `"a;'=cmd|x"`, `"fine, 1=2; x-y"`, `"'-5"`, '"""=1"""', `""a;'=cmd499"":""b;'=cmd""`,
    ]) expect(csv).toContain(shown)
  })
})

/** Writes a long audit trail, ten entries for each timestamp, newest first. */
async function fillTrail(): Promise<number> {
  const now = Date.now()
  const lines = Array.from({ length: 10_000 }, (_, index) => ({
    id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`, outcome: 'forwarded',
    at: now - Math.floor(index / 10) * 1000, reviewer: { id: 'U1', name: 'Ada Lovelace', platform: 'Slack' },
    to: ['triage@example.com'], receivedAt: now - 100_000_000,
  }))
  const client = await createClient({ url: d.redis.url }).connect()
  for (let start = 0; start < lines.length; start += 1000) await client.zAdd('{triage}:audit', lines.slice(
    start, start + 1000,
  ).map(line => ({ score: line.at, value: JSON.stringify(line) })))
  await client.close()
  return lines.length
}

describe('the audit trail', () => {
  it('of 10,000 lines is exported whole, however slow the line to Redis: a piece at a time', async () => {
    const tcp = endAfterTest(await startTcpProxy())
    tcp.use(d.redis.port)
    const count = await fillTrail()
    let largest = 0
    tcp.rewrite = (_command, answer) => {
      largest = Math.max(largest, answer.length)
      return answer
    }
    const server = endAfterTest(await startServer({ ...d.env, STORE_URL: tcp.url }))
    const exported = await (await fetch(`${server.url}/api/exports/audit.json`)).json() as { id: string, at: string }[]
    const times = exported.map(({ at }) => at)
    expect([exported.length, new Set(exported.map(({ id }) => id)).size]).toEqual([count, count])
    expect(times).toEqual(times.toSorted().toReversed())
    expect(largest).toBeLessThan(1000 * KIB)
  })
})

describe('a large export', () => {
  it('is read as it is taken, and others are answered meanwhile; it is broken off, not ended, when the store goes away', async () => {
    await fill()
    const before = await scriptsRun()
    const { response, first } = await begin('/api/exports/submissions.csv')
    expect(response.headers['transfer-encoding']).toBe('chunked')
    expect((await fetch(`${d.server.url}/api/health`)).status).toBe(200)
    const whenBegun = await scriptsRun() - before
    const { complete, bytes } = await finish(response)
    expect(complete).toBe(true)
    expect(first.length + bytes).toBeGreaterThan(120 * 190 * KIB)
    const all = await scriptsRun() - before
    // The store is read in steps of ten submissions, so other requests are answered in between. Most steps wait until
    // the client has read the earlier data.
    expect(all).toBeGreaterThanOrEqual(24)
    expect(all - whenBegun).toBeGreaterThanOrEqual(6)

    const { response: broken } = await begin('/api/exports/submissions.json')
    await d.redis.stop()
    expect((await finish(broken)).complete).toBe(false)
    await until('the log to say so', () => d.server.output().includes('request.failed'))
    expect((await fetch(`${d.server.url}/api/health`)).status).toBe(200)
    expect((await fetch(`${d.server.url}/api/exports/submissions.json`)).status).toBe(503)
  })
})
