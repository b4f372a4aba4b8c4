import { isDataUrl } from '../../../shared/utils/data-url'
import { searchTerms, type SearchTerm } from '../../../shared/utils/search-terms'
import { visible } from '../../../shared/utils/text'
import type { Scope } from '../../ports/board'
import type { Forms } from '../../ports/form'
import type { PageRequest, PendingPage } from '../../ports/store'
import type { Submission, SubmissionRecord } from '../../ports/submission'
import type { Context } from '../context'
import { readingOf, settingOf } from '../fields/reading'
import { findSender } from '../fields/sender'
import { displayText, fieldText } from '../fields/values'
import { belongsTo } from '../review/scope'

/** Min length of a part of an id that counts as a match. */
const ID_PREFIX = 4

/**
 * Search for the list of the ops pages, the command `show` and the agent's tool. A submission matches if all terms of
 * the text match. A text without terms matches everything.
 *
 * - A word, separated by white space, matches in any field, or at the beginning of the id (4 characters or more). In a
 *   field it matches the path, the label, or the value as it was sent or as it is shown; a colon after path or label is
 *   accepted, as on cards. Files sent as text (data URLs) are not searched.
 * - `"a phrase"` matches in the same places if its words follow each other, with any white space between them.
 * - `name:ada` matches a field with `name` in its key or label and `ada` in its value, or matches the word `name:ada`.
 * - `from:ada` matches the sender's name and address, as in the forwarded email.
 * - `after:2026-11-20` matches submissions of that day or later, `before:2026-11-20` those of earlier days. Days are in
 *   UTC; `2026-11-20T14:30` is a time.
 * - `form:contact` matches key or name of the form; `form:default` matches the default form.
 *
 * Upper and lower case are the same. Terms may match in different fields. Invalid terms count as words.
 */
export function searchFor(text: string, forms: Forms): (submission: Submission) => boolean {
  const checks = searchTerms(searchable(text)).map(checkOf)
  return (submission) => {
    const searchableSubmission = new SearchableSubmission(submission, forms)
    return checks.every(check => check(searchableSubmission))
  }
}

type Check = (submission: SearchableSubmission) => boolean

function checkOf({ text, field, value }: SearchTerm): Check {
  const time = field === 'before' || field === 'after' ? parseTime(value) : null
  if (time !== null) {
    return ({ submission: { receivedAt } }) => field === 'before' ? receivedAt < time : receivedAt >= time
  }
  if (field === 'form') return ({ form }) => form.includes(value)
  const words = collapseSpaces(value)
  if (field === 'from') return ({ sender }) => sender.some(part => collapseSpaces(part).includes(words))
  const isPhrase = /\s/.test(text)
  const isIn = (content: string) => isPhrase
    ? collapseSpaces(content).includes(collapseSpaces(text))
    : content.includes(text)
  const isNamed = ({ names, value }: SearchableField) => (
    field !== undefined && names.some(name => name.includes(field)) && collapseSpaces(value).includes(words)
  )
  return ({ fields, submission: { id } }) => (
    (text.length >= ID_PREFIX && id.startsWith(text))
    || fields.some(each => each.names.some(isIn) || isIn(each.value) || isNamed(each))
  )
}

interface SearchableField {
  /** Key and label, each with a colon. */
  names: string[]
  value: string
}

/** A submission prepared for search. Each part is computed only if a term needs it. */
class SearchableSubmission {
  private cachedFields?: SearchableField[]

  constructor(readonly submission: Submission, private readonly forms: Forms) {}

  get fields(): SearchableField[] {
    if (this.cachedFields) return this.cachedFields
    const { data } = this.submission
    const form = this.forms.of(this.submission.form)
    const { answers, technical } = readingOf(data, form)
    return this.cachedFields = [...answers, ...technical].map((answer) => {
      const names = new Set([answer.key, answer.label, settingOf(answer, form.labels) ?? answer.label])
      const texts = new Set([...isDataUrl(answer.value) ? [] : [fieldText(answer.value)], displayText(answer, {})])
      return {
        names: [...names].map(name => `${searchable(name)}:`), value: searchable([...texts].join('\n')),
      }
    })
  }

  get form(): string {
    const { key = 'default', name = '' } = this.forms.of(this.submission.form)
    return searchable(`${key}\n${name}`)
  }

  get sender(): string[] {
    const { name, address, candidates = [] } = findSender(this.submission, this.forms.of(this.submission.form))
    return [name, address, ...candidates].filter(text => text !== undefined).map(searchable)
  }
}

/** Returns epoch ms; null if the text is not a valid day or minute. */
function parseTime(value: string): number | null {
  const [, day, minute = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d)?$/.exec(value.toUpperCase()) ?? []
  const startsAt = Date.parse(`${day}${minute}Z`)
  // Reject dates like 30 February, which would become a day in March.
  return Number.isNaN(startsAt) || !new Date(startsAt).toISOString().startsWith(day!) ? null : startsAt
}

function collapseSpaces(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** Returns the text as cards show it: people may copy text from cards, with the marks for invisible characters. */
export function searchable(text: string): string {
  return visible(text.toWellFormed()).toLowerCase()
}

/** Max submissions to read in all (`most`) and at a time (`page`): a form may have 256 KiB. */
export interface ReadLimits {
  most: number
  page: number
}

/** Limits for one answer in chat, newest first. */
export const READING = { most: 1000, page: 100 }

/** Limits for answers without form data, which read only records. */
export const RECORDS = { most: READING.most, page: 250 }

/**
 * Reads the newest pending submissions of the place; `complete` is true if none was left unread.
 *
 * @param list method of the store: with form data or without
 */
export async function pendingAt<Item extends SubmissionRecord>(
  place: Scope, { most, page }: ReadLimits, context: Context, list: (page: PageRequest) => Promise<PendingPage<Item>>,
): Promise<{ found: Item[], complete: boolean }> {
  const matches: Item[] = []
  let before: string | undefined
  for (let remainingCount = most; ; remainingCount -= page) {
    const { submissions, cursor } = await list({ limit: Math.min(page, remainingCount), before })
    matches.push(...submissions.filter(submission => belongsTo(place, submission, context)))
    if (!cursor || remainingCount <= page) return { found: matches, complete: !cursor }
    before = cursor
  }
}
