import { expect, it } from 'vitest'
import { deploy, emailsAbout, NO_SLACK, submitForm } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'
import { startWhatsApp, USER_ID, type WhatsApp, type WhatsAppMessage } from '../support/whatsapp'

const STRANGER = 'DE.99999999999999999999'
const whatsapp = endAfterAll(await startWhatsApp())
const d = endAfterAll(await deploy({ ...whatsapp.env, ...NO_SLACK, REVIEWERS: `whatsapp:${USER_ID}` }))
// A message with both ids links them to one person.
await whatsapp.write(d.server.url, 'hello', undefined, USER_ID)
await d.server.drain()

async function cardOfNew(): Promise<{ id: string, card: WhatsAppMessage }> {
  const id = await submitForm(d.server, { name: 'Ada' })
  return { id, card: await until('the card', () => whatsapp.cardOf(id)) }
}

async function press(card: WhatsAppMessage, how: Parameters<WhatsApp['click']>[3]): Promise<void> {
  expect((await whatsapp.click(d.server.url, card, 'Forward Submission', how)).status).toBe(200)
  await d.server.drain()
}

it.each([
  ['an empty number and their other id', { from: '', userId: USER_ID }],
  ['their number alone, where the list has the other id', {}],
  ['both', { userId: USER_ID }],
])('a reviewer with a username who presses with %s decides', async (_, how) => {
  const { id, card } = await cardOfNew()
  await press(card, how)
  await until('the email', () => emailsAbout(d, id).length === 1)
})

it('somebody else with a username decides nothing, also where Meta tells of the reviewer beside', async () => {
  const { id, card } = await cardOfNew()
  await press(card, { from: '', userId: STRANGER })
  await press(card, { from: '', userId: STRANGER, contact: { wa_id: whatsapp.env.WHATSAPP_CHAT_ID! } })
  await press(card, { from: '', contact: { wa_id: '' } })
  expect(emailsAbout(d, id)).toEqual([])
})

it('what a reviewer asks without a number is answered', async () => {
  const before = whatsapp.messages().length
  await whatsapp.write(d.server.url, 'help', '', USER_ID)
  await d.server.drain()
  expect(whatsapp.messages().slice(before).map(({ text }) => text)).toEqual([expect.stringContaining('pending')])
})

it('a card that did not arrive is noticed where Meta names its reader by the other id', async () => {
  const { id, card } = await cardOfNew()
  await d.server.drain()
  await whatsapp.fail(d.server.url, 131047, card.id, { recipient_id: '', recipient_user_id: USER_ID })
  await d.server.drain()
  const ops = visit(d.server)
  await ops.signIn(PASSWORD)
  const { history } = await (await ops.get(`/api/submissions/${id}`)).json() as { history: object[] }
  expect(history.at(-1)).toMatchObject({ text: 'Card on WhatsApp failed' })
})
