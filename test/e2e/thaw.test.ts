import { beforeEach, describe, expect, it } from 'vitest'
import { click, deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

// Serverless hosts freeze a process between requests, and its Redis connection times out meanwhile.

const tcp = endAfterAll(await startTcpProxy())
const d = endAfterAll(await deploy({ STORE_URL: tcp.url, SWEEP_INTERVAL_MS: '60000' }))
tcp.use(d.redis.port)
// Warm up: the frozen process had loaded everything.
const { id, card } = await submit(d, { name: 'Warm' })
await click(d, card, 'spam', id)
beforeEach(() => { tcp.answerDelayMs = 0 })

/**
 * Cuts the connection, and resolves when the service has noticed and reconnects to Redis: the state in which a thawed
 * process gets requests.
 */
async function loseConnection(): Promise<void> {
  const outages = () => d.server.output().split('redis.unreachable').length
  const before = outages()
  tcp.answerDelayMs = 20
  tcp.cut()
  await until('the lost connection', () => outages() > before)
}

describe('a process that wakes up with a dead connection to Redis', () => {
  it('takes the form that woke it', async () => {
    await loseConnection()
    expect((await sendForm(d.server, { name: 'Ada' })).status).toBe(200)
  })

  it('takes the click that woke it', async () => {
    const { id, card } = await submit(d, { name: 'Grace' })
    await loseConnection()
    expect((await click(d, card, 'forward', id)).status).toBe(200)
    expect(await d.resend.emails()).toHaveLength(1)
  })
})
