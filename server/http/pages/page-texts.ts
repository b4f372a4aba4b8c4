import { getQuery, getRequestHeader, type H3Event } from 'h3'
import { visitorTexts } from '../../../shared/texts'
import type { FieldProblem } from '../../ports/field-rules'
import type { PageText, PageTexts } from '../../ports/form'
import type { ErrorBody } from '../errors'
import { ranked } from '../request'

type Texts = Readonly<Record<PageText, string>>

/** Texts of our pages, by language; `{seconds}`, `{site}` and `{limit}` are filled in when they are shown */
const BUILT_IN_TEXTS = visitorTexts as Readonly<Record<string, Partial<Texts>>> & { en: Texts }

/** Returns the languages of a request in the format of `Accept-Language`: `?lang` first, then the browser's. */
export function requestedLanguages(event: H3Event): string {
  return [getQuery(event).lang ?? [], getRequestHeader(event, 'accept-language') ?? []].flat().join(',')
}

/** Returns the texts in the visitor's language, and the language; English if we have no texts in it. */
export function textsFor(acceptLanguage: string, customTexts: PageTexts = {}): { language: string, texts: Texts } {
  const availableTexts = { ...BUILT_IN_TEXTS, ...customTexts }
  const preferences = ranked(acceptLanguage).filter(([, weight]) => weight > 0).sort(([, a], [, b]) => b - a)
  const tags = preferences.flatMap(([tag]) => listFallbacks(tag))
  const language = tags.find(tag => Object.hasOwn(availableTexts, tag)) ?? 'en'
  return {
    language,
    texts: listFallbacks(language).reduceRight<Texts>(
      (texts, fallback) => ({ ...texts, ...BUILT_IN_TEXTS[fallback], ...customTexts[fallback] }), BUILT_IN_TEXTS.en,
    ),
  }
}

/** Returns a language and the more general ones, nearest first: `zh-hant-tw`, `zh-hant`, `zh` (RFC 4647, 3.4). */
function listFallbacks(tag: string): string[] {
  const parts = tag.split('-')
  return parts.map((_, dropCount) => parts.slice(0, parts.length - dropCount).join('-'))
}

/** Returns the problems of fields in the visitor's language, by key. */
export function fieldTexts(problems: readonly FieldProblem[], texts: Texts): Record<string, string> {
  return Object.fromEntries(problems.map(({ key, problem, limit }) => (
    [key, texts[problem].replace('{limit}', String(limit))]
  )))
}

/** Adds the texts about wrong fields to an answer in JSON. */
export function withFields(
  { problems = [], ...refusal }: ErrorBody, acceptLanguage: string, customTexts?: PageTexts,
): ErrorBody & { fields: Record<string, string> } {
  return { ...refusal, fields: fieldTexts(problems, textsFor(acceptLanguage, customTexts).texts) }
}
