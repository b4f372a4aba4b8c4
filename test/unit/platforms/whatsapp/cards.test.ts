import { memoryState } from '../../../support/sqlite'
import { Card, CardText, Chat } from 'chat'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { approvalCard } from '../../../../server/adapters/chat/approval-card'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { say } from '../../../../server/adapters/chat/streaming'
import { sdkLogger } from '../../../../server/platforms/shared/logger'
import { createSdkRoom } from '../../../../server/platforms/shared/sdk-room'
import { whatsapp as platform } from '../../../../server/platforms/whatsapp/definition'
import type { CardView } from '../../../../server/ports/board'
import { silentLog } from '../../../fakes/runtime'
import { anyView, openView, URL_OF_ONE, SITE } from '../../../fixtures/views'
import { endAfterAll, endAfterTest } from '../../../support/lifetime'
import { runs } from '../../../support/properties'
import { foundBy, startWhatsApp, type WhatsAppMessage } from '../../../support/whatsapp'
import { adapterOf } from '../../../support/whatsapp-adapter'

const whatsapp = endAfterAll(await startWhatsApp())
const { env } = whatsapp
const adapter = adapterOf(whatsapp)
const thread = `whatsapp:${env.WHATSAPP_PHONE_NUMBER_ID}:${env.WHATSAPP_CHAT_ID}`

const bot = new Chat({
  userName: 'form-bot', adapters: { whatsapp: adapter }, state: memoryState(), logger: sdkLogger(silentLog),
  fallbackStreamingPlaceholderText: null,
})
await bot.initialize()

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

/** Posts an answer; returns its visible text, and the markup and links that WhatsApp detects in it. */
async function postAnswer(markdown: string): Promise<{ text: string, effects: string[] }> {
  await say(bot.thread(thread), (async function* () { yield markdown })(), platform, null)
  const { text } = whatsapp.messages().at(-1)!
  return { text: legible(text), effects: foundBy(text) }
}

test.each<[string, string, string, string[]?]>([
  ['lines that end in spaces', 'Ada  \nGrace  \nJoan', 'Ada\nGrace\nJoan'],
  ['signs that mark nothing', '2 * 3, ~5 to ~6, [x] and a \\_b\\_', '2 * 3, ~5 to ~6, [x] and a _b_'],
  ['a backslash', 'C:\\\\forms\\\\', 'C:\\forms\\'],
  ['emphasis within words', 'a*b a*b a*b', 'a_b a_b a*b'],
  ['addresses of email', 'ada@c.example, <grace@c.example>.', 'ada@c.example, grace@c.example.'],
  ['what would begin a quote, a list or code', '\\> a\n\n\\- b\n\n\\`c\\`', '> a\n\n- b\n\n`c`'],
  ['emphasis, by its signs', '**Ada** wrote, *yesterday*', '*Ada* wrote, _yesterday_', ['*Ada*', '_yesterday_']],
])('%s of an answer are shown as they are', async (_, markdown, expected, effects = []) => {
  const answer = await postAnswer(markdown)
  expect(answer.text).toBe(expected)
  expect(answer.effects.filter(each => !each.includes('@'))).toEqual(effects)
})

async function start(dialled?: string) {
  const double = endAfterTest(await startWhatsApp({ dialled }))
  const { env } = double
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (...facts: unknown[]) => void warnings.push(facts) }
  const adapter = adapterOf(double, [env.WHATSAPP_CHAT_ID!], log)
  const bot = new Chat({
    userName: 'form-bot', adapters: { whatsapp: adapter }, state: memoryState(), logger: 'silent',
  })
  const room = await createSdkRoom(platform, `${env.WHATSAPP_PHONE_NUMBER_ID}:${env.WHATSAPP_CHAT_ID}`, async () => bot)
  return { room, warnings, post: () => room.post(Card({ children: [CardText('Hello')] }), 'Hello', 'key') }
}

test('a number that WhatsApp has otherwise than it is dialled is a problem, which the log says once', async () => {
  const { room, warnings, post } = await start('49015112345678')
  expect(await room.check!()).toEqual({ ok: true, value: undefined })
  expect(await post()).toMatchObject({ ok: true })
  expect(await post()).toMatchObject({ ok: true })
  expect(await room.check!()).toEqual({
    ok: false, permanent: false, reason: 'WhatsApp calls this number 4915112345678: set WHATSAPP_CHAT_ID to it.',
  })
  expect(JSON.stringify(warnings).match(/set WHATSAPP_CHAT_ID to it/g)).toHaveLength(1)
  const right = await start()
  expect(await right.post()).toMatchObject({ ok: true })
  expect([await right.room.check!(), right.warnings]).toEqual([{ ok: true, value: undefined }, []])
})
