import { describe, expect, test } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, cardOf, click, deploy, sendForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { startProxy, type Fault } from '../support/proxy'
import { holding } from '../support/redis-keys'
import { blockActions, inChannel, interact, type SlackMessage } from '../support/slack'
import { until } from '../support/until'

/** Channel that the Slack emulator creates as #random */
const RANDOM = 'C000000002'
const WORDS = { subject: 'We have your order', text: 'Thank you.\n\nWe answer within two days.' }
const crm = endAfterAll(await startProxy())
const FORMS_CONFIG = formsFile({
  contact: {
    name: 'Contact *us*', channels: { slack: RANDOM }, to: ['sales@example.com', 'boss@example.com'],
    endpoint: `${crm.url}/contact`, allowedOrigins: ['https://shop.example'],
    fields: { message: 'What is it about?', name: 'Your name' },
  },
  jobs: { name: 'Jobs', endpoint: null },
  orders: { name: 'Orders', endpoint: null, confirm: WORDS },
})
const d = endAfterAll(await deploy({ FORMS_CONFIG, CARD_INTERVAL_MS: '0' }))

const send = (path: string, body: object, headers = {}) => sendForm(d.server, body, headers, path)

async function posted(path: string, body: object): Promise<{ id: string, card: SlackMessage & { channel: string } }> {
  const { submissionId: id } = await (await send(path, body)).json() as { submissionId: string }
  await d.server.drain()
  const { channel } = d.slack.calls('chat.postMessage').find(({ blocks }) => JSON.stringify(blocks).includes(id))!
  const card = await cardOf(d, id, channel as string)
  return { id, card: { ...card, channel: channel as string } }
}

describe('a named form', () => {
  test('has its card in its own channel, with its name, labels and order', async () => {
    const { card } = await posted('/contact', { name: 'Ada', extra: 1, message: 'Hello' })
    expect(card.channel).toBe(RANDOM)
    const text = blockText(card.blocks)
    expect(text).toContain('New Form Submission: Contact *us*')
    expect([...text.matchAll(/What is it about\?|Your name|extra/g)].map(([found]) => found)).toEqual([
      'What is it about?', 'Your name', 'extra',
    ])
  })

  test('is forwarded to its own addresses and endpoint, and its card is updated where it is', async () => {
    const { id, card } = await posted('/contact', { name: 'Ada', message: 'Hello' })
    await interact(d.server.url, inChannel(blockActions(card, 'forward', id, d.slack.reviewer), RANDOM))
    await d.server.drain()
    const [email] = (await d.resend.emails()).filter(({ html }) => html.includes(id))
    expect(email).toMatchObject({
      to: ['sales@example.com', 'boss@example.com'], subject: '[Contact *us*] Form submission from Ada',
    })
    expect(crm.requests.map(({ path, body }) => [path, JSON.parse(body)])).toContainEqual([
      '/contact', { name: 'Ada', message: 'Hello' },
    ])
    expect(d.endpoint.requests).toEqual([])
    const shown = blockText((await cardNow(d, card, RANDOM)).blocks)
    expect(shown).toContain('Form Submission forwarded: Contact *us*')
    expect(shown).toContain(`Sent to sales@example.com and boss@example.com and ${new URL(crm.url).host}`)
  })

  test.each(['/Contact', '/__proto__'])('%s is no form, which pages of any origin can read', async (path) => {
    const response = await send(path, { name: 'Ada' }, { origin: 'https://shop.example' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([404, '*'])
    expect(await response.json()).toMatchObject({ code: 'UNKNOWN_FORM' })
  })
})

test('a form that confirms tells who sent it once, after its forward; until then the address alone is kept', async () => {
  const form = { name: 'Grace Hopper', email: 'grace@example.com', message: 'One compiler, please.' }
  const { id, card } = await posted('/orders', form)
  const confirmed = () => d.resend.requests.filter(({ body }) => body.includes(WORDS.subject))
  const faults: Fault[] = ['lose-answer']
  let isDown = true
  d.resend.fault = ({ body }) => body.includes(WORDS.subject) ? isDown ? { status: 500 } : faults.shift() : undefined
  expect(confirmed()).toEqual([])
  await click(d, card, 'forward', id)
  await until('the form gone', async () => (await holding(d.redis.url, form.name)).length === 0)
  expect((await holding(d.redis.url, form.email)).length).toBe(1)
  expect(confirmed().length).toBeGreaterThan(0)
  isDown = false
  await until('the address gone', async () => (await holding(d.redis.url, form.email)).length === 0)
  d.resend.fault = () => undefined
  const emails = (await d.resend.emails()).filter(({ subject }) => subject === WORDS.subject)
  expect(emails).toMatchObject([{ to: [form.email], from: 'Formbot <forms@example.com>', text: WORDS.text }])
  const bodies = confirmed().map(({ body }) => body)
  expect(new Set(bodies).size).toBe(1)
  for (const value of [form.name, form.message, id]) expect(bodies[0]).not.toContain(value)
})
