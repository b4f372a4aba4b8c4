import { createClient } from 'redis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { PUT, TRACE } from '../../server/adapters/redis/scripts'
import { deploy, submit, click, type Deployment } from '../support/deployment'
import { rehearsalOver } from '../support/rehearsal'

const TOKEN = 'metrics-token-of-32-characters-00'

let d: Deployment
let redis: ReturnType<typeof createClient>
beforeAll(async () => {
  // Nothing else that the service does by itself is in the way.
  d = await deploy({
    METRICS_TOKEN: TOKEN, SWEEP_INTERVAL_MS: '600000', TAKE: '1',
  })
  redis = createClient({ url: d.redis.url })
  await redis.connect()
})
afterAll(async () => {
  await redis.close()
  await d.close()
})

/** What the service counts by itself, not what node does. */
async function counts(): Promise<string[]> {
  const answer = await fetch(`${d.server.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
  return (await answer.text()).split('\n').filter(line => /^triage_(?!oldest|build)/.test(line)).sort()
}

it('a decision is rehearsed before the first click: nothing is sent, stored, counted or logged of it', async () => {
  await d.server.drain()
  const before = { counts: await counts(), keys: await redis.keys('*'), output: d.server.output() }
  await rehearsalOver(d, redis)
  expect({ counts: await counts(), keys: await redis.keys('*'), output: d.server.output() }).toEqual(before)
  expect(await redis.scriptExists([PUT.sha, TRACE.sha])).toEqual([1, 1])
  expect([d.resend.requests, d.endpoint.requests]).toEqual([[], []])
  // Who the bot is.
  expect(d.slack.requests.map(({ path }) => path).filter(path => path !== '/api/auth.test')).toEqual([])
})

it('and a decision after it is delivered as any other', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  await click(d, card, 'forward', id)
  await d.server.drain()
  expect([(await d.resend.emails()).length, d.endpoint.requests.length]).toEqual([1, 1])
})
