import { describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, introduce, openEdit, sendForm, submit, submitEdit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

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

it('an edit form that is open is sent in vain, and says who erased it', async () => {
  const { id, card } = await submit(d, FORM)
  const view = await openEdit(d, card, id)
  await api(id, 'DELETE')
  expect(await holding(d.redis.url, 'unique-value')).toEqual([])
  const emails = d.resend.requests.length
  const answer = await submitEdit(d, view, { f0: 'Grace' })
  expect(blockText(answer.view as never)).toMatch(/Erased by Local on Ops page/)
  expect(d.resend.requests).toHaveLength(emails)
})

it('everything that holds an address is erased at once, for who may decide, from pages of ours alone', async () => {
  const address = 'forget.me@example.com'
  const [waiting, other] = [await submit(d, { email: address }), await submit(d, { email: `not.${address}` })]
  const held = await sendForm(d.server, { email: address, _gotcha: 'x' })
  const { submissionId } = await held.json() as { submissionId: string }
  const ask = (body: object, headers: object = {}) => postJson(`${d.server.url}/api/submissions/erase`, body, headers)
  expect((await ask({ email: address }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await ask({ email: 'nobody' })).status).toBe(400)
  const answer = await ask({ email: address })
  expect([answer.status, await answer.json()]).toEqual([200, {
    erased: 2, forbidden: 0, unreadable: [], before: null,
    unreachable: [expect.stringContaining('then deleted here was not searched')],
  }])
  await d.server.drain()
  expect((await api(waiting.id)).status).toBe(410)
  expect((await api(submissionId)).status).toBe(410)
  expect((await api(other.id)).status).toBe(200)
  expect(blockText((await cardNow(d, waiting.card)).blocks)).toMatch(/Erased by Local on Ops page/)
})

it('a late click on an erased card has no effect', async () => {
  const { id, card } = await submit(d, FORM)
  await api(id, 'DELETE')
  for (const action of ['forward', 'spam', 'edit', 'undo', 'not_spam']) {
    expect((await click(d, card, action, id)).status).toBe(200)
  }
  expect(blockText((await cardNow(d, card)).blocks)).toMatch(/Erased by Local/)
})

it('with its idempotency key it is not stored again', async () => {
  const send = async () => (
    (await (await sendForm(d.server, FORM, { 'idempotency-key': 'erased' })).json()) as { submissionId: string }
  ).submissionId
  const id = await send()
  await api(id, 'DELETE')
  expect(await send()).toBe(id)
  expect((await holding(d.redis.url, 'unique-value')).filter(key => key.includes(id))).toEqual([])
})
