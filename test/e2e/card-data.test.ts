import { afterEach, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardEdits, cardNow, click, deploy, introduce, submit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { endAfterAll } from '../support/lifetime'
import { holding } from '../support/redis-keys'
import { startServer } from '../support/server'
import type { SlackMessage } from '../support/slack'
import { until } from '../support/until'

const FORM = { 'name': 'Ada', 'unique-field': 'unique-value' }

const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deploy({ CARD_DATA_TTL: '3s', ...discord.env }))
await introduce(d)
afterEach(() => { d.slack.fault = () => undefined })

const isOnDiscord = (text: string) => discord.messages().some(message => JSON.stringify(message).includes(text))
const textOf = async (card: SlackMessage) => JSON.stringify(await cardNow(d, card))
const keysOf = async (id: string) => (await holding(d.redis.url, id)).filter(key => key.includes(id))
const traceOf = (id: string) => until('the trace', async () => (await keysOf(id)).join() === `{triage}:s:${id}`)

it('cards show the form for the time that is set, and then only what became of it, in every room', async () => {
  const { id, card } = await submit(d, FORM)
  await until('the Discord card', () => isOnDiscord(id))
  const startedAt = performance.now()
  await click(d, card, 'forward', id)
  // Check the requests, because the cards may have lost the form already.
  expect(JSON.stringify(cardEdits(d).final[0])).toContain('unique-value')
  expect(discord.requests.find(({ method }) => method === 'PATCH')!.body).toContain('unique-value')
  expect(await holding(d.redis.url, 'unique-')).toEqual([])
  await until('no form on either card', async () => (
    !(await textOf(card)).includes('unique-') && !isOnDiscord('unique-')
  ))
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(3000)
  expect(blockText((await cardNow(d, card)).blocks)).toMatch(/Forwarded by Ada Lovelace on Slack, .* UTC/)
  expect(isOnDiscord('Forwarded by Ada Lovelace')).toBe(true)
  await traceOf(id)
})

it('they lose it although the process was killed meanwhile, and the platform was away when the time came', async () => {
  const { id, card } = await submit(d, FORM)
  let refused = 0
  // Refuse only edits without the form; the edit for the decision still shows it.
  d.slack.fault = ({ path, body }) => path === '/api/chat.update' && !body.includes('unique-') && ++refused <= 3
    ? { status: 500 }
    : undefined
  await click(d, card, 'forward', id)
  await d.server.kill()
  d.server = await startServer(d.env)
  await until('the platform asked in vain', () => refused > 3)
  await until('no form on the card', async () => !(await textOf(card)).includes('unique-'))
  await traceOf(id)
})
