import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { renderCard } from '../../../server/adapters/chat/cards'
import { discord } from '../../../server/platforms/discord/definition'
import { cardEmbeds } from '../../../server/platforms/discord/embeds'
import { googleCard } from '../../../server/platforms/gchat/cards'
import { gchat } from '../../../server/platforms/gchat/definition'
import { printable } from '../../../server/platforms/shared/text'
import { adaptiveCard } from '../../../server/platforms/teams/cards'
import { teams } from '../../../server/platforms/teams/definition'
import { telegram as telegramPlatform } from '../../../server/platforms/telegram/definition'
import { whatsapp as whatsappPlatform } from '../../../server/platforms/whatsapp/definition'
import type { CardView } from '../../../server/ports/board'
import { richParts } from '../../../shared/utils/line'
import { HOSTILE_BODIES } from '../../fixtures/nested'
import { anyFields, anyView, largestView, manyFields, openView, SITE, URL_OF_ONE } from '../../fixtures/views'
import { adaptiveCardProblems, adaptiveCardText, type Json } from '../../support/adaptive-card'
import { describing } from '../../support/discord/described'
import { shownText } from '../../support/discord/markdown'
import { validateMessage } from '../../support/discord/validate'
import { googleButtons, googleCardText, googleMessageProblems } from '../../support/google-card'
import { endAfterAll } from '../../support/lifetime'
import { runs } from '../../support/properties'
import { startTelegram } from '../../support/telegram'
import { adapterOf as telegramAdapterOf } from '../../support/telegram-adapter'
import { foundBy as foundByTelegram } from '../../support/telegram-markdown'
import { foundBy as foundByWhatsApp, startWhatsApp } from '../../support/whatsapp'
import { adapterOf as whatsappAdapterOf } from '../../support/whatsapp-adapter'

/** Card as people see it, accepted by the vendor at the first attempt. Slack's cards: `adapters/chat/cards.test.ts`. */
interface Shown {
  text: string
  /** Markup, mentions and links that the vendor's client would find, except our own */
  effects: string[]
  buttons: unknown
}

const telegram = endAfterAll(await startTelegram())
const whatsapp = endAfterAll(await startWhatsApp())
const [telegramAdapter, whatsappAdapter] = [telegramAdapterOf(telegram), whatsappAdapterOf(whatsapp)]
const telegramThread = `telegram:${telegram.env.TELEGRAM_CHAT_ID}`
const whatsappThread = `whatsapp:${whatsapp.env.WHATSAPP_PHONE_NUMBER_ID}:${whatsapp.env.WHATSAPP_CHAT_ID}`
const findMistakes = await describing()

const isOurLink = (link: string) => link === URL_OF_ONE || link.startsWith(`${SITE}/api/files/`)
/** True for our own links and for the bold title of a card without buttons on WhatsApp. */
const isOurs = (effect: string) => effect.startsWith(SITE) || /^\*[A-Z][\w ]*\*$/.test(effect)

function showOnDiscord(view: CardView): Shown {
  const message = cardEmbeds(renderCard(view, discord).card)
  validateMessage(message)
  expect(findMistakes('POST /channels/:id/messages', message)).toEqual([])
  const fields = message.embeds.flatMap(({ fields = [] }) => fields).flatMap(({ name, value }) => [name, value])
  const [fieldTexts, otherTexts] = [fields, message.embeds.map(({ description = '' }) => description)].map(texts => (
    texts.map(shownText)
  ))
  const moments = view.notes.flatMap(richParts).filter(part => typeof part !== 'string')
  const ours = [...moments.map(() => 'timestamp'), ...['whole', ...view.links ?? []].map(() => 'masked link')]
  const others = otherTexts!.flatMap(({ effects }) => effects).filter((effect) => {
    const at = ours.indexOf(effect)
    if (at >= 0) ours.splice(at, 1)
    return at < 0
  })
  return {
    text: [...fieldTexts!, ...otherTexts!].map(({ text }) => text).join('\n'), buttons: message.components,
    effects: [...fieldTexts!.flatMap(({ effects }) => effects), ...others],
  }
}

function showOnGoogleChat(view: CardView): Shown {
  const { card, summary } = renderCard(view, gchat)
  const message = { fallbackText: summary, cardsV2: [googleCard(card, `${SITE}/api/webhooks/gchat`)] }
  expect(googleMessageProblems(message)).toEqual([])
  const { text, links } = googleCardText(message)
  const buttons = googleButtons(message).map(({ text, onClick }) => [text, onClick.action])
  return { text, effects: links.filter(link => !isOurLink(link)), buttons }
}

function showOnTeams(view: CardView): Shown {
  const card = adaptiveCard(renderCard(view, teams).card)
  expect(adaptiveCardProblems(card)).toEqual([])
  const rows = (card.body as Json[]).filter(({ type }) => type === 'ActionSet').map(({ actions }) => actions as Json[])
  const buttons = rows.map(row => row.map(({ title, style, data }) => [title, style, data]))
  return { text: adaptiveCardText(card), effects: [], buttons }
}

/** Shows a card on Telegram. A second attempt, without markup, would mean that Telegram refused the first one. */
async function showOnTelegram(view: CardView): Promise<Shown> {
  telegram.requests.length = 0
  await telegramAdapter.postMessage(telegramThread, renderCard(view, telegramPlatform).card)
  expect(telegram.requests.map(({ status }) => status)).toEqual([200])
  const message = telegram.messages().at(-1)!
  const buttons = message.keyboard.map(row => row.map(({ text }) => text))
  return { text: message.text, effects: foundByTelegram(message).filter(effect => !isOurs(effect)), buttons }
}

async function showOnWhatsApp(view: CardView): Promise<Shown> {
  whatsapp.requests.length = 0
  await whatsappAdapter.postMessage(whatsappThread, renderCard(view, whatsappPlatform).card)
  expect(whatsapp.requests.map(({ status }) => status)).toEqual([200])
  const { text, buttons } = whatsapp.messages().at(-1)!
  const effects = foundByWhatsApp(text).filter(effect => !isOurs(effect))
  return { text, effects, buttons: buttons.map(({ title }) => title) }
}

/** Text without the characters that only stop markup and links. */
const legible = (text: string) => text.replaceAll('\u00A0', ' ').replace(/[\u200A\u2060]/g, '')
  .replaceAll('\u02CB', '`').split('\n').map(line => line.trimEnd()).join('\n')

const googleButton = (text: string, id: string) => [text, {
  function: `${SITE}/api/webhooks/gchat`, parameters: [{ key: 'actionId', value: id }, { key: 'value', value: 'one' }],
}]

interface Vendor {
  name: string
  show: (view: CardView) => Shown | Promise<Shown>
  /** Text between a label and its value */
  separator: string
  /** True if it shows no characters that only stop markup */
  isExact?: boolean
  /** Character that replaces a tab, if any */
  tab?: string
  /** True if the card is sent to a test double, which takes longer */
  isRemote?: boolean
  buttons: unknown
}

const VENDORS: readonly Vendor[] = [
  { name: 'Discord', show: showOnDiscord, separator: '\n', isExact: true, buttons: [
    { type: 1, components: [
      { type: 2, style: 1, label: 'Forward Submission', custom_id: 'forward\none' },
      { type: 2, style: 1, label: 'Edit & Forward', custom_id: 'edit\none' },
    ] },
    { type: 1, components: [{ type: 2, style: 4, label: 'Mark as Spam', custom_id: 'spam\none' }] },
  ] },
  { name: 'Google Chat', show: showOnGoogleChat, separator: '\n', isExact: true, buttons: [
    googleButton('Forward Submission', 'forward'), googleButton('Mark as Spam', 'spam'),
  ] },
  { name: 'Teams', show: showOnTeams, separator: '\n', buttons: [
    [
      ['Forward Submission', 'positive', { actionId: 'forward', value: 'one' }],
      ['Edit & Forward', 'positive', { actionId: 'edit', value: 'one', msteams: { type: 'task/fetch' } }],
    ],
    [['Mark as Spam', 'destructive', { actionId: 'spam', value: 'one' }]],
  ] },
  { name: 'Telegram', show: showOnTelegram, separator: ': ', tab: ' ', isRemote: true, buttons: [
    ['Forward Submission'], ['Mark as Spam'],
  ] },
  { name: 'WhatsApp', show: showOnWhatsApp, separator: ': ', isRemote: true, buttons: [
    'Forward Submission', 'Mark as Spam',
  ] },
]

/** Units of the largest cards */
const UNITS = [
  'a', '界', '👍', '"', '&', '*', '`', '\\', '@a ', 'a.b ', '\n', ' ', '\u0001', '{{emoji:wave}}', '{{DATE(',
]

const TYPED = [
  '**bold** __it__ *it* _it_ ~~no~~ ||spoiler|| `code`', '*bold* _it_ ~s~ ```x``` <https://x> @all 😀', '*_~all~_*',
  '(*in*) "_quotes_"', '# heading', '### Small\n## Other', '-# tiny', '- list\n- of two', '* list',
  '  - nested', '1. one\n2. two', '> quote', '---', '===', '-\n-',
  '    indented\n\ttabbed', 'a\n\n\nb', '```\nfence\n```', '[bank](https://evil.example)', '[^1] ![x](y)',
  '<b>html</b> &amp; &#42;', '@everyone /start #tag $USD', 'ada@example.com, https://evil.example/?a=1&b=2.',
  'www.evil.example 10.0.0.1', 'evil.example/x@y.example', 'x@a_b.example', '0.`evil` `*b*`', '`@ada`',
  'C:\\new\\table.txt', '{{emoji:wave}} {{emoji:wave}}/x', '\\', '*', 'a * b * c', '|a|b|\n|-|-|\n|1|2|',
  '<@1> <@!1> <@&1> <#1> </cmd:1> <id:home>', '<:emoji:1> <a:emoji:1>', ':smile: :+1: :flag-de:', ':a::skin-tone-2:',
  '<t:0:R>', '@everyone @here', 'https://evil.example', 'steam://run/1', '<https://evil.example>',
  '<mailto:a@b.example>', '>>> long quote', 'text\n# heading', 'text\n> quote', 'a_b_c __init__', '\\*',
  '{"-.AA":""} x-.de a.b-.com', '{{DATE(2026-11-21T00:00:00Z,SHORT)}} {{time(x)}} {{{x}}}',
]

/** Parts of markup, mentions, links and addresses */
const SIGNS = fc.constantFrom(
  'a', 'com', '1', '界', '.', '@', '/', '://', '`', '\\', '*', '_', '~', '>', '-', '{{', ' ', '\n',
)
const anyText = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: SIGNS, maxLength: 20 }))

describe.each(VENDORS)('$name', ({ show, separator, isExact, tab = '\t', isRemote, buttons }) => {
  const read = isExact ? (text: string) => text : legible
  const line = (label: string, value: string) => read(`${label}${separator}${value.replaceAll('\t', tab)}`)
  /** True if the card shows the value. A value without visible characters may appear as a dash. */
  const isShown = (text: string, label: string, value: string) => (
    [value, ...value.trim() ? [] : ['—']].some(each => read(text).includes(line(printable(label), printable(each))))
  )

  test('takes the card of any form as it is, and nothing in it has an effect', async () => {
    await fc.assert(fc.asyncProperty(anyView, async (view) => {
      expect((await show(view)).effects).toEqual([])
    }), { numRuns: runs(isRemote ? 100 : 300) })
  })

  test('takes the largest cards, with their buttons and the link to all', async () => {
    for (const unit of UNITS) for (const size of isRemote ? [1, 100, 3000] : [1, 20, 100, 3000]) {
      const view = largestView(unit, size)
      const shortLabels = view.fields.map((field, index) => ({ ...field, label: `${index}` }))
      for (const fields of isRemote ? [view.fields] : [view.fields, shortLabels]) {
        const shown = await show({ ...view, fields })
        expect(shown.buttons).toEqual(buttons)
        expect(shown.text).toContain('open the full submission')
      }
    }
  })

  test.each(Object.entries(HOSTILE_BODIES))('takes the card of %s, and shows no JSON', async (_what, data) => {
    const shown = await show(openView(data))
    expect([shown.buttons, shown.effects]).toEqual([buttons, []])
    expect(shown.text).not.toContain('{"')
  })

  test('shows every field as it was typed, and finds nothing in it', async () => {
    await fc.assert(fc.asyncProperty(anyFields, anyText, async (fields, value) => {
      const { text, effects } = await show(openView({ ...fields, value }))
      for (const [label, value] of Object.entries(fields)) if (label.trim()) {
        expect([text, isShown(text, label, value)]).toEqual([expect.anything(), true])
      }
      expect([text, isShown(text, 'value', value), effects]).toEqual([expect.anything(), true, []])
    }), { numRuns: runs(100) })
  })

  test.each(TYPED)('shows %j as it was typed', async (value) => {
    const label = value.replaceAll('\n', ' ').trim()
    const { text, effects } = await show(openView({ [label]: value, last: 'unharmed' }))
    expect(read(text)).toContain(`${line(label, value)}\n${line('last', 'unharmed')}`)
    expect(effects).toEqual([])
  })
})

test.each([0, 1, 6, 20])('a full card with the links of %i files says what became of it, and where it is edited', async (count) => {
  const site = 'https://form-triage-git-main-some-company.vercel.app'
  const [id, key] = [crypto.randomUUID(), `${'-_'.repeat(21)}k`]
  const type = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'
  const links = Array.from({ length: count }, (_, index) => (
    { label: `Open file ${index + 1} (${type}, 1.4 MB)`, url: `${site}/api/files/${id}/${index}?key=${key}` }
  ))
  const url = `${site}/submissions/${id}`
  for (const size of [5, 20, 60, 100, 700, 3000]) {
    const fields = Object.keys(manyFields(200)).map(label => ({ label, value: '.'.repeat(size), edited: false }))
    const view = { ...openView({}), fields, links, url, notes: ['Email failed.', 'The last line.'] }
    expect((await showOnTelegram(view)).text).toMatch(
      /: open the full submission [^]*\nEmail failed\.\nThe last line\.\nEdit & Forward on the web \(\S+\)$/,
    )
    const { text } = await showOnWhatsApp(view)
    expect(text).toContain('\nEmail failed.\n\nThe last line.\n\n')
    expect(text).toContain(`: open the full submission · Edit & Forward on the web: ${url}`)
    expect(text).toContain(links[0]?.url ?? '')
  }
})

test.each(['\\', '`-'])('what Telegram takes two of for each %j in code pushes nothing off the card', async (sign) => {
  const value = `/a${sign.repeat(1400 / sign.length)}`
  const { text } = await showOnTelegram(openView({ first: value, second: value, last: 'unharmed' }))
  expect(text).toMatch(/\nlast: unharmed\n2 shortened: open the full submission [^]*\nEdit & Forward on the web \(\S+\)$/)
})
