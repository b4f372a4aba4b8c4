import { searchTerms, type SearchTerm } from '../../../shared/utils/search-terms'
import { visible } from '../../../shared/utils/text'
import type { Scope } from '../../ports/board'
import type { Forms } from '../../ports/form'
import type { PageRequest, PendingPage } from '../../ports/store'
import type { Submission, SubmissionRecord } from '../../ports/submission'
import { submitterOf } from '../outbox/email'
import { fieldText } from '../fields/fields'
import { belongsTo, type PlacePorts } from '../review/scope'

/** Fewer characters of an id say too little. */
const ID_PREFIX = 4

/**
 * The one search, for the list of the ops pages, the command `show` and the agent's tool. Its rule: a submission is
 * found when all terms of the text find it. A text without terms finds everything.
 *
 * - A word, which is what white space separates, is in one of its fields, or is the beginning (4 characters or more) of
 *   its id. A field has a word in its key, in the label that people read instead, or in its value as text; a colon may
 *   follow key or label, as on cards.
 * - `"a phrase"` is in one of them as it stands, whatever white space is between its words.
 * - `name:ada` finds a field whose key or label contains the one and whose value the other; or the whole as a word.
 * - `from:ada` finds name and address of whoever filled in the form, as the email that is forwarded takes them.
 * - `after:2026-11-20` came on that day or later, `before:2026-11-20` before that day; days are those of UTC, and
 *   `2026-11-20T14:30` is a time.
 * - `form:contact` finds the key or the name of its form; `form:default` the form that has none.
 *
 * Case does not matter, several terms may be in several fields, and what is not understood is a word.
 */
export function searchFor(text: string, forms: Pick<Forms, 'of'>): (submission: Submission) => boolean {
  const checks = searchTerms(searchable(text)).map(checkOf)
  return (submission) => {
    const seen = new Seen(submission, forms)
    return checks.every(check => check(seen))
  }
}

type Check = (seen: Seen) => boolean

function checkOf({ text, field, value }: SearchTerm): Check {
  const time = field === 'before' || field === 'after' ? timeOf(value) : null
  if (time !== null) {
    return ({ submission: { receivedAt } }) => field === 'before' ? receivedAt < time : receivedAt >= time
  }
  if (field === 'form') return ({ form }) => form.includes(value)
  const words = inOneLine(value)
  if (field === 'from') return ({ sender }) => sender.some(one => inOneLine(one).includes(words))
  const isPhrase = /\s/.test(text)
  const isIn = (whole: string) => isPhrase ? inOneLine(whole).includes(inOneLine(text)) : whole.includes(text)
  const isNamed = ({ names, value }: SeenField) => (
    field !== undefined && names.some(name => name.includes(field)) && inOneLine(value).includes(words)
  )
  return ({ fields, submission: { id } }) => (
    (text.length >= ID_PREFIX && id.startsWith(text))
    || fields.some(each => each.names.some(isIn) || isIn(each.value) || isNamed(each))
  )
}

interface SeenField {
  /** Key and label, each with its colon. */
  names: string[]
  value: string
}

/** A submission as a search sees it: what no term asks for is not made. */
class Seen {
  private made?: SeenField[]

  constructor(readonly submission: Submission, private readonly forms: Pick<Forms, 'of'>) {}

  get fields(): SeenField[] {
    const { form, data } = this.submission
    const { labels } = this.forms.of(form)
    return this.made ??= Object.entries(data ?? {}).map(([key, value]) => ({
      names: [key, ...Object.hasOwn(labels, key) ? [labels[key]!] : []].map(name => `${searchable(name)}:`),
      value: searchable(fieldText(value)),
    }))
  }

  get form(): string {
    const { key = 'default', name = '' } = this.forms.of(this.submission.form)
    return searchable(`${key}\n${name}`)
  }

  get sender(): string[] {
    return submitterOf(this.submission).map(searchable)
  }
}

/** Epoch ms; null for what is no day of the calendar, and no minute of one. */
function timeOf(value: string): number | null {
  const [, day, minute = 'T00:00'] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d)?$/.exec(value.toUpperCase()) ?? []
  const time = Date.parse(`${day}${minute}Z`)
  // A 30th of February would be a day of March.
  return Number.isNaN(time) || !new Date(time).toISOString().startsWith(day!) ? null : time
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ')
}

/** As cards show it, whose marks for invisible characters somebody may copy. */
export function searchable(text: string): string {
  return visible(text.toWellFormed()).toLowerCase()
}

/** How many submissions are read at most, and how many at once: a form may have 256 KiB. */
export interface ReadLimits {
  most: number
  page: number
}

/** For one answer in chat, the newest first. */
export const READING = { most: 1000, page: 100 }

/** The same of their records alone, where nothing is told of what the forms said. */
export const RECORDS = { most: READING.most, page: 250 }

/**
 * The newest pending submissions that belong to the place; `complete` when no older ones were left unread.
 *
 * @param list of the store: with what the forms said, or without
 */
export async function pendingAt<Kept extends SubmissionRecord>(
  place: Scope, { most, page }: ReadLimits, ports: PlacePorts, list: (page: PageRequest) => Promise<PendingPage<Kept>>,
): Promise<{ found: Kept[], complete: boolean }> {
  const found: Kept[] = []
  let before: string | undefined
  for (let left = most; ; left -= page) {
    const { submissions, cursor } = await list({ limit: Math.min(page, left), before })
    found.push(...submissions.filter(submission => belongsTo(place, submission, ports)))
    if (!cursor || left <= page) return { found, complete: !cursor }
    before = cursor
  }
}
