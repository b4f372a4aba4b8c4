import { describe, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, submit } from '../support/deployment'
import { until } from '../support/until'

const DAY_MS = 24 * 60 * 60 * 1000

const d = endAfterAll(await deploy())
const store = endAfterAll(new RedisStore(await connectRedis(d.redis.url), storeRules))

/** Sends a form and ages it, so that it expires in `inMs`. */
async function aged(inMs: number, changes: Partial<Submission> = {}) {
  const { id, card } = await submit(d, { name: 'Ada', secret: 'to be erased' })
  await d.server.drain()
  const stored = await store.get(id)
  expect(stored?.data).toMatchObject({ secret: 'to be erased' })
  const expiresAt = Date.now() + inMs
  const old = { ...stored!, version: stored!.version + 1, receivedAt: expiresAt - 7 * DAY_MS, expiresAt, ...changes }
  expect(await store.replace(stored!, old)).not.toBeNull()
  return { id, card, expiresAt }
}

const replies = (ts: string) => d.slack.calls('chat.postMessage').filter(({ thread_ts }) => thread_ts === ts)

describe('a submission that nobody decides', () => {
  it('is reminded of once in the card\'s thread, 24 hours before it expires', async () => {
    const { card, expiresAt } = await aged(DAY_MS + 2000)
    await until('the reminder', () => replies(card.ts).length > 0)
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt - DAY_MS)
    // The next due time is the expiry: the sweep that reminds of another submission skips this one.
    const { card: other } = await aged(DAY_MS + 1000)
    await until('a later sweep', () => replies(other.ts).length > 0)
    await d.server.drain()
    expect(replies(card.ts)).toHaveLength(1)
    expect(blockText(replies(card.ts)[0]!.blocks)).toMatch(/expires and is erased on \d+ \w+ \d{4}/)
    expect((await cardNow(d, card)).blocks.filter(({ type }) => type === 'actions')).toHaveLength(2)
  })

  it('loses its data at the end of 7 days, and its card says so', async () => {
    const { id, card, expiresAt } = await aged(3000, { reminded: true })
    await until(
      'the expired card',
      async () => blockText((await cardNow(d, card)).blocks).includes('Expired — nobody decided in 7 days'),
    )
    expect(Date.now()).toBeGreaterThanOrEqual(expiresAt)
    const shown = await cardNow(d, card)
    expect(blockText(shown.blocks)).not.toContain('to be erased')
    expect(shown.blocks.some(({ type }) => type === 'actions')).toBe(false)
    await until('only the trace', async () => isOver((await store.get(id))!))
    expect(await store.audit(5)).toContainEqual(expect.objectContaining({ id, outcome: 'expired', reviewer: null }))
  })

  it('cannot be decided any more', async () => {
    const { id, card } = await aged(300, { reminded: true })
    await until('only the trace', async () => isOver((await store.get(id))!))
    const emails = d.resend.requests.length
    expect((await click(d, card, 'forward', id)).status).toBe(200)
    expect(d.resend.requests).toHaveLength(emails)
  })
})
