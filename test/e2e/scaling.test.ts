import { readFileSync } from 'node:fs'
import { createClient } from 'redis'
import { describe, expect, it } from 'vitest'
import { click, deploy, openEdit, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startTcpProxy } from '../support/tcp-proxy'

// docs/scaling.md calculates with the Redis costs of a submission. This test keeps its tables true.

const page = readFileSync(new URL('../../docs/scaling.md', import.meta.url), 'utf8')
/** Returns the number in the second column of the row that starts with `label`. */
const documented = (label: string) => Number(
  page.split('\n').find(line => line.startsWith(`| ${label} |`))?.split('|')[2]?.replaceAll(',', ''),
)

/** A form of typical length: 635 bytes of JSON */
const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', subject: 'Engine order',
  message: 'Please quote 2 analytical engines.\nDelivery to London. '.repeat(8),
  company: 'Analytical Engines Ltd.', phone: '+44 20 7946 0000', budget: '10,000', newsletter: false,
}

const tcp = endAfterAll(await startTcpProxy())
// No background work: only commands caused by the submission are counted.
const d = endAfterAll(await deploy({ STORE_URL: tcp.url, SWEEP_INTERVAL_MS: '600000', FORM_RATE_LIMIT: '1000' }))
tcp.use(d.redis.port)
tcp.fault = ({ name, args }) => {
  // Skip commands that no submission causes: the time, and the health status, which is written every ten seconds at
  // most.
  if (name !== 'TIME' && args[0] !== '{triage}:health') commands.push(name)
  return undefined
}
let commands = []
// Warm up: Redis loads the scripts, and the SDK caches the reviewer.
const warm = await submit(d, FORM)
await click(d, warm.card, 'forward', warm.id)

/** Returns how many commands reach Redis for it, background work included. */
async function cost<T>(act: () => Promise<T>): Promise<number> {
  await d.server.drain()
  commands = []
  await act()
  await d.server.drain()
  return commands.length
}

const posted = async () => {
  const submitted = await submit(d, FORM)
  await d.server.drain()
  return submitted
}

describe('what docs/scaling.md says a submission costs Redis is no less than it costs:', () => {
  it('a form and its card', async () => {
    expect(await cost(() => submit(d, FORM))).toBeLessThanOrEqual(documented('Form, card at once'))
  })

  it('a forward', async () => {
    const { id, card } = await posted()
    expect(await cost(() => click(d, card, 'forward', id))).toBeLessThanOrEqual(documented('Forward'))
  })

  it('spam', async () => {
    const { id, card } = await posted()
    expect(await cost(() => click(d, card, 'spam', id))).toBeLessThanOrEqual(documented('Spam'))
  })

  it('an edit', async () => {
    const { id, card } = await posted()
    expect(
      await cost(async () => submitEdit(d, await openEdit(d, card, id), { i0: 'Grace' })),
    ).toBeLessThanOrEqual(documented('Edit & Forward'))
  })

  it('memory, while it is open', async () => {
    const { id } = await posted()
    const redis = await createClient({ url: d.redis.url }).connect()
    const bytes = await Promise.all(
      [`{triage}:s:${id}`, `{triage}:d:${id}`].map(key => redis.memoryUsage(key, { SAMPLES: 0 })),
    )
    redis.destroy()
    expect(JSON.stringify(FORM)).toHaveLength(635)
    expect(bytes[0]).toBeLessThanOrEqual(documented('`{triage}:s:<id>`'))
    expect(bytes[1]).toBeLessThanOrEqual(documented('`{triage}:d:<id>`'))
  })
})
