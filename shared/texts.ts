import locales from '#locales'
import { ACTIONS, type ActionId, type InputAction } from './actions'
import type { TextValues } from './types/text-values'
import type { RichText, Timestamp } from './types/line'
import { joinRich } from './utils/line'

/** Path of a text in `locales/en.json`, such as `card.title.new`. */
type TextKey = keyof TextValues

type ValuesOf<Key extends TextKey, Value> = Readonly<Record<TextValues[Key], Value>>

/** Texts of one language. A text is a `RichText` if one of its values is; only then may it contain a timestamp. */
export interface Texts {
  readonly language: string
  <Key extends TextKey>(
    key: Key, ...values: [TextValues[Key]] extends [never] ? [] : [ValuesOf<Key, string | number>]
  ): string
  <Key extends TextKey>(key: Key, values: ValuesOf<Key, string | number | RichText | Timestamp>): RichText
}

/** Parts of a language file that cards and emails need. */
const TEAM_PLACES = ['card', 'email', 'field'] as const

/** Texts of the pages for visitors, by language. */
export const visitorTexts: Readonly<Record<string, Readonly<Record<string, string>>>> = Object.fromEntries(
  Object.entries(locales).flatMap(([language, { visitor, field }]) => (
    visitor ? [[language, { ...field, ...visitor }]] : []
  )),
)

const messages = new Map<string, Readonly<Record<string, string>>>()

/** Returns the texts of a language by their paths. */
export function messagesOf(language: string): Readonly<Record<string, string>> {
  const knownMessages = messages.get(language)
  if (knownMessages) return knownMessages
  const languageMessages = Object.fromEntries(listMessages(locales[language] ?? {}))
  messages.set(language, languageMessages)
  return languageMessages
}

function listMessages(texts: object, prefix = ''): [string, string][] {
  return Object.entries(texts).flatMap(([key, text]: [string, string | object]): [string, string][] => (
    typeof text === 'string' ? [[prefix + key, text]] : listMessages(text, `${prefix}${key}.`)
  ))
}

/** All languages that have a file. */
export const LANGUAGES: readonly string[] = Object.keys(locales)

/** Returns the paths of the texts that a language lacks in these parts of its file. */
export function listMissing(language: string, places: readonly string[]): string[] {
  const languageMessages = messagesOf(language)
  return Object.keys(messagesOf('en')).filter(key => (
    places.includes(key.split('.')[0]!) && !Object.hasOwn(languageMessages, key)
  ))
}

/** Returns the languages in which cards and emails can be written. */
export function listTeamLanguages(): string[] {
  return LANGUAGES.filter(language => listMissing(language, TEAM_PLACES).length === 0)
}

const texts = new Map<string, Texts>()

/** Returns the texts of a language. */
export function textsIn(language: string): Texts {
  const knownTexts = texts.get(language)
  if (knownTexts) return knownTexts
  const parsed = new Map<string, readonly Part[]>()
  const partsOf = (key: string) => {
    const knownParts = parsed.get(key)
    if (knownParts) return knownParts
    const parts = parseMessage(messagesOf(language)[key] ?? messagesOf('en')[key]!)
    parsed.set(key, parts)
    return parts
  }
  const write = (key: string, values: MessageValues = {}) => joinRich(fill(partsOf(key), values, language))
  const languageTexts = Object.assign(write, { language }) as Texts
  texts.set(language, languageTexts)
  return languageTexts
}

/** Texts for the ops pages, the conversation and the API, and for cards and emails by default. */
export const english: Texts = textsIn('en')

/** Returns the text of a table row; if the language has none, the row's own English words. */
export function rowText(key: string, words: string, { language }: Texts): string {
  return messagesOf(language)[key] ?? messagesOf('en')[key] ?? words
}

/** Label of an action on cards. */
export function actionLabel(id: ActionId, texts: Texts): string {
  return rowText(`card.action.${id}.label`, ACTIONS[id].label, texts)
}

/** Title of an action's form. It may be shorter than the label: Slack's limit is 24 characters. */
export function formTitle(id: InputAction, texts: Texts): string {
  return rowText(`card.action.${id}.title`, actionLabel(id, texts), texts)
}

/** Start of an action's line on cards; the id of an action that is no longer in the table. */
export function actionNote(id: string, texts: Texts): string {
  return rowText(`card.action.${id}.note`, ACTIONS[id as ActionId]?.note ?? id, texts)
}

/** Joins names: `a and b and c`. */
export function joinNames(names: readonly string[], texts: Texts): string {
  return names.reduce((some, last) => texts('card.list.and', { some, last }))
}

type MessageValues = Readonly<Record<string, string | number | RichText | Timestamp>>

/** Part of a message: words, the name of a value, or the words for each plural category of a number. */
type Part = string | { value: string } | { value: string, plurals: Readonly<Record<string, readonly Part[]>> }

/**
 * Matches a placeholder in ICU syntax: `{name}` or `{count, plural, one {# file} other {# files}}`. No library,
 * because its first message takes 20 to 40 ms, which would delay every start.
 */
const PLACEHOLDER = /\{(\w+)(?:, plural,((?: \w+ \{(?:[^{}]|\{\w+\})*\})+))?\}/g

const PLURAL = / (\w{1,5}) \{((?:[^{}]|\{\w+\})*)\}/g

function parseMessage(message: string): Part[] {
  const parts: Part[] = []
  let end = 0
  for (const { 0: placeholder, 1: value = '', 2: plurals, index } of message.matchAll(PLACEHOLDER)) {
    parts.push(message.slice(end, index), plurals === undefined
      ? { value }
      : { value, plurals: Object.fromEntries([...plurals.matchAll(PLURAL)].map(([, category, words = '']) => (
          [category, parseMessage(words.replaceAll('#', `{${value}}`))]
        ))) })
    end = index + placeholder.length
  }
  return [...parts, message.slice(end)]
}

function fill(parts: readonly Part[], values: MessageValues, language: string): (RichText | Timestamp)[] {
  return parts.flatMap((part): readonly (RichText | Timestamp)[] => {
    if (typeof part === 'string') return [part]
    const value = values[part.value]!
    if ('plurals' in part) {
      const category = pluralRules(language).select(Number(value))
      return fill(part.plurals[category] ?? part.plurals.other!, values, language)
    }
    if (typeof value === 'number') return [formatNumber(value, language)]
    return typeof value === 'string' || Array.isArray(value) || language === 'en'
      ? [value]
      : [{ ...value as Timestamp, language }]
  })
}

const rules = new Map<string, Intl.PluralRules>()

function pluralRules(language: string): Intl.PluralRules {
  const languageRules = rules.get(language) ?? new Intl.PluralRules(language)
  rules.set(language, languageRules)
  return languageRules
}

/** `7`, `2,000` or `1.4`, as the language writes it. */
export function formatNumber(value: number, language: string): string {
  // The first use of a locale's numbers takes 40 ms.
  return Number.isInteger(value) && value < 1000 ? String(value) : value.toLocaleString(language)
}
