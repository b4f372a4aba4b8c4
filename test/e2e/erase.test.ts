import { describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, introduce, submit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { until } from '../support/until'

const FORM = { 'name': 'Ada', 'unique-field': 'unique-value' }

const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deploy({ NODE_ENV: 'development', SPAM_HOLD: '1h', FORWARD_ERASURES: '1', ...discord.env }))
await introduce(d)

const api = (id: string, method = 'GET') => fetch(`${d.server.url}/api/submissions/${id}`, { method })
const outcomes = async (id: string) => {
  const { audit } = await (await fetch(`${d.server.url}/api/status`)).json() as {
    audit: { id: string, outcome: string, reviewer: { name: string } }[]
  }
  return audit.filter(line => line.id === id).map(({ outcome, reviewer }) => `${outcome} ${reviewer.name}`)
}

describe.each([
  ['open', [], []], ['marked as spam and kept', ['spam'], ['spam Ada Lovelace']],
  ['forwarded and over', ['forward'], ['forwarded Ada Lovelace']],
])('a submission that is %s', (_, clicks, before) => {
  it('is erased from Redis and from every card, by whoever did it on record', async () => {
    const { id, card } = await submit(d, FORM)
    const message = await until('the Discord card', () => discord.cardOf(id))
    for (const action of clicks) await click(d, card, action, id)
    expect((await api(id, 'DELETE')).status).toBe(200)
    expect((await holding(d.redis.url, 'unique-')).filter(key => key.includes(id))).toEqual([])
    await d.server.drain()
    const shown = await cardNow(d, card)
    expect(blockText(shown.blocks)).toMatch(/Erased by Local on Ops page/)
    const onDiscord = discord.messages().find(({ id: of }) => of === message.id)!
    for (const text of [JSON.stringify(shown), JSON.stringify(onDiscord)]) expect(text).not.toContain('unique-')
    expect([shown.blocks.some(({ type }) => type === 'actions'), onDiscord.components]).toEqual([false, []])
    expect(await outcomes(id)).toEqual(['erased Local', ...before])
    const told = d.endpoint.requests.filter(({ headers }) => headers['idempotency-key'] === `${id}-erased`)
    expect(told.map(({ body }) => JSON.parse(body))).toEqual([
      { type: 'erased', timestamp: expect.any(String), data: { submission: id } },
    ])
    const [again, gone] = [await api(id, 'DELETE'), await api(id)]
    expect([again.status, gone.status, (await gone.json() as { error: string }).error]).toEqual([
      410, 410, expect.stringMatching(/^Erased by Local on Ops page, .* UTC\.$/),
    ])
  })
})
