import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, it } from 'vitest'
import { blockKitProblems, blockText, interpreted, viewProblems } from '../support/block-kit'
import {
  cardNow, click, deploy, emailsAbout, introduce, openEdit, SIGNING_KEY, submit, submitEdit,
} from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { blockActions, interact } from '../support/slack'

const d = endAfterAll(await deploy())
await introduce(d)
beforeEach(() => {
  d.endpoint.requests.length = 0
  d.resend.requests.length = 0
  d.slack.requests.length = 0
})

const sentEmails = () => d.resend.requests.filter(({ method, path }) => method === 'POST' && path === '/emails')
  .map(({ body }) => JSON.parse(body) as { subject: string, html: string, text: string })
const FORM = {
  name: 'Ada Lovelace', email: 'ada@example.com', message: 'Two engines,\nplease.', quantity: 2, newsletter: false,
  address: { city: 'London', lines: [1, 2] },
}

describe('Forward Submission', () => {
  it('emails, posts to the endpoint, closes the card and leaves a trace without form data', async () => {
    const { id, card } = await submit(d, FORM)
    expect((await click(d, card, 'forward', id)).status).toBe(200)

    const [email, ...more] = sentEmails()
    expect(more).toEqual([])
    expect(email).toMatchObject({
      to: ['triage@example.com'], from: 'Formbot <forms@example.com>', subject: 'Form submission from Ada Lovelace',
      reply_to: 'ada@example.com',
    })
    for (const text of ['Ada Lovelace', 'ada@example.com', 'London', id]) expect(email!.html).toContain(text)
    expect(email!.text).toContain('Two engines,')
    expect(d.resend.requests[0]!.headers['idempotency-key']).toContain(id)

    const [delivery, ...others] = d.endpoint.requests
    expect(others).toEqual([])
    expect(delivery!.body).toBe(JSON.stringify(FORM))
    expect(delivery!.headers['idempotency-key']).toBe(delivery!.headers['webhook-id'])
    expect(new Webhook(SIGNING_KEY).verify(delivery!.body, delivery!.headers as Record<string, string>)).toEqual(FORM)

    const shown = await cardNow(d, card)
    expect(blockKitProblems(d.slack.calls('chat.update').at(-1) as never)).toEqual([])
    expect(shown.blocks.some(({ type }) => type === 'actions')).toBe(false)
    const text = blockText(shown.blocks)
    expect(text).toMatch(/Forwarded by Ada Lovelace on Slack, \d+ \w+ \d{4}, \d\d:\d\d UTC/)
    expect(text).toContain(`Sent to triage@example.com and ${new URL(d.endpoint.url).host}`)
    expect(text).toContain('Two engines,\nplease.')
    expect(text).not.toContain('secret-in-url')
    expect(await leftInRedis(id)).toEqual([`{triage}:s:${id}`])
  })
})

it.each([
  [
    { friend_email: 'friend@example.org', email: 'Jordan Sample <jordan@example.org>' }, 'jordan@example.org',
    'Form submission from Jordan Sample', [],
  ],
  [{ email: 'forms@example.com', to: 'triage@example.com' }, undefined, 'Form submission', []],
  [
    { 'home email': 'a@example.org', 'work email': 'b@example.org' }, undefined, 'Form submission',
    ['2 addresses: which one is the sender\'s? Set `replyTo` of the form'],
  ],
])('the email of %j replies to %s', async (form, replyTo, subject, notes) => {
  const { id, card } = await submit(d, form)
  for (const note of notes) expect(blockText(card.blocks)).toContain(note)
  await click(d, card, 'forward', id)
  const [email] = emailsAbout(d, id).map(({ body }) => JSON.parse(body) as Record<string, unknown>)
  expect([email!.reply_to, email!.subject]).toEqual([replyTo, subject])
  expect(email!.headers).toEqual({
    'Auto-Submitted': 'auto-generated', 'X-Entity-Ref-ID': id, 'Message-ID': `<${id}@example.com>`,
    'References': `<${id}@example.com>`,
  })
})

it('a click with an empty value, without a value or without a thread has no effect and is no error', async () => {
  const { id, card } = await submit(d, FORM)
  const posted = d.slack.requests.length
  for (const value of ['', undefined]) for (const action of ['forward', 'edit', 'spam']) {
    expect((await click(d, card, action, value)).status).toBe(200)
  }
  const payload = blockActions(card, 'forward', id, d.slack.reviewer)
  for (const part of ['message', 'channel']) Reflect.deleteProperty(payload, part)
  payload.container = { type: 'view', view_id: 'V1' }
  expect((await interact(d.server.url, payload)).status).toBe(200)
  await d.server.drain()
  expect(d.slack.requests.slice(posted).filter(({ path }) => /^\/api\/(chat|views)\./.test(path))).toEqual([])
  expect(sentEmails()).toEqual([])
})

describe('Mark as Spam', () => {
  it('erases the data, sends nothing, and the card says who', async () => {
    const { id, card } = await submit(d, FORM)
    await click(d, card, 'spam', id)
    const text = blockText((await cardNow(d, card)).blocks)
    expect(text).toMatch(/marked as spam by Ada Lovelace/i)
    expect(text).not.toContain('London')
    expect(sentEmails()).toEqual([])
    expect(d.endpoint.requests).toEqual([])
    expect(await leftInRedis(id)).toEqual([`{triage}:s:${id}`])
  })
})

describe('Edit & Forward', () => {
  it('opens a prefilled form with one input per field, several lines where the value has them', async () => {
    const { id, card } = await submit(d, { ...FORM, long: 'x'.repeat(100) })
    d.slack.requests.length = 0
    const view = await openEdit(d, card, id)
    expect(d.slack.requests.map(({ path }) => path)).toEqual(['/api/views.open'])
    expect(viewProblems(view)).toEqual([])
    const inputs = view.blocks as { label: { text: string }, element: { initial_value: string, multiline: boolean } }[]
    expect(inputs.map(({ label, element }) => [label.text, element.initial_value, element.multiline])).toEqual([
      ['name', 'Ada Lovelace', false], ['email', 'ada@example.com', false], ['message', 'Two engines,\nplease.', true],
      ['quantity', '2', false], ['newsletter', 'false', false], ['address', '{"city":"London","lines":[1,2]}', false],
      ['long', 'x'.repeat(100), true],
    ])
  })

  it('forwards what was changed, keeps the type of what was not touched, and marks the edits', async () => {
    const { id, card } = await submit(d, FORM)
    const view = await openEdit(d, card, id)
    expect(await submitEdit(d, view, { f0: 'Grace Hopper', f3: '7' })).toEqual({})
    expect(JSON.parse(d.endpoint.requests[0]!.body)).toEqual({ ...FORM, name: 'Grace Hopper', quantity: 7 })
    expect(sentEmails()[0]!.html).toContain('Grace Hopper')
    const text = blockText((await cardNow(d, card)).blocks)
    expect(text).toContain('Edited and forwarded by Ada Lovelace')
    expect(text).toContain('name (edited)')
    expect(text).toContain(`Grace Hopper\n(was: ${FORM.name})`)
    expect(text).toContain('Edited: name, quantity')
    expect(text).not.toContain('email (edited)')
  })

  it('says who was faster when somebody decided meanwhile', async () => {
    const { id, card } = await submit(d, FORM)
    const view = await openEdit(d, card, id)
    await click(d, card, 'spam', id)
    const answer = await submitEdit(d, view, { f0: 'Too late' })
    expect(answer.response_action).toBe('update')
    expect(viewProblems(answer.view as never)).toEqual([])
    expect(blockText(answer.view)).toMatch(/Marked as spam by Ada Lovelace on Slack, .* UTC\./)
    expect(sentEmails()).toEqual([])
  })
})

describe('form text', () => {
  const hostile = {
    '<!channel>': '<!here> <@U1> <https://evil.example|bank>', '*bold*': '*bold* _it_ ~no~ `code` :smile: @everyone',
    'link': '[x](http://evil.example) https://evil.example & &amp;', 'q': '> quoted\n{{emoji:wave}}',
  }

  it('appears on the card as it was typed: no mention, link, markup or emoji', async () => {
    const { id, card } = await submit(d, hostile)
    await click(d, card, 'forward', id)
    for (const message of [card, await cardNow(d, card)]) {
      const shown = blockText(message.blocks.filter(({ type }) => type === 'rich_text'))
      for (const text of Object.entries(hostile).flat()) expect(shown).toContain(text)
      expect(interpreted(message.blocks)).toBe('')
      expect(message.text).not.toMatch(/<[!@#h]/)
    }
  })

  it('that turns around, is hidden or would be decoded is shown by a mark on the card and in the email, and reaches the endpoint as it was sent', async () => {
    const word = `=?utf-8?B?${Buffer.from('gpj\u202E').toString('base64')}?=`
    const data = {
      'subject': `Re\u202Eply ${word}`, 'file\u2066name': 'picture\u202Egpj.exe', 'list': ['a\u200Fb'],
      'pass\u00ADword': 'x',
    }
    const { id, card } = await submit(d, data)
    await click(d, card, 'forward', id)
    const [email] = sentEmails()
    for (const text of [blockText(card.blocks), email!.text, email!.html]) {
      for (const shown of [
        'file⟨U+2066⟩name', 'picture⟨U+202E⟩gpj.exe', 'a⟨U+200F⟩b', 'pass⟨U+00AD⟩word', '⟨=?⟩utf-8?B?',
      ]) expect(text).toContain(shown)
      expect(text).not.toMatch(/[\u00AD\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/)
    }
    expect(email!.subject).toMatch(/^Re⟨U\+202E⟩ply ⟨=\?⟩utf-8\?B\?/)
    expect(JSON.parse(d.endpoint.requests[0]!.body)).toEqual(data)
  })
})

it('LOCALE=de turns cards, the edit, the answer to a late click and the email German, but not the pages', async () => {
  const german = endAfterTest(await deploy({ NODE_ENV: 'development', LOCALE: 'de' }))
  await introduce(german)
  const { id, card } = await submit(german, { name: 'Ada', note: 'x' })
  const waiting = blockText((await cardNow(german, card)).blocks)
  for (const text of ['Neues Formular', 'Weiterleiten', 'Bearbeiten & weiterleiten', 'Als Spam markieren']) {
    expect(waiting).toContain(text)
  }
  const view = await openEdit(german, card, id)
  expect(view).toMatchObject({
    title: { text: 'Bearbeiten' }, submit: { text: 'Weiterleiten' }, close: { text: 'Abbrechen' },
  })
  await submitEdit(german, view, { f1: '' })
  await german.server.drain()
  const decided = blockText((await cardNow(german, card)).blocks)
  expect(decided).toMatch(/Bearbeitet und weitergeleitet von Ada Lovelace \(Slack\), \d\d\.\d\d\.\d{4}, \d\d:\d\d UTC/)
  expect(decided).toContain('note (bearbeitet)')
  expect(decided).toContain('Gesendet an triage@example.com und')
  await click(german, card, 'spam', id)
  const [answer] = german.slack.calls('chat.postEphemeral')
  expect(JSON.stringify(answer)).toContain('Bearbeitet und weitergeleitet von Ada Lovelace (Slack), ')
  const { subject, html, text } = JSON.parse(emailsAbout(german, id)[0]!.body) as {
    subject: string
    html: string
    text: string
  }
  expect(subject).toBe('Formular von Ada')
  expect(html).toContain('<html lang="de"')
  expect(text).toContain('note (bearbeitet): —\n  (vorher: x)')
  expect(text).toMatch(/\nBearbeitet und weitergeleitet von .+\nEingegangen am \d\d\.\d\d\.\d{4}, \d\d:\d\d UTC\n/)
  const page = await (await fetch(`${german.server.url}/api/submissions/${id}`)).text()
  expect(page).toContain('Edited and forwarded by Ada Lovelace on Slack, ')
  expect(page).not.toContain('eitergeleitet')
})

/** Redis keys that still belong to the submission. */
async function leftInRedis(id: string): Promise<string[]> {
  const { createClient } = await import('redis')
  const client = await createClient({ url: d.redis.url }).connect()
  const keys = await client.keys(`*${id}*`)
  const listed = await client.zScore('{triage}:pending', id)
  client.destroy()
  return [...keys, ...listed === null ? [] : ['listed']]
}
