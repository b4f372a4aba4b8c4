import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { deploy, sendForm, type Deployment } from '../support/deployment'
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

/** What the clock of the service asks, whatever it does otherwise. */
const CLOCK = ['TIME', 'PING']

let d: Deployment
let tcp: TcpProxy
let redis: ReturnType<typeof createClient>
beforeAll(async () => {
  tcp = await startTcpProxy()
  // Slack's own pace, and nothing that runs by itself meanwhile.
  d = await deploy({
    STORE_URL: tcp.url, CARD_INTERVAL_MS: '', FORM_RATE_LIMIT: '600', LEASE_MS: '30000', SWEEP_INTERVAL_MS: '600000',
  })
  tcp.use(d.redis.port)
  redis = createClient({ url: d.redis.url })
  await redis.connect()
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  await d.server.drain()
})
afterAll(async () => {
  await redis.close()
  await d.close()
  await tcp.close()
})

/** Commands between service and Redis while `act` runs, and how often something was sent when nothing was awaited. */
async function counted(act: () => Promise<unknown>): Promise<{ commands: string[], roundTrips: number }> {
  const commands: string[] = []
  let [roundTrips, awaited] = [0, 0]
  tcp.fault = ({ name }) => {
    if (CLOCK.includes(name)) return undefined
    commands.push(name)
    if (awaited++ === 0) roundTrips++
    return undefined
  }
  tcp.rewrite = ({ name }, answer) => {
    if (!CLOCK.includes(name)) awaited--
    return answer
  }
  await act()
  await d.server.drain()
  return { commands, roundTrips }
}

const posted = () => d.slack.calls('chat.postMessage').length
const gateOpen = () => until('the gate open', async () => await redis.exists('{triage}:line:slack:gate') === 0)

it('a form costs two round trips and two commands at the default pace, until its card is recorded', async () => {
  await gateOpen()
  const before = posted()
  expect(await counted(() => sendForm(d.server, { name: 'Ada' }))).toEqual({
    commands: ['EVALSHA', 'EVALSHA'], roundTrips: 2,
  })
  expect(posted() - before).toBe(1)
  // Its place is free again, and the next card has to wait for its interval.
  expect(await redis.exists(['{triage}:line:slack:waiting', '{triage}:line:slack:taken'])).toBe(0)
  expect(await redis.pTTL('{triage}:line:slack:gate')).toBeLessThanOrEqual(1000)
})

it('a form that was sent before costs one, and takes no place', async () => {
  await gateOpen()
  const send = () => sendForm(d.server, { name: 'Ada' }, { 'idempotency-key': 'once' })
  await send()
  await d.server.drain()
  await gateOpen()
  const before = posted()
  expect(await counted(send)).toEqual({ commands: ['EVALSHA'], roundTrips: 1 })
  expect([
    posted() - before, await redis.exists(['{triage}:line:slack:waiting', '{triage}:line:slack:gate']),
  ]).toEqual([0, 0])
})
