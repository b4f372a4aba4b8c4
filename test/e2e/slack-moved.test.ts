import { expect, it } from 'vitest'
import { deploy, submit, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { blockActions, CHANNEL, interact, sendEvent, type Block, type SlackMessage } from '../support/slack'
import { parseCall } from '../support/slack-bodies'
import { envelope, nextTs } from '../support/slack-talk'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'

/** New id of the card channel after it is shared */
const NEW = 'C000000777'

const d = endAfterAll(await deploy())
const other = endAfterAll(await startServer(d.env))

/** Makes Slack accept only the new id of the channel from now on. */
function moveChannel(): void {
  d.slack.fault = (request) => {
    const { channel } = request.path.startsWith('/api/chat.') ? parseCall(request) : {} as Block
    if (channel === CHANNEL) return { status: 200, body: '{"ok":false,"error":"channel_not_found"}' }
    return channel === NEW ? { status: 200, body: JSON.stringify({ ok: true, channel: NEW, ts: nextTs() }) } : undefined
  }
}

const inNew = (method: string) => d.slack.calls(method).filter(({ channel }) => channel === NEW)

/** Clicks a button in the channel, by its new id. */
async function press(
  { url, drain }: Server, card: SlackMessage, action: string, id: string, channel = NEW,
): Promise<void> {
  const payload = blockActions(card, action, id, d.slack.reviewer)
  const container = { ...payload.container as object, channel_id: channel }
  const there = { channel: { id: channel, name: 'general' }, container }
  expect((await interact(url, { ...payload, ...there })).status).toBe(200)
  await drain()
}

it('a press on a card in a channel of which Slack did not say that it has another id is told on the status', async () => {
  const { id, card } = await submit(d, { name: 'Lin' })
  await press(d.server, card, 'forward', id, 'C000000888')
  expect(d.resend.requests.filter(({ body }) => body.includes('Lin'))).toEqual([])
  const ada = visit(d.server)
  await ada.signIn(PASSWORD)
  const { incidents } = await (await ada.get('/api/status')).json() as { incidents: { text: string }[] }
  expect(incidents.map(({ text }) => text)).toEqual([
    `A channel has a new id, so 1 click had no effect. In the configuration, replace ${CHANNEL} by C000000888 (Slack).`,
  ])
})

it('cards follow a channel whose id Slack changed, and are decided there, at each replica', async () => {
  const { id, card } = await submit(d, { name: 'Ada' })
  moveChannel()
  const event = { type: 'channel_id_changed', old_channel_id: CHANNEL, new_channel_id: NEW, event_ts: nextTs() }
  expect((await sendEvent(d.server.url, envelope({ ...event, ts: event.event_ts }))).status).toBe(200)

  await press(other, card, 'spam', id)
  expect(inNew('chat.update')).toMatchObject([{ ts: card.ts, blocks: expect.any(Array) as Block[] }])
  expect(JSON.stringify(inNew('chat.update'))).toContain('Marked as spam by Ada Lovelace')

  for (const server of [d.server, other]) {
    const posted = inNew('chat.postMessage').length
    const later = await submitForm(server, { name: 'Grace' })
    await until('a card in the moved channel', () => inNew('chat.postMessage').length > posted)
    expect(JSON.stringify(inNew('chat.postMessage').at(-1))).toContain(later)
  }
  expect(d.server.output()).toContain(`change ${CHANNEL} to ${NEW}`)
})

it('another channel that gets another id is not ours', async () => {
  const event = { type: 'channel_id_changed', old_channel_id: 'C000000002', new_channel_id: 'C000000003' }
  expect((await sendEvent(d.server.url, envelope({ ...event, ts: nextTs() }))).status).toBe(200)
  expect(d.server.output()).not.toContain('C000000003')
})
