import { visible } from '../../../shared/utils/text'
import type { Place } from '../../ports/board'
import type { Forms } from '../../ports/form'
import type { SubmissionStore } from '../../ports/store'
import type { Submission } from '../../ports/submission'
import { fieldText } from './fields'
import { belongsTo, type PlacePorts } from './place'

/** Fewer characters of an id say too little. */
const ID_PREFIX = 4

/**
 * The one search, for the list of the ops pages, the command `show` and the agent's tool. Its rule: a submission is
 * found when each word of the text is in one of its fields, or is the beginning (4 characters or more) of its id. A
 * field has a word in its key, in the label that people read instead, or in its value as text; a colon may follow key
 * or label, as on cards. Words are what white space separates; case does not matter; several words may be in several
 * fields. A text without words finds everything.
 */
export function searchFor(text: string, forms: Pick<Forms, 'of'>): (submission: Submission) => boolean {
  const words = searchable(text).split(/\s+/).filter(Boolean)
  return ({ id, form, data }) => {
    if (words.length === 0) return true
    const { labels } = forms.of(form)
    const fields = Object.entries(data ?? {}).map(
      ([key, value]) => searchable(`${key}:\n${Object.hasOwn(labels, key) ? labels[key] : ''}:\n${fieldText(value)}`),
    )
    return words.every(word => (word.length >= ID_PREFIX && id.startsWith(word))
      || fields.some(field => field.includes(word)))
  }
}

/** As cards show it, whose marks for invisible characters somebody may copy. */
function searchable(text: string): string {
  return visible(text.toWellFormed()).toLowerCase()
}

/** How many submissions are read at most, and how many at once: a form may have 256 KiB. */
export interface Reading {
  most: number
  page: number
}

/**
 * The newest pending submissions that belong to the place; `complete` when no older ones were left unread. The one
 * place that knows how the store lists what is pending.
 */
export async function pendingAt(
  place: Place, { most, page }: Reading, ports: PlacePorts & { store: Pick<SubmissionStore, 'listPending'> },
): Promise<{ found: Submission[], complete: boolean }> {
  const found: Submission[] = []
  let before: string | undefined
  for (let left = most; ; left -= page) {
    const { submissions, cursor } = await ports.store.listPending({ limit: Math.min(page, left), before })
    found.push(...submissions.filter(submission => belongsTo(place, submission, ports)))
    if (!cursor || left <= page) return { found, complete: !cursor }
    before = cursor
  }
}
