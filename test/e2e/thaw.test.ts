import { beforeEach, describe, expect, it } from 'vitest'
import { click, deploy, sendForm, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

// Serverless hosts freeze a process between requests. While it is frozen, its Redis connection times out.

const tcp = endAfterAll(await startTcpProxy())
const d = endAfterAll(await deploy({ STORE_URL: tcp.url, SWEEP_INTERVAL_MS: '60000' }))
tcp.use(d.redis.port)
// Warm up: a frozen process has loaded all modules before.
const { id, card } = await submit(d, { name: 'Warm' })
await click(d, card, 'spam', id)
beforeEach(() => { tcp.answerDelayMs = 0 })

/**
 * Cuts the connection; resolves when the service has noticed and starts to reconnect to Redis. A thawed process is in
 * this state when it gets a request.
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
