import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, cardOf, click, deploy, sendForm, submit, submitForm } from '../support/deployment'
import { withDiscord } from '../support/discord/deployed'
import { buttonOf } from '../support/discord/edit-form'
import type { DiscordMessage } from '../support/discord/types'
import { BOT_TOKEN, CHANNEL, sendEvent, type Block, type SlackMessage } from '../support/slack'
import { envelope, nextTs, whispers } from '../support/slack-talk'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'
import { postJson } from '../support/webhook'

const UNKNOWN = '00000000-0000-4000-8000-000000000000'
const BOT = { authorization: `Bearer ${BOT_TOKEN}` }

const { d, discord } = await withDiscord(deploy)

const isClosed = ({ blocks }: SlackMessage) => !blocks.some(({ type }) => type === 'actions')
const textOf = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)

/** Posts a second message with the same buttons, as a process would that died before it could record the first. */
async function copyOf({ blocks }: SlackMessage): Promise<SlackMessage> {
  const response = await postJson(`${d.slack.apiUrl}chat.postMessage`, { channel: CHANNEL, text: 'copy', blocks }, BOT)
  const { ts } = await response.json() as { ts: string }
  return until('the copy', async () => (await d.slack.messages()).find(message => message.ts === ts))
}

/** Returns the status as a signed-in user reads it. */
async function statusNow(): Promise<object> {
  const ada = visit(d.server)
  await ada.signIn(PASSWORD)
  return await (await ada.get('/api/status')).json() as object
}

const ALL = ['forward', 'spam', 'edit', 'take', 'hand_back', 'undo', 'not_spam', 'send_again']

it('a click whose id the store does not know leaves the clicked card alone, says nothing, and is on the status', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  const counts = () => (
    [d.resend.requests, whispers(d.slack), d.slack.calls('chat.update'), d.slack.calls('views.open')].map(
      all => all.length,
    )
  )
  const before = counts()
  for (const action of ALL) expect((await click(d, card, action, UNKNOWN)).status).toBe(200)
  await d.server.drain()
  expect(counts()).toEqual(before)
  expect(await statusNow()).toMatchObject({ incidents: [expect.objectContaining({
    text: `${ALL.length} clicks on submissions that are not in the store: was it emptied?`,
  })] })
  const lines = d.server.output().split('\n').filter(line => line.includes('"review.unknown"'))
  expect(lines.filter(line => line.includes(UNKNOWN))).toHaveLength(ALL.length)
  await click(d, card, 'spam', id)
  expect(await textOf(card)).toContain('Marked as spam by Ada Lovelace')
})

it('who clicks a card that is decided already reads alone by whom', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  await click(d, card, 'spam', id)
  const word = async (action: string) => {
    const before = whispers(d.slack).length
    await click(d, card, action, id)
    return whispers(d.slack).slice(before).map(({ text }) => text)
  }
  for (const action of ['forward', 'spam', 'edit']) {
    expect(await word(action)).toEqual([expect.stringMatching(/^Marked as spam by Ada Lovelace on Slack, /)])
  }
  expect([await word('undo'), await word('send_again')]).toEqual([
    [expect.stringMatching(/^Too late: its data is erased\. Marked as spam by /)],
    [expect.stringMatching(/^Marked as spam by Ada Lovelace on Slack, /)],
  ])
})

it('a card that is not on record says who decided once somebody clicks it', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  const copy = await copyOf(card)
  await click(d, card, 'spam', id)
  expect(isClosed(await cardNow(d, copy))).toBe(false)
  await click(d, copy, 'forward', id)
  expect(isClosed(await cardNow(d, copy))).toBe(true)
  expect(await textOf(copy)).toContain('Marked as spam by Ada Lovelace')
})

it('who presses a button of when people still took submissions is told that nobody does any more', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  const word = async (action: string) => {
    await click(d, card, action, id)
    return whispers(d.slack).at(-1)?.text
  }
  expect([await word('take'), await word('hand_back')]).toEqual(
    Array.from({ length: 2 }, () => 'Assignment is off (set TAKE=1).'),
  )
})

/** A user deletes a card in Slack, and Slack sends the event. */
async function deleteCard({ ts }: SlackMessage, told: (ts: string) => Block): Promise<void> {
  const response = await postJson(`${d.slack.apiUrl}chat.delete`, { channel: CHANNEL, ts }, BOT)
  expect(await response.json()).toMatchObject({ ok: true })
  const event = { type: 'message', channel: CHANNEL, channel_type: 'channel', hidden: true, ts: nextTs(), ...told(ts) }
  expect((await sendEvent(d.server.url, envelope(event))).status).toBe(200)
  await d.server.drain()
}

const deleted = (ts: string) => (
  { subtype: 'message_deleted', deleted_ts: ts, previous_message: { type: 'message', ts } }
)
const tombstone = (ts: string) => ({ subtype: 'message_changed', message: {
  type: 'message', subtype: 'tombstone', text: 'This message was deleted.', ts, thread_ts: ts,
} })

it.each([['deletes', deleted], ['that others answered deletes', tombstone]])(
  'a card that somebody %s while it waits is posted again once, and decides', async (_, told) => {
    const { id, card } = await submit(d, { name: 'Ada' })
    await d.server.drain()
    await deleteCard(card, told)
    const again = await cardOf(d, id)
    expect([again.ts === card.ts, blockText(again.blocks)]).toEqual(
      [false, expect.stringContaining('An earlier card of it was deleted')],
    )
    await click(d, again, 'spam', id)
    expect(await textOf(again)).toContain('Marked as spam by Ada Lovelace')
    expect((await d.slack.messages()).filter(({ blocks }) => JSON.stringify(blocks).includes(id))).toEqual([])
  },
)

const text = ({ embeds }: DiscordMessage) => JSON.stringify(embeds).replaceAll('\\\\', '')

it('a card that somebody deletes on Discord while it waits is posted again', async () => {
  const id = await submitForm(d.server, { name: 'Ada' })
  const card = await until('the card', () => discord.cardOf(id))
  await d.server.drain()
  discord.delete(card)
  const again = await until('the second card', () => discord.cardOf(id))
  expect(text(again)).toContain('An earlier card of it was deleted')
  await discord.click(`${d.server.url}/api/webhooks/discord`, again, buttonOf('spam', id))
  await until('the decision', () => !discord.cardOf(id))
})

it('that Slack\'s channel was archived is told in Discord once, and on the status', async () => {
  const archived = { status: 200, body: '{"ok":false,"error":"is_archived"}' }
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage' ? archived : undefined
  const notices = () => discord.messages().filter(message => text(message).includes('No cards reach Slack any more'))
  for (const name of ['Ada', 'Grace']) await sendForm(d.server, { name })
  await until('the notice', () => notices().length > 0)
  await d.server.drain()
  expect(notices().map(text)).toEqual([expect.stringContaining('The channel is archived; change CHAT_CHANNEL_ID.')])
  const ada = visit(d.server)
  await ada.signIn(PASSWORD)
  expect(await (await ada.get('/api/status')).json()).toMatchObject({ parts: expect.arrayContaining([
    expect.objectContaining({ key: 'slack', state: 'failing', lastError: expect.objectContaining({
      reason: 'Slack answered is_archived. The channel is archived; change CHAT_CHANNEL_ID.',
    }) as object }),
  ]) as object })
  d.slack.fault = () => undefined
  await until('the cards', async () => JSON.stringify(await d.slack.messages()).includes('Grace'))
})
