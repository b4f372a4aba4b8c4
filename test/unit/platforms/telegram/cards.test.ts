import { TelegramAdapter } from '@chat-adapter/telegram'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { telegram as platform } from '../../../../server/platforms/telegram/definition'
import { printable } from '../../../../server/platforms/shared/text'
import type { CardView } from '../../../../server/ports/board'
import { anyView, manyFields, openView, SITE } from '../../../fixtures/views'
import { endAfterAll } from '../../../support/lifetime'
import { runs } from '../../../support/properties'
import { startTelegram, type TelegramMessage } from '../../../support/telegram'
import { foundBy } from '../../../support/telegram-markdown'

const telegram = endAfterAll(await startTelegram())
const adapter = new TelegramAdapter({
  botToken: telegram.env.TELEGRAM_BOT_TOKEN, secretToken: telegram.env.TELEGRAM_WEBHOOK_SECRET_TOKEN,
  apiUrl: telegram.url, mode: 'webhook',
})

/** Posts the card as a room does; a second attempt without markup would mean that Telegram refused the first. */
async function post(view: CardView): Promise<TelegramMessage> {
  const requestCount = telegram.requests.length
  await adapter.postMessage(`telegram:${telegram.env.TELEGRAM_CHAT_ID}`, renderCard(view, platform).card)
  expect(telegram.requests.slice(requestCount).map(({ status }) => status)).toEqual([200])
  return telegram.messages().at(-1)!
}

/** Text without the characters that only stop markdown. */
const legible = (text: string) => (
  text.replaceAll('\u00A0', ' ').replaceAll('\u2060', '').split('\n').map(line => line.trimEnd()).join('\n')
)

/** Entities that Telegram would recognise, except our own links. */
const findEntities = async (view: CardView) => foundBy(await post(view)).filter(entity => !entity.startsWith(SITE))

test('Telegram takes the card of any form as it is, and recognises nothing in it', async () => {
  await fc.assert(fc.asyncProperty(anyView, async (view) => {
    expect(await findEntities(view)).toEqual([])
  }), { numRuns: runs(100) })
})

test('what could be a domain is none, whatever its parts end with', async () => {
  expect(await findEntities(openView({ value: '{"-.AA":""} x-.de a.b-.com' }))).toEqual([])
})

test.each([
  'a', '界', '*', '`', '\\', '@a ', 'a.b ', '\n', ' ', '{{emoji:wave}}',
])('Telegram takes the largest card of %j, with its buttons', async (unit) => {
  for (const size of [1, 100, 3000]) {
    const fields = Object.keys(manyFields(200)).map(label => ({
      label: `${label} ${unit.repeat(50)}`, value: `x${unit.repeat(size)}`, edited: true,
    }))
    const { keyboard, text } = await post({ ...openView({}), fields, notes: [unit.repeat(500), 'The last line.'] })
    expect(keyboard).toHaveLength(2)
    expect(text).toContain('open the full submission')
  }
})

test.each([0, 1, 6, 20])('a full card with the links of %i files says what became of it, and where it is edited', async (count) => {
  const site = 'https://form-triage-git-main-some-company.vercel.app'
  const [id, key] = [crypto.randomUUID(), `${'-_'.repeat(21)}k`]
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const links = Array.from({ length: count }, (_, index) => (
    { label: `Open file ${index + 1} (${type}, 1.4 MB)`, url: `${site}/api/files/${id}/${index}?key=${key}` }
  ))
  for (const size of [20, 100, 700, 3000]) {
    const fields = Object.keys(manyFields(200)).map(label => ({ label, value: '.'.repeat(size), edited: false }))
    const url = `${site}/submissions/${id}`
    const { text } = await post({ ...openView({}), fields, links, url, notes: ['Email failed.', 'The last line.'] })
    expect(text).toMatch(/: open the full submission [^]*\nEmail failed\.\nThe last line\.\nEdit & Forward on the web \(\S+\)$/)
  }
})

test.each(['\\', '`-'])('what Telegram takes two of for each %j in code pushes nothing off the card', async (sign) => {
  const value = `/a${sign.repeat(1400 / sign.length)}`
  const { text } = await post(openView({ first: value, second: value, last: 'unharmed' }))
  expect(text).toMatch(/\nlast: unharmed\n2 shortened: open the full submission [^]*\nEdit & Forward on the web \(\S+\)$/)
})

test.each([
  '**bold** _it_ ~~no~~ ||spoiler|| `code`', '# heading', '- list\n- of two', '1. one\n2. two', '> quote', '---',
  '    indented\n\ttabbed', 'a\n\n\nb', '```\nfence\n```',
  '[bank](https://evil.example)', '<b>html</b> &amp; &#42;', '@everyone /start #tag $USD',
  'ada@example.com, https://evil.example/?a=1&b=2.', '`@ada`', 'C:\\new\\table.txt', '{{emoji:wave}} {{emoji:wave}}/x',
  '\\', '|a|b|\n|-|-|\n|1|2|', '[^1] ![x](y)', '===',
])('%j appears as it was typed', async (value) => {
  const { text } = await post(openView({ [value.replaceAll('\n', ' ').trim()]: value, last: 'unharmed' }))
  expect(legible(text)).toContain(`${legible(value.replaceAll('\n', ' ').trim())}: ${legible(value.replaceAll('\t', ' '))}\nlast: unharmed`)
})

/** Parts of markup, mentions and addresses. */
const SIGNS = fc.constantFrom('a', 'com', '1', '界', '.', '@', '/', '`', '\\', '*', '_', '{{', ' ', '\n')

test('any text appears as it was typed, and nothing is recognised in it', async () => {
  const anyText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: SIGNS, maxLength: 20 }))
  await fc.assert(fc.asyncProperty(anyText, async (value) => {
    const message = await post(openView({ value, last: 'unharmed' }))
    expect(legible(message.text)).toContain(legible(`value: ${printable(value) || '—'}\nlast: unharmed`))
    expect(foundBy(message).filter(entity => !entity.startsWith(SITE))).toEqual([])
  }), { numRuns: runs(100) })
})
