import { beforeEach, describe, expect, it } from 'vitest'
import { cardOf, deploy, sendForm, type Deployment } from '../support/deployment'
import { endAfterTest } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { shiftedClock } from '../support/preloaded'
import { blockActions, interact } from '../support/slack'
import { until } from '../support/until'
import { PASSWORD, visit, WITH_PASSWORD } from '../support/visitor'

const SECRET = 'a-secret-of-some-length'
const LEASE_MS = 30_000

let d: Deployment
beforeEach(async () => {
  const env = { LEASE_MS: String(LEASE_MS), CRON_SECRET: SECRET, ...WITH_PASSWORD, TRUST_PROXY: '1' }
  d = endAfterTest(await deploy(env))
})

const posts = () => d.slack.requests.filter(({ path }) => path === '/api/chat.postMessage')
const emails = () => d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')
const replica = async (shiftMs: number) => endAfterTest(await startServer({ ...d.env, ...shiftedClock(shiftMs) }))

/** Makes a server check for due work three times. */
async function sweep({ url }: Server): Promise<void> {
  for (let times = 0; times < 3; times++) expect(
    (await fetch(`${url}/api/cron/sweep`, { headers: { authorization: `Bearer ${SECRET}` } })).status,
  ).toBe(200)
}

describe.each([
  ['ahead does not take over', 65_000], ['behind has nothing taken from it', -65_000],
])('a replica whose clock is 65 s %s', (_how, shiftMs) => {
  it('a card that is being posted is posted once, an email and a POST are sent once', async () => {
    const shifted = await replica(shiftMs)
    const [working, sweeping] = shiftMs > 0 ? [d.server, shifted] : [shifted, d.server]
    const gate = Promise.withResolvers<undefined>()
    d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? { hold: gate.promise } : undefined
    const answer = sendForm(working, { name: 'Ada' })
    await until('the card on its way', () => posts().length === 1)
    await sweep(sweeping)
    d.slack.fault = () => undefined
    gate.resolve(undefined)
    const { submissionId: id } = await (await answer).json() as { submissionId: string }
    const card = await cardOf(d, id)
    await Promise.all([d.server.drain(), shifted.drain()])
    expect(posts()).toHaveLength(1)

    const hold = Promise.withResolvers<undefined>()
    d.resend.fault = d.endpoint.fault = () => ({ hold: hold.promise })
    await interact(working.url, blockActions(card, 'forward', id, d.slack.reviewer))
    await until('the deliveries on their way', () => emails().length === 1 && d.endpoint.requests.length === 1)
    await sweep(sweeping)
    d.resend.fault = d.endpoint.fault = () => undefined
    hold.resolve(undefined)
    await Promise.all([d.server.drain(), shifted.drain()])
    expect([emails().length, d.endpoint.requests.length, (await d.resend.emails()).length]).toEqual([1, 1, 1])
  })

  it('says by how much at the start, when asked whether it is ready, and on the status page', async () => {
    const startedAt = performance.now()
    const shifted = await replica(shiftMs)
    expect(d.server.output()).not.toContain('clock.off')
    const line = await until(
      'the line in the log', () => shifted.output().split('\n').find(each => each.includes('"clock.off"')),
    )
    // The error of the measurement is at most the time until Redis answered.
    const startMs = performance.now() - startedAt
    expect(Math.abs((JSON.parse(line) as { aheadMs: number }).aheadMs - shiftMs)).toBeLessThan(startMs)
    // A starting process may be too busy to measure precisely, or to get Slack's answer in time. It then tries again.
    const told = shiftMs > 0 ? /6[456] s ahead of/ : /6[456] s behind/
    await until('the one warning', async () => {
      const answer = await (await fetch(`${shifted.url}/api/ready`)).json() as { ready: boolean, warnings: string[] }
      return answer.ready && answer.warnings.length === 1 && told.test(answer.warnings[0]!)
    })
    const ada = visit(shifted)
    await ada.signIn(PASSWORD)
    let asked = 0
    const status = await until('the status that knows', async () => {
      asked = Date.now()
      const answer = await (await ada.get('/api/status')).json() as { clockAheadMs: number, now: number }
      return Math.abs(answer.clockAheadMs - shiftMs) < 1500 && answer
    })
    expect(status.now).toBeGreaterThan(asked - 1500)
    expect(status.now).toBeLessThan(Date.now() + 1500)
  })
})
