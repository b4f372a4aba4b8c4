import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import {
  cardNow, deploy, emailsAbout, submit, type Deployment,
} from '../support/deployment'
import { startDiscord, type DiscordDouble } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import type { DiscordMessage } from '../support/discord/types'
import { holding } from '../support/redis-keys'
import { become } from '../support/seed'
import { blockActions, interact, type SlackMessage } from '../support/slack'
import { until } from '../support/until'

const FORM = { 'name': 'Ada', 'unique-field': 'unique-value' }

const postsAbout = (d: Deployment, id: string) => d.endpoint.requests.filter(
  ({ headers }) => String(headers['webhook-id']).startsWith(id),
)
const buttons = ({ blocks }: SlackMessage) => blocks.flatMap(({ type, elements }) => type === 'actions'
  ? (elements as { action_id: string }[]).map(({ action_id: action }) => action)
  : [])
const DECISIONS = ['forward', 'edit', 'spam']

/** Clicks like `click`, but does not wait for the effects. */
const press = (d: Deployment, card: SlackMessage, action: string, id: string) => (
  interact(d.server.url, blockActions(card, action, id, d.slack.reviewer))
)
const showing = (d: Deployment, card: SlackMessage, wanted: readonly string[]) => until(
  `the card with ${wanted.join() || 'no buttons'}`,
  async () => buttons(await cardNow(d, card)).join() === wanted.join(),
)
const ask = (d: Deployment, path: string, body?: unknown) => fetch(`${d.server.url}/api/submissions${path}`, body
  ? { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  : {})
const decide = (d: Deployment, id: string, action: string) => ask(d, `/${id}/decision`, { action })
const rowsOf = async (d: Deployment, state: string) => (
  (await (await ask(d, `?state=${state}`)).json()) as { rows: { id: string, state: string }[] }
).rows

describe('with time to take a decision back', () => {
  let d: Deployment
  let discord: DiscordDouble
  beforeAll(async () => {
    discord = await startDiscord()
    d = await deploy({ NODE_ENV: 'development', UNDO_SECONDS: '120', SPAM_HOLD: '1h', ...discord.env })
  })
  afterAll(async () => {
    await d.close()
    await discord.close()
  })

  const onDiscord = (id: string) => discord.messages().find(message => message.id === id)!
  const discordButtons = ({ components }: DiscordMessage) => components.flatMap(
    ({ components: row }) => (row as { custom_id: string }[]).map(({ custom_id: id }) => id.split('\n')[0]!),
  )
  const showingOnDiscord = ({ id }: DiscordMessage, wanted: readonly string[]) => until(
    `the Discord card with ${wanted.join()}`, () => discordButtons(onDiscord(id)).join() === wanted.join(),
  )
  const pressOnDiscord = (message: DiscordMessage, action: string, id: string) => discord.click(
    `${d.server.url}/api/webhooks/discord`, onDiscord(message.id), buttonOf(action, id),
  )

  /** Sends a form; returns its cards in both rooms. */
  async function submitToBoth() {
    const { id, card } = await submit(d, FORM)
    const message = await until('the Discord card', () => discord.cardOf(id))
    return { id, card, message }
  }

  it('a forward offers Undo in every room, and undone on Discord it is open again in both, and nothing was sent', async () => {
    const { id, card, message } = await submitToBoth()
    expect((await press(d, card, 'forward', id)).status).toBe(200)
    await showing(d, card, ['undo'])
    await showingOnDiscord(message, ['undo'])
    const text = blockText((await cardNow(d, card)).blocks)
    expect(text).toMatch(/Goes to triage@example\.com and \S+ at \d\d:\d\d:\d\d UTC/)
    await pressOnDiscord(message, 'undo', id)
    await showing(d, card, DECISIONS)
    await showingOnDiscord(message, DECISIONS)
    expect([emailsAbout(d, id), postsAbout(d, id)]).toEqual([[], []])
    expect((await decide(d, id, 'undo')).status).toBe(409)
  })

  it('spam shows no data and one button in every room, stands in a list of its own, and is open again from any of them', async () => {
    const { id, card, message } = await submitToBoth()
    await pressOnDiscord(message, 'spam', id)
    await showing(d, card, ['not_spam'])
    await showingOnDiscord(message, ['not_spam'])
    const text = blockText((await cardNow(d, card)).blocks)
    expect(text).toMatch(/Marked as spam by/)
    expect(text).not.toContain('unique-value')
    expect(await rowsOf(d, 'spam')).toMatchObject([{ id, state: 'spam' }])
    expect((await (await ask(d, '')).json() as { rows: { id: string }[] }).rows.map(row => row.id)).not.toContain(id)
    expect(await (await ask(d, `/${id}`)).json()).toMatchObject({
      state: 'spam', open: false, revocation: { action: 'reopen' },
      fields: [{ value: 'Ada' }, { value: 'unique-value' }],
    })
    await press(d, card, 'not_spam', id)
    await showing(d, card, DECISIONS)
    await showingOnDiscord(message, DECISIONS)
    expect(blockText((await cardNow(d, card)).blocks)).toContain('unique-value')
    expect(await rowsOf(d, 'spam')).toEqual([])
  })
})

describe('when the time is over', () => {
  const UNDO_MS = 3000
  let d: Deployment
  beforeAll(async () => {
    d = await deploy({ UNDO_SECONDS: String(UNDO_MS / 1000), SPAM_HOLD: '1h', NODE_ENV: 'development' })
  })
  afterAll(() => d.close())

  it('spam is erased everywhere, and its card loses the button', async () => {
    const { id, card } = await submit(d, { 'name': 'Ada', 'other-field': 'other-value' })
    await press(d, card, 'spam', id)
    await showing(d, card, ['not_spam'])
    expect(await holding(d.redis.url, 'other-value')).toEqual([`{triage}:d:${id}`])
    await d.server.drain()
    await become(d.redis.url, id, { revocableUntil: Date.now() })
    await showing(d, card, [])
    expect(await holding(d.redis.url, 'other-')).toEqual([])
    await until('the trace', async () => (await ask(d, `/${id}`)).status === 410)
    const late = await decide(d, id, 'reopen')
    expect([late.status, await late.json()]).toMatchObject([
      409, { error: expect.stringMatching(/^Too late: its data is erased\./) },
    ])
  })
})
