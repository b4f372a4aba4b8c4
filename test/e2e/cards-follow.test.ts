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
