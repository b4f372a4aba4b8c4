import { expect, test } from 'vitest'
import { deploy, sendForm, serveAlso } from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { startProxy } from '../support/proxy'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

interface Alert { type: string, data: { part: string } }

test('the store fails: of two replicas, one tells it once, and its end once', async () => {
  const [tcp, hook] = [endAfterTest(await startTcpProxy()), endAfterTest(await startProxy())]
  const d = endAfterTest(await deploy({
    STORE_URL: tcp.url, SWEEP_INTERVAL_MS: '100', ALERT_AFTER: '2s', ALERT_WEBHOOK: `${hook.url}/alerts`,
    ALERT_CHANNEL: 'cards', ALERT_EMAIL: 'ops@example.com',
  }))
  tcp.use(d.redis.port)
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  await serveAlso(d, {})
  const told = () => hook.requests.map(({ body }) => JSON.parse(body) as Alert).map(({ type, data }) => (
    `${type} ${data.part}`
  ))
  await d.server.drain()
  await tcp.refuse()
  await until('the alert', () => told().length > 0)
  await tcp.accept()
  await until('the all-clear', () => told().length > 1)
  await d.server.drain()
  expect(told()).toEqual(['alert.failing store', 'alert.working store'])
  expect((await d.resend.emails()).filter(({ to }) => to.includes('ops@example.com'))).toHaveLength(2)
  const announced = d.slack.calls('chat.postMessage').filter(message => JSON.stringify(message).includes('/status'))
  expect(announced).toHaveLength(2)
})
