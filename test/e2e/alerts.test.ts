import { beforeEach, expect, it } from 'vitest'
import { click, deploy, sendForm, serveAlso, submit, type Deployment } from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { startProxy, type Proxy } from '../support/proxy'
import { until } from '../support/until'

let d: Deployment
let hook: Proxy
beforeEach(async () => {
  hook = endAfterTest(await startProxy())
  d = endAfterTest(await deploy({
    RETRY_BASE_MS: '100', SWEEP_INTERVAL_MS: '100', ALERT_AFTER: '2s',
    ALERT_CHANNEL: 'cards', ALERT_EMAIL: 'ops@example.com', ALERT_WEBHOOK: `${hook.url}/alerts`,
  }))
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  await serveAlso(d, {})
})

interface Alert { type: string, data: { part: string, reason: string | null } }

const posted = () => hook.requests.map(({ body }) => JSON.parse(body) as Alert)
const has = (type: string) => () => posted().some(alert => alert.type === type)
const mailed = async () => (await d.resend.emails()).filter(({ to }) => to.includes('ops@example.com'))

it.each([
  ['slack', 'slack'], ['resend', 'email'], ['endpoint', 'endpoint'],
] as const)('%s fails: two replicas tell it once, and its end once, without a value of the form', async (vendor, part) => {
  const { id, card } = await submit(d, { name: 'Secretvalue' })
  d[vendor].fault = () => ({ status: 500 })
  if (vendor === 'slack') await sendForm(d.server, { name: 'Secretvalue' })
  else await click(d, card, 'forward', id)
  await until('the alert', has('alert.failing'))
  d[vendor].fault = () => undefined
  await until('the all-clear', has('alert.working'))
  await d.server.drain()
  expect(posted().map(({ type, data }) => [type, data.part])).toEqual([
    ['alert.failing', part], ['alert.working', part],
  ])
  expect(hook.requests[0]!.headers['webhook-signature']).toMatch(/^v1,/)
  expect(await mailed()).toHaveLength(vendor === 'resend' ? 0 : 2)
  expect(JSON.stringify([hook.requests, await mailed()])).not.toContain('Secretvalue')
})
