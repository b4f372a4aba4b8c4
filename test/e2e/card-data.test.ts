import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardEdits, cardNow, click, deploy, introduce, submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { startServer } from '../support/server'
import { until } from '../support/until'

const d = endAfterAll(await deploy({ CARD_DATA_TTL: '3s' }))
await introduce(d)

it('cards lose the form after its time, although the process was killed and the platform was away when it came', async () => {
  const { id, card } = await submit(d, { 'name': 'Ada', 'unique-field': 'unique-value' })
  let refused = 0
  // Refuse only edits that no longer show the form. The edit for the decision still shows it.
  d.slack.fault = ({ path, body }) => path === '/api/chat.update' && !body.includes('unique-') && ++refused <= 3
    ? { status: 500 }
    : undefined
  const startedAt = performance.now()
  await click(d, card, 'forward', id)
  expect(JSON.stringify(cardEdits(d).final[0])).toContain('unique-value')
  expect(await holding(d.redis.url, 'unique-')).toEqual([])
  await d.server.kill()
  d.server = await startServer(d.env)
  await until('the platform asked in vain', () => refused > 3)
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3000)
  const shown = await until('no form on the card', async () => {
    const now = await cardNow(d, card)
    return !JSON.stringify(now).includes('unique-') && now
  })
  expect(blockText(shown.blocks)).toMatch(/Forwarded by Ada Lovelace on Slack, .* UTC/)
  await until('only the trace', async () => (
    (await holding(d.redis.url, id)).filter(key => key.includes(id)).join() === `{triage}:s:${id}`
  ))
})
