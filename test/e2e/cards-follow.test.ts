import { createClient } from 'redis'
import { afterEach, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, submit } from '../support/deployment'
import type { Fault } from '../support/proxy'
import type { SlackMessage } from '../support/slack'
import { until } from '../support/until'

const WEEK_MS = 7 * 24 * 60 * 60 * 1000
/** Attempts after which a delivery is abandoned */
const ATTEMPTS = 9

const d = endAfterAll(await deploy({ NODE_ENV: 'development', RETRY_BASE_MS: '1', SWEEP_INTERVAL_MS: '50' }))
const store = endAfterAll(new RedisStore(await connectRedis(d.redis.url), storeRules))
afterEach(() => { d.slack.fault = () => undefined })

const updates = (card: SlackMessage) => d.slack.requests.filter(({ path, body }) => path === '/api/chat.update'
  && body.includes(card.ts))
const shows = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)
const isClosed = async (card: SlackMessage) => !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions')
/** Makes the first `count` updates of this card fail. */
const failing = (card: SlackMessage, count: number, fault: Fault) => {
  d.slack.fault = ({ path, body }) => (
    path === '/api/chat.update' && body.includes(card.ts) && updates(card).length <= count ? fault : undefined
  )
}

it.each([
  ['is down for longer than deliveries are tried', ATTEMPTS, { status: 500 }],
  ['refuses the token for a while', 3, { status: 200, body: '{"ok":false,"error":"invalid_auth"}' }],
] as const)('a card follows, with its fields, when Slack %s', async (_, count, fault) => {
  const { id, card } = await submit(d, { name: 'Ada', message: 'Two engines' })
  failing(card, count, fault)
  await click(d, card, 'forward', id)
  await until('every failure', () => updates(card).length > count, 60_000)
  await until('the card closed', () => isClosed(card), 60_000)
  expect(await shows(card)).toContain('Sent to triage@example.com')
  expect(await shows(card)).toContain('Two engines')
  await until('only the trace', async () => isOver((await store.get(id))!))
})

it('a decision is over when it is delivered, whether its card follows or not: in the audit trail, out of the list, kept for a week', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  failing(card, Number.POSITIVE_INFINITY, 'drop')
  await click(d, card, 'forward', id)
  expect((await store.audit(100)).filter(line => line.id === id)).toMatchObject([
    { outcome: 'forwarded', reviewer: { name: 'Ada Lovelace' } },
  ])
  expect(await (await fetch(`${d.server.url}/api/submissions`)).json()).toMatchObject({ rows: [], total: 0 })
  const answer = await fetch(`${d.server.url}/api/submissions/${id}`)
  expect([answer.status, (await answer.json() as { error: string }).error]).toEqual([
    410, expect.stringMatching(/^Forwarded by Ada Lovelace on Slack, .* UTC\.$/),
  ])

  const redis = await createClient({ url: d.redis.url }).connect()
  const [record, data] = await Promise.all([`{triage}:s:${id}`, `{triage}:d:${id}`].map(key => redis.pTTL(key)))
  redis.destroy()
  expect(record).toBeGreaterThan(WEEK_MS)
  expect(data).toBeGreaterThan(0)
  expect(data).toBeLessThanOrEqual(WEEK_MS)

  d.slack.fault = () => undefined
  await until('the card closed', () => isClosed(card), 60_000)
  await until('only the trace', async () => isOver((await store.get(id))!))
  expect((await store.audit(100)).filter(line => line.id === id)).toHaveLength(1)
})

it('spam is erased at once, also while its card cannot be reached', async () => {
  const { id, card } = await submit(d, { name: 'Ada', secret: 'erase me' })
  failing(card, Number.POSITIVE_INFINITY, 'drop')
  await click(d, card, 'spam', id)
  expect(await store.get(id)).toMatchObject({ state: 'settled', data: null })
  d.slack.fault = () => undefined
  await until('the card closed', () => isClosed(card), 60_000)
  expect(await shows(card)).not.toContain('erase me')
})
