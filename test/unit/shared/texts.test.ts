import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  actionNote, LANGUAGES, listMissing, listTeamLanguages, messagesOf, rowText, textsIn, visitorTexts,
} from '../../../shared/texts'
import { deliveryNames, DELIVERIES } from '../../../server/domain/deliveries/registry'
import { PAGE_TEXTS } from '../../../server/ports/form'

const VALUES_FILE = resolve(import.meta.dirname, '../../../shared/types/text-values.ts')

const PLACES = [...new Set(Object.keys(messagesOf('en')).map(key => key.split('.')[0]!))]

/** Max length of labels, characters: the lowest limit of all platforms */
const LIMITS: readonly (readonly [RegExp, number])[] = [
  // https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-reply-buttons-messages. Edit buttons
  // exist only on platforms with modals; Slack allows 75 characters.
  [/^card\.action\.(?!edit).*\.label$|^card\.retry$/, 20], [/^card\.action\.edit\.label$/, 75],
  // https://docs.slack.dev/reference/views/modal-views
  [/^card\.modal\.(forward|send|cancel|close|ok)$|^card\.action\.(.+\.title|resend\.label)$|^card\.refusal\.title\./, 24],
  // https://discord.com/developers/docs/components/reference#label
  [/^card\.modal\.addresses$/, 45],
  // Title of a message with buttons on WhatsApp
  [/^card\.title\./, 60],
]

/** Names of the values in a message, in alphabetical order */
function valuesIn(message: string): string[] {
  return [...new Set([...message.matchAll(/\{(\w+)(?=\}|, plural,)/g)].map(([, name]) => name!))].sort()
}

function renderValues(): string {
  const lines = Object.entries(messagesOf('en')).map(([key, message]) => (
    `  '${key}': ${valuesIn(message).map(name => `'${name}'`).join(' | ') || 'never'}`
  ))
  return [
    '/**', ' * Values of each text in `locales/en.json`. Written by',
    ' * `LOCALES=write npx vitest run test/unit/shared/texts.test.ts`.', ' */',
    'export interface TextValues {', ...lines, '}', '',
  ].join('\n')
}

test('the types know every text and its values', () => {
  if (process.env.LOCALES === 'write') writeFileSync(VALUES_FILE, renderValues())
  expect(readFileSync(VALUES_FILE, 'utf8')).toBe(renderValues())
})

test.each(['en', 'de'])('%s has every text', language => expect(listMissing(language, PLACES)).toEqual([]))

test.each(['fr', 'es'])('%s has every text for visitors', (language) => {
  expect(listMissing(language, ['visitor', 'field'])).toEqual([])
})

describe.each(LANGUAGES)('%s', (language) => {
  const messages = Object.entries(messagesOf(language))

  test.each(PLACES)('has either all texts of the place %s or none', (place) => {
    const missing = listMissing(language, [place])
    if (messages.some(([key]) => key.startsWith(`${place}.`))) expect(missing).toEqual([])
  })

  test('has labels that every platform shows whole', () => {
    const texts = textsIn(language)
    const deliveries = DELIVERIES.map(({ key }) => deliveryNames([key], texts))
    const labels = messages.flatMap(([key, message]) => deliveries.map(delivery => (
      [key, message.replace('{deliveries}', delivery).replace('{count}', '5')] as const
    )))
    expect(labels.filter(([key, label]) => LIMITS.some(([pattern, length]) => (
      pattern.test(key) && label.length > length
    )))).toEqual([])
  })

  test('has no text that English lacks', () => {
    expect(messages.map(([key]) => key).filter(key => !Object.hasOwn(messagesOf('en'), key))).toEqual([])
  })

  test('names the same values as English', () => {
    expect(messages.filter(([key, message]) => (
      valuesIn(message).join() !== valuesIn(messagesOf('en')[key] ?? '').join()
    ))).toEqual([])
  })

  test('has a text for every plural of the language', () => {
    const categories = new Intl.PluralRules(language).resolvedOptions().pluralCategories
    const plurals = messages.filter(([, message]) => message.includes(', plural,'))
    // Skip `many`, which Spanish and French use for millions.
    expect(plurals.filter(([, message]) => categories.some(category => (
      category !== 'many' && !message.includes(` ${category} {`)
    )))).toEqual([])
  })

  test('has no placeholder that stays as it is', () => {
    const texts = textsIn(language) as (key: string, values: object) => unknown
    expect(messages.filter(([key, message]) => (
      /[{}#]/.test(String(texts(key, Object.fromEntries(valuesIn(message).map(name => [name, 2])))))
    ))).toEqual([])
  })

  test('says nothing to visitors that needs more than plain placeholders', () => {
    expect(Object.values(visitorTexts[language] ?? {}).filter(text => text.includes(', plural,'))).toEqual([])
  })
})

test('English has every text of the pages for visitors', () => {
  expect(PAGE_TEXTS.filter(name => !visitorTexts.en![name])).toEqual([])
})

test('cards and emails can be in every language that has all of their texts', () => {
  expect(listTeamLanguages()).toEqual(expect.arrayContaining(['de', 'en']))
})

test('a number chooses the plural, and timestamps stay what they are', () => {
  const at = { at: 0, shows: 'clock' } as const
  const write = textsIn('de') as (key: string, values: object) => unknown
  expect(write('field.tooLow', { limit: 1234567 })).toBe('Bitte mindestens 1.234.567.')
  expect(write('field.tooLow', { limit: at })).toEqual(['Bitte mindestens ', { ...at, language: 'de' }, '.'])
})

test('a row of a table shows its own words if it has no text', () => {
  expect(rowText('card.action.snooze.label', 'Snooze', textsIn('de'))).toBe('Snooze')
  expect(actionNote('snoozed-before', textsIn('de'))).toBe('snoozed-before')
})

test('a text that a language lacks is in English', () => {
  expect(textsIn('tlh')('field.required')).toBe('Please fill this in.')
})
