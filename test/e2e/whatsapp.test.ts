import { beforeEach, describe, expect, it } from 'vitest'
import { deploy, emailsAbout, idOf, NO_SLACK, sendForm } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { deployAgent } from '../support/slack-people'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'
import { PICTURE, startWhatsApp, type WhatsApp, type WhatsAppMessage } from '../support/whatsapp'

const whatsapp = endAfterAll(await startWhatsApp())
const d = endAfterAll(await deploy({ ...whatsapp.env, ...NO_SLACK, RETRY_BASE_MS: '200' }))
beforeEach(() => { whatsapp.fault = () => undefined })

async function submitForm(data: object): Promise<{ id: string, card: WhatsAppMessage }> {
  const id = await idOf(await sendForm(d.server, data))
  return { id, card: await until(`the card of ${id}`, () => whatsapp.cardOf(id)) }
}

async function press(card: WhatsAppMessage, title: string, how?: Parameters<WhatsApp['click']>[3]): Promise<number> {
  const { status } = await whatsapp.click(d.server.url, card, title, how)
  await d.server.drain()
  return status
}

const textsBelow = (card: WhatsAppMessage) => whatsapp.repliesTo(card).map(({ text }) => text)

/** Waits for a log line that contains all these parts. */
const logged = (...parts: string[]) => until(`a line with ${parts.join(', ')}`, () => (
  d.server.output().split('\n').some(line => parts.every(part => line.includes(part)))
))

/** An error response of Meta */
const refusal = (code: number, status = 400) => ({
  status, body: JSON.stringify({ error: { message: `(#${code}) No.`, type: 'OAuthException', code } }),
})

describe('a card on WhatsApp', () => {
  it('has two buttons, and a link instead of the third', async () => {
    const { id, card } = await submitForm({ name: 'Ada', note: '@everyone hi' })
    const link = `Edit & Forward on the web: https://forms.example.com/submissions/${id}`
    expect(card.text).toBe(`New Form Submission\nname: Ada\nnote: @everyone hi\n\n${link}`)
    expect(card.buttons.map(({ title }) => title)).toEqual(['Forward Submission', 'Mark as Spam'])
  })

  it('of a long form says how much is missing, and where it is', async () => {
    const data = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`key ${index}`, 'v'.repeat(500)]))
    const { id, card } = await submitForm(data)
    expect(card.text).toMatch(/\n\d+ more fields, 1 shortened: open the full submission · Edit & Forward on the web: /)
    expect(card.text.endsWith(`https://forms.example.com/submissions/${id}`)).toBe(true)
  })

  it('is decided once: below it stands by whom and where to, and later presses are told so', async () => {
    const { id, card } = await submitForm({ name: 'Ada' })
    expect(await press(card, 'Forward Submission')).toBe(200)
    // Skip the first reply about a slow delivery, which says that the delivery is on its way.
    const final = () => textsBelow(card).filter(text => !text.includes('Being sent to'))
    const said = await until('what became of it', () => final()[0])
    expect(said.split('\n')).toEqual([
      '*Form Submission forwarded*', expect.stringMatching(/^Forwarded by Ada Lovelace on WhatsApp, /),
      expect.stringMatching(/^Sent to triage@example\.com and \S/),
    ])
    await logged('submission.finished', id)
    expect(await press(card, 'Mark as Spam')).toBe(200)
    expect(final().slice(1)).toEqual([expect.stringMatching(/^Forwarded by Ada Lovelace on WhatsApp, /)])
    expect(emailsAbout(d, id)).toHaveLength(1)
  })

  it('whose forward failed is decided again by another press, and not by the same one, sent again', async () => {
    const { id, card } = await submitForm({ name: 'Ada' })
    d.endpoint.fault = () => ({ status: 400 })
    await press(card, 'Forward Submission', { id: 'wamid.in.first' })
    await until('that it failed', () => textsBelow(card).some(text => text.includes('Forward again')))
    d.endpoint.fault = () => undefined
    const before = d.endpoint.requests.length
    await press(card, 'Forward Submission', { id: 'wamid.in.first' })
    expect(d.endpoint.requests).toHaveLength(before)
    expect(textsBelow(card).filter(text => text.startsWith('Forwarded by'))).toEqual([])
    await press(card, 'Forward Submission')
    await until('that it was sent', () => textsBelow(card).some(text => text.startsWith('*Form Submission forwarded*')))
    expect(emailsAbout(d, id)).toHaveLength(1)
  })
})

describe('a webhook', () => {
  it('with a press at another number of the app decides nothing, and its sender is told so', async () => {
    const { id, card } = await submitForm({ name: 'Ada' })
    const before = whatsapp.requests.length
    expect(await press(card, 'Mark as Spam', { number: '999999999999999' })).toBe(200)
    const sent = whatsapp.requests.slice(before).map(({ body }) => body)
    expect(sent).toEqual([expect.stringContaining('belongs to another channel, so nothing was changed.')])
    await logged('"review.misplaced"', id, '"platform":"whatsapp"')
  })

  it('is confirmed to whoever knows the verify token, and to nobody else', async () => {
    const query = 'hub.mode=subscribe&hub.challenge=1158201444&hub.verify_token='
    const ask = (platform: string, token: string) => fetch(`${d.server.url}/api/webhooks/${platform}?${query}${token}`)
    const confirmed = await ask('whatsapp', whatsapp.env.WHATSAPP_VERIFY_TOKEN!)
    expect([confirmed.status, await confirmed.text()]).toEqual([200, '1158201444'])
    const token = whatsapp.env.WHATSAPP_VERIFY_TOKEN!
    for (const wrong of ['another', '', token.slice(0, -1), `${token}x`]) {
      expect((await ask('whatsapp', wrong)).status).toBe(403)
    }
    expect((await ask('slack', whatsapp.env.WHATSAPP_VERIFY_TOKEN!)).status).toBe(405)
  })

  it('that tells of a message which did not arrive is told in the log, with what to do', async () => {
    expect((await whatsapp.fail(d.server.url, 131047)).status).toBe(200)
    await logged('A message was not delivered. WhatsApp answered 131047. The person of WHATSAPP_CHAT_ID has to write')
  })
})

it('a card that did not arrive waits to be posted again; its history and the status say why', async () => {
  const { id, card } = await submitForm({ name: 'unread' })
  await d.server.drain()
  await whatsapp.fail(d.server.url, 131047, card.id)
  await d.server.drain()
  const ada = visit(d.server)
  await ada.signIn(PASSWORD)
  const { history } = await (await ada.get(`/api/submissions/${id}`)).json() as { history: object[] }
  expect(history).toHaveLength(2)
  expect(history[1]).toMatchObject({ text: 'Card on WhatsApp failed' })
  expect(JSON.stringify(history[1])).toContain('24 hours have passed.')
  const { parts } = await (await ada.get('/api/status')).json() as { parts: { key: string }[] }
  expect(parts.find(({ key }) => key === 'whatsapp')).toMatchObject({
    state: 'failing', lastError: { reason: expect.stringContaining('24 hours have passed.') as string },
  })
})

it('a picture is shown to the model, whenever it was sent in the conversation', async () => {
  const agent = endAfterTest(await deployAgent({ ...whatsapp.env, ...NO_SLACK }))
  agent.model.script({ text: 'Hello.' }, { text: 'A form.' }, { text: 'Yes, a form.' })
  await whatsapp.write(agent.server.url, 'hello')
  await agent.server.drain()
  await whatsapp.sendPicture(agent.server.url, 'what is this?')
  await agent.server.drain()
  await whatsapp.write(agent.server.url, 'are you sure?')
  await agent.server.drain()
  const said = (role: string, content: unknown) => ({ role, content })
  const before = [said('user', 'hello'), said('assistant', 'Hello.'), said('user', [
    { type: 'text', text: 'what is this?' },
    { type: 'image_url', image_url: { url: `data:image/jpeg;base64,${PICTURE.toString('base64')}` } },
  ])]
  expect(agent.model.requests.slice(1).map(({ messages }) => messages)).toEqual([
    before, [...before, said('assistant', 'A form.'), said('user', 'are you sure?')],
  ])
})

describe('WhatsApp that refuses', () => {
  it('because of too many messages to one person is asked again when it may answer', async () => {
    let refused = 0
    whatsapp.fault = ({ body }) => body.includes('patient') && refused++ === 0 ? refusal(131056, 429) : undefined
    await submitForm({ name: 'patient' })
    const [first, second] = whatsapp.requests.filter(({ body }) => body.includes('patient'))
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(6000)
  })

  it('what a card says gets it without the form', async () => {
    whatsapp.fault = ({ body }) => body.includes('unspeakable') ? refusal(131009) : undefined
    const { card } = await submitForm({ name: 'unspeakable' })
    expect(card.text).toContain('WhatsApp refused the whole card.')
    expect(card.buttons).toHaveLength(2)
  })
})
