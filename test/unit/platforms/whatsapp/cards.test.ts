import fc from 'fast-check'
import { expect, test } from 'vitest'
import { approvalCard } from '../../../../server/adapters/chat/approval-card'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { printable } from '../../../../server/platforms/shared/text'
import { whatsapp as platform } from '../../../../server/platforms/whatsapp/definition'
import type { CardView } from '../../../../server/ports/board'
import { anyView, manyFields, openView, URL_OF_ONE, SITE } from '../../../fixtures/views'
import { endAfterAll } from '../../../support/lifetime'
import { runs } from '../../../support/properties'
import { foundBy, startWhatsApp, type WhatsAppMessage } from '../../../support/whatsapp'
import { adapterOf } from '../../../support/whatsapp-adapter'

const whatsapp = endAfterAll(await startWhatsApp())
const { env } = whatsapp
const adapter = adapterOf(whatsapp)
const thread = `whatsapp:${env.WHATSAPP_PHONE_NUMBER_ID}:${env.WHATSAPP_CHAT_ID}`

async function post(view: CardView): Promise<WhatsAppMessage> {
  const requestCount = whatsapp.requests.length
  await adapter.postMessage(thread, renderCard(view, platform).card)
  expect(whatsapp.requests.slice(requestCount).map(({ status }) => status)).toEqual([200])
  return whatsapp.messages().at(-1)!
}

/** Text without the characters that only stop WhatsApp's markup and links. */
const legible = (text: string) => text.replace(/[\u200A\u2060]/g, '').replaceAll('\u02CB', '`')

/** True for our own links and for the bold title of a card without buttons. */
const isOurs = (effect: string) => effect.startsWith(SITE) || /^\*[A-Z][\w ]*\*$/.test(effect)

test('WhatsApp takes the card of any form as it is, and recognises nothing in it', async () => {
  await fc.assert(fc.asyncProperty(anyView, async (view) => {
    expect(foundBy((await post(view)).text).filter(effect => !isOurs(effect))).toEqual([])
  }), { numRuns: runs(100) })
})

test('WhatsApp takes what has become of any card, below it', async () => {
  await fc.assert(fc.asyncProperty(anyView, async (view) => {
    const { id } = await post(openView({ name: 'Ada' }))
    const messageCount = whatsapp.messages().length
    await adapter.editMessage(thread, id, renderCard(view, platform).card)
    const messages = whatsapp.messages().slice(messageCount)
    expect(messages.map(({ replyTo, buttons }) => [replyTo, buttons])).toEqual(messages.map(() => [id, []]))
    expect(messages.flatMap(({ text }) => foundBy(text)).filter(effect => !isOurs(effect))).toEqual([])
  }), { numRuns: runs(50) })
})

test('as many long changes as a tool may ask for stand on WhatsApp with who asked', async () => {
  const detailOf = (label: string) => ({ label, value: 'Some words. '.repeat(80), edited: false })
  const changes = Array.from({ length: 10 }, (_, at) => detailOf(`Change field ${at} ${'of a long name '.repeat(5)}`))
  const otherDetails = ['name', 'email', 'message', 'company'].map(name => detailOf(`Submission: ${name}`))
  const details = [{ label: 'id', value: crypto.randomUUID(), edited: false }, ...changes, ...otherDetails]
  await adapter.postMessage(thread, approvalCard({
    title: 'Edit and forward submission', details, notes: ['Asked by Ada on WhatsApp.'],
    value: `${crypto.randomUUID()}.0`,
  }, platform))
  const { text } = whatsapp.messages().at(-1)!
  for (const { label } of changes) expect(text).toContain(label.slice(0, 14))
  expect(text).toContain('\n\nShortened: Change field 0')
  expect(text).toContain('Asked by Ada on WhatsApp.')
})

test.each([0, 1, 6, 20])('a full card with the links of %i files says what became of it, and where it is edited', async (count) => {
  const site = 'https://form-triage-git-main-some-company.vercel.app'
  const [id, key] = [crypto.randomUUID(), 'k'.repeat(43)]
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const links = Array.from({ length: count }, (_, index) => (
    { label: `Open file ${index + 1} (${type}, 1.4 MB)`, url: `${site}/api/files/${id}/${index}?key=${key}` }
  ))
  const url = `${site}/submissions/${id}`
  for (const size of [5, 20, 60, 3000]) {
    const fields = Object.keys(manyFields(200)).map(label => ({ label, value: '.'.repeat(size), edited: false }))
    const { text } = await post({ ...openView({}), fields, links, url, notes: ['Email failed.', 'The last line.'] })
    expect(text).toContain('\nEmail failed.\n\nThe last line.\n\n')
    expect(text).toContain(`: open the full submission · Edit & Forward on the web: ${url}`)
    for (const { url } of links.slice(0, 1)) expect(text).toContain(url)
  }
})

/** Links of two files, which fill most of a card. */
const FILES = [1, 2].map(index => ({
  label: `Open file ${index} (application/vnd.openxmlformats-officedocument.wordprocessingml.document, 1.4 MB)`,
  url: `${SITE}/api/files/0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d/${index}?key=${'k'.repeat(43)}`,
}))

test('a card whose files leave no room for all of the first field shows how that begins', async () => {
  const { text } = await post({ ...openView({ message: 'Some words. '.repeat(80), name: 'Ada' }), links: FILES })
  expect(text).toMatch(/^New Form Submission\nmessage: (?:Some words\. ){10}[^…]*…\nname: Ada\n\n1 shortened: /)
})

test('a card that has room for no field does not say that the form was empty', async () => {
  const view = openView({ message: 'Some words. '.repeat(80) })
  const { text } = await post({ ...view, links: FILES, notes: ['x'.repeat(400)] })
  expect(text).toContain('1 more field: open the full submission')
  expect(text).not.toContain('empty')
  expect((await post(openView({}))).text).toContain('The form was empty.')
})

const UNITS = ['a', '界', '*', '`', '\\', '@a ', 'a.b ', '\n', ' ', '{{emoji:wave}}']

test.each(UNITS)('WhatsApp takes the largest card of %j, with its buttons and one link', async (unit) => {
  for (const size of [1, 100, 3000]) {
    const value = `x${unit.repeat(size)}`
    const keys = Object.keys(manyFields(200))
    const fields = keys.map(key => ({ label: `${key} ${unit.repeat(50)}`, value, edited: true }))
    const { buttons, text } = await post({ ...openView({}), fields, notes: [unit.repeat(500), 'The last line.'] })
    expect(buttons.map(({ title }) => title)).toEqual(['Forward Submission', 'Mark as Spam'])
    expect(text).toMatch(/more fields.*: open the full submission · Edit & Forward on the web: https:\S+\/one$/)
  }
})

test.each([
  '*bold* _it_ ~s~ ```x``` <https://x> @all 😀', '**bold** __it__ ~~no~~ `code`', '*_~all~_*', '(*in*) "_quotes_"',
  '# heading', '- list\n- of two', '* list', '1. one\n2. two', '> quote', '    indented\n\ttabbed', 'a\n\n\nb',
  '```\nfence\n```', '[bank](https://evil.example)', 'https://evil.example/?a=1&b=2.', 'www.evil.example 10.0.0.1',
  'evil.example/x@y.example', 'x@a_b.example', '0.`evil` `*b*', '-\n-', 'C:\\new\\table.txt', '{{emoji:wave}}', '\\',
  '*', 'a * b * c',
])('%j appears as it was typed', async (value) => {
  const label = value.replaceAll('\n', ' ').trim()
  const { text } = await post(openView({ [label]: value, last: 'unharmed' }))
  expect(legible(text)).toContain(`${label}: ${value}\nlast: unharmed`)
  expect(foundBy(text).filter(effect => !isOurs(effect))).toEqual([])
})

test.each([
  'ada@example.com', 'john_doe+x@mail.example.org,', 'snake_case_name', '2*3*4', '+49 151 12345678', '3.14',
])('%j is copied as it was typed', async (value) => {
  expect((await post(openView({ value }))).text).toContain(`value: ${value}\n`)
})

test('an address that is said as code is no link, and one of our own is', async () => {
  await adapter.postMessage(thread, { markdown: `See \`https://evil.example/?d=ada\` and ${URL_OF_ONE}.` })
  const { text } = whatsapp.messages().at(-1)!
  expect(legible(text)).toBe(`See \`https://evil.example/?d=ada\` and <${URL_OF_ONE}>.`)
  expect(foundBy(text).filter(effect => effect.includes('://'))).toEqual([expect.stringContaining(URL_OF_ONE)])
})

test('the chat is of the reviewer, and of nobody else', async () => {
  const chat = thread.replace('whatsapp:', '')
  expect(await adapter.isMember(chat, whatsapp.env.WHATSAPP_CHAT_ID!)).toBe(true)
  expect(await adapter.isMember(chat, '4366012345678')).toBe(false)
})

/** Parts of markup, links and addresses. */
const SIGNS = fc.constantFrom('a', 'com', '1', '界', '.', '@', '://', '`', '*', '_', '~', '>', '-', ' ', '\n', '{{')

test('any text appears as it was typed, and nothing is recognised in it', async () => {
  const anyText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: SIGNS, maxLength: 20 }))
  await fc.assert(fc.asyncProperty(anyText, async (value) => {
    const { text } = await post(openView({ value, last: 'unharmed' }))
    expect(legible(text)).toContain(legible(`value: ${printable(value) || '—'}\nlast: unharmed`))
    expect(foundBy(text).filter(effect => !isOurs(effect))).toEqual([])
  }), { numRuns: runs(100) })
})
