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

const textOf = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)

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

/** Deletes a card in Slack as a user; Slack sends the event. */
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
