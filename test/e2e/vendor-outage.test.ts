import { beforeEach, expect, it } from 'vitest'
import { cardNow, click, deploy, introduce, sendForm, submit, type Deployment } from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { decidedOnce, hasButtons, traffic } from '../support/outage'
import type { Fault, Proxy } from '../support/proxy'
import { until } from '../support/until'

/** Length of a vendor's outage, ms. Retries start at 20 ms instead of 5 s, so it is like a quarter of an hour. */
const AWAY_MS = 3500

let d: Deployment
beforeEach(async () => {
  d = endAfterTest(await deploy({ RETRY_BASE_MS: '20', SWEEP_INTERVAL_MS: '50' }))
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  await introduce(d)
})

/** Makes the vendor fail all requests for a while, with each fault in turn; resolves when the vendor works again. */
async function away(vendor: Proxy, ways: readonly Fault[], meanwhile: () => Promise<void>): Promise<void> {
  let failures = 0
  vendor.fault = () => ways[failures++ % ways.length]
  const back = Date.now() + AWAY_MS
  await meanwhile()
  await until('the end of the outage', () => Date.now() >= back)
  vendor.fault = () => undefined
}

it('Slack drops every connection or answers 500: forms are accepted, forwards are delivered, cards and their updates come when it is back, once', async () => {
  const { id, card } = await submit(d, { name: 'before' })
  await d.server.drain()
  let during = 0
  await away(d.slack, ['drop', { status: 500 }], async () => {
    const { forms, clicks } = await traffic(d, card, id, 1000)
    during = forms.length
    expect(new Set([...forms, ...clicks].map(({ status }) => status))).toEqual(new Set([200]))
    expect(Math.max(...[...forms, ...clicks].map(({ ms }) => ms))).toBeLessThan(3000)
    await until('the email', async () => (await d.resend.emails()).length === 1)
    expect((await Promise.all(
      Array.from({ length: 5 }, () => sendForm(d.server, { name: 'more' })),
    )).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(hasButtons(await cardNow(d, card))).toBe(true)
  })
  await decidedOnce(d, id, card)
  expect(d.server.output().match(/"submission\.claimed"/g)).toHaveLength(1)
  const ids = async () => (await d.slack.messages()).filter(hasButtons).map(({ blocks }) => (
    blocks.find(({ type }) => type === 'actions')!.elements[0].value as string
  ))
  // Cards of the first form, of five more forms, and of the traffic
  const due = 6 + during
  await until('all cards', async () => (await ids()).length >= due)
  await d.server.drain()
  expect([(await ids()).length, new Set(await ids()).size]).toEqual([due, due])
})

it.each(['resend', 'endpoint'] as const)('%s: the forward is refused to nobody, and is delivered once when it is back', async (name) => {
  const submissions = await Promise.all([1, 2, 3].map(number => submit(d, { name: 'before', number })))
  await d.server.drain()
  await away(d[name], [{ status: 503 }], async () => {
    for (const { id, card } of submissions) expect((await click(d, card, 'forward', id)).status).toBe(200)
  })
  for (const { id, card } of submissions) await decidedOnce(d, id, card)
  const emails = d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')
  const other = name === 'resend' ? d.endpoint.requests : emails
  expect(other).toHaveLength(submissions.length)
})
