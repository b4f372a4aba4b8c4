import { describe, expect, test } from 'vitest'
import { click, deploy, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { promlint } from '../support/promlint'
import { sendEvent } from '../support/slack'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

const TOKEN = 'metrics-token-of-32-characters-00'

const tcp = endAfterAll(await startTcpProxy())
const d = endAfterAll(await deploy({ METRICS_TOKEN: TOKEN, STORE_URL: tcp.url, LEASE_MS: '60000' }))
tcp.use(d.redis.port)

const get = (path: string, headers: Record<string, string> = {}) => fetch(d.server.url + path, { headers })
const metrics = async () => await (await get('/api/metrics', { authorization: `Bearer ${TOKEN}` })).text()

describe('GET /api/health and /api/ready', () => {
  test('are 200 while everything works', async () => {
    // Slack's answer may be late. The service then asks again after half a minute.
    const ready = await until('ready', async () => {
      const answered = await get('/api/ready')
      const said = await answered.json() as { warnings: string[] }
      return answered.status === 200 && said.warnings.length === 0 && said
    })
    expect(ready).toEqual({ ready: true, reasons: [], warnings: [] })
    expect(await (await get('/api/health')).json()).toEqual({ status: 'ok' })
  })

  test('without Redis the process is alive and not ready, and says why', async () => {
    await tcp.refuse()
    const response = await until('not ready', async () => {
      const answered = await get('/api/ready')
      return answered.status === 503 && answered
    })
    expect(await response.json()).toMatchObject({ ready: false, reasons: ['The store (STORE_URL) does not answer.'] })
    expect((await get('/api/health')).status).toBe(200)
    await tcp.accept()
    await until('ready again', async () => (await get('/api/ready')).status === 200)
  })
})

describe('GET /api/metrics', () => {
  test('is closed without the token, and off without METRICS_TOKEN', async () => {
    expect((await get('/api/metrics')).status).toBe(401)
    expect((await get('/api/metrics', { authorization: `Bearer ${TOKEN}x` })).status).toBe(401)
    const other = endAfterTest(await deploy({}))
    const refused = await fetch(`${other.server.url}/api/metrics`, { headers: { authorization: 'Bearer ' } })
    const said = 'Set METRICS_TOKEN to let Prometheus read the metrics.'
    expect([refused.status, await refused.json()]).toEqual([403, { error: said, message: said, code: 'METRICS_OFF' }])
  })

  test('counts submissions, cards, deliveries, acknowledgements and what waits', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    await submit(d, { name: 'Grace' })
    let failures = 1
    d.resend.fault = ({ path }) => path === '/emails' && failures-- > 0 ? { status: 500 } : undefined
    await click(d, card, 'forward', id)
    await until('the email', async () => (await d.resend.emails()).length === 1)
    await d.server.drain()
    await sendEvent(d.server.url, {}, { signature: 'v0=wrong' })
    const text = await metrics()
    // A slow delivery causes an earlier edit, which says that the delivery is on its way.
    const updates = d.slack.calls('chat.update').length
    expect(updates).toBeGreaterThan(0)
    for (const line of [
      'triage_submissions_total{outcome="received"} 2', 'triage_submissions_total{outcome="forwarded"} 1',
      'triage_card_posts_total{platform="slack",result="ok"} 2',
      `triage_card_updates_total{platform="slack",result="ok"} ${updates}`,
      'triage_deliveries_total{delivery="email",result="failed"} 1',
      'triage_deliveries_total{delivery="email",result="ok"} 1',
      'triage_deliveries_total{delivery="endpoint",result="ok"} 1', 'triage_pending_submissions 1',
      'triage_overdue_submissions 0', 'triage_stuck_submissions 0',
      'triage_webhook_acknowledgement_seconds_count{platform="slack",status="200"} 1',
      'triage_webhook_acknowledgement_seconds_count{platform="slack",status="401"} 1',
    ]) expect(text).toContain(`${line}\n`)
    expect(Number(/^triage_oldest_pending_seconds (.+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
    expect(text).not.toContain('Ada')
  })

  test('has nothing for the linter of Prometheus to say', async () => {
    const text = await metrics()
    expect(promlint(text)).toEqual([])
    // Check that the linter finds mistakes at all.
    expect(promlint('# TYPE a_total gauge\na_total 1\n')).toEqual([
      'a_total has no help text', 'a_total ends in _total and is no counter',
    ])
    expect(promlint('# HELP waited_ms How long.\n# TYPE waited_ms counter\nwaited_ms 1\n')).toEqual([
      'waited_ms is a counter and does not end in _total', 'waited_ms is not in a base unit',
    ])
  })

  test('without Redis has the counts and leaves out what it cannot know', async () => {
    await tcp.refuse()
    const text = await until('metrics without the backlog', async () => {
      const answered = await metrics()
      return !answered.includes('triage_pending_submissions') && answered
    })
    expect(text).toContain('triage_submissions_total{outcome="received"} 2\n')
    await tcp.accept()
  })
})
