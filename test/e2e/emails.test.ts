import { Buffer } from 'node:buffer'
import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, emailsAbout, introduce, openEdit, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'

const d = endAfterAll(await deploy({ NODE_ENV: 'development' }))

interface Sent {
  html: string
  text: string
  reply_to?: string
  headers: Record<string, string>
  attachments?: { filename: string, content: string, content_type: string }[]
}

async function emailOf(data: object): Promise<Sent & { id: string }> {
  const { id, card } = await submit(d, data)
  await click(d, card, 'forward', id)
  const request = emailsAbout(d, id)[0]!
  expect(request.status).toBe(200)
  return { id, ...JSON.parse(request.body) as Sent }
}

it.each([
  ['five hundred short fields', Object.fromEntries(
    Array.from({ length: 500 }, (_, index) => [`field ${index}`, `value ${index}`]),
  )],
  ['one long text', { name: 'Ada', message: '"<é>\n'.repeat(30_000) }],
])('an email about %s stays below what mail clients cut, and carries all of it as JSON', async (_, data) => {
  const { id, html, text, attachments } = await emailOf(data)
  expect(Buffer.byteLength(html)).toBeLessThan(100_000)
  for (const part of [html, text]) expect(part).toContain(`All fields are in the attached submission-${id}.json.`)
  expect(attachments).toEqual([
    { filename: `submission-${id}.json`, content: expect.any(String), content_type: 'application/json' },
  ])
  expect(JSON.parse(Buffer.from(attachments![0]!.content, 'base64').toString())).toEqual(data)
})

it('an email that holds everything has nothing attached, and tells other programs not to answer', async () => {
  const { attachments, headers } = await emailOf({ name: 'Ada' })
  expect(attachments).toBeUndefined()
  expect(headers).toEqual({ 'Auto-Submitted': 'auto-generated' })
})

it.each([
  ['Ada Lovelace <ada@example.com>', 'ada@example.com'],
  ['"Lovelace, Ada" <ada@example.com>', 'ada@example.com'],
  ['ada@bücher.example', 'ada@xn--bcher-kva.example'],
  ['Ада <ada@пример.рф>', 'ada@xn--e1afmkfd.xn--p1ai'],
  ['Ada <ada@example.com>\r\nBcc: all@example.com', undefined],
  ['ada@example.com, bob@example.com', undefined],
])('an email about a form from %j is answered to %s', async (email, replyTo) => {
  expect((await emailOf({ email })).reply_to).toBe(replyTo)
})

it('what was edited stands beside what the sender wrote: on the card, in the email and on the page', async () => {
  const { id, card } = await submit(d, { name: 'Ada <1>', left: 'as it was' })
  d.resend.fault = ({ method }) => method === 'POST' ? { status: 422 } : undefined
  const view = await openEdit(d, card, id)
  await submitEdit(d, view, { f0: 'Grace' })
  await d.server.drain()
  d.resend.fault = () => undefined
  const shown = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json() as { fields: object[] }
  expect(shown.fields).toMatchObject([{ value: 'Grace', edited: true, was: 'Ada <1>' }, { edited: false }])
  expect(shown.fields[1]).not.toHaveProperty('was')
  await click(d, card, 'forward', id)
  await d.server.drain()
  expect(blockText((await cardNow(d, card)).blocks)).toContain('Grace\n(was: Ada <1>)')
  const { html, text } = JSON.parse(emailsAbout(d, id).at(-1)!.body) as Sent
  expect(html).toContain('<del>Ada &lt;1&gt;</del>')
  expect(text).toContain('name (edited): Grace\n  (was: Ada <1>)')
})

it('LOCALE=de turns cards, the edit, the answer to a late click and the email German, but not the pages', async () => {
  const german = endAfterAll(await deploy({ NODE_ENV: 'development', LOCALE: 'de' }))
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
  const { subject, html, text } = JSON.parse(emailsAbout(german, id)[0]!.body) as Sent & { subject: string }
  expect(subject).toBe('Formular von Ada')
  expect(html).toContain('<html lang="de"')
  expect(text).toContain('note (bearbeitet): —\n  (vorher: x)')
  expect(text).toMatch(/\nBearbeitet und weitergeleitet von .+\nEingegangen am \d\d\.\d\d\.\d{4}, \d\d:\d\d UTC\n/)
  const page = await (await fetch(`${german.server.url}/api/submissions/${id}`)).text()
  expect(page).toContain('Edited and forwarded by Ada Lovelace on Slack, ')
  expect(page).not.toContain('eitergeleitet')
})
