import { z } from 'zod'
import type { Forgotten } from '../../../shared/types/submissions'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import { counted } from '../../../shared/utils/text'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { AuditLine, Delivery, Person, Submission } from '../../ports/submission'
import { NotAReviewer, SubmissionEnded, SubmissionGone } from '../errors'
import { isNumber } from '../json'
import { sentTo, spellingsOf } from '../fields/addresses'
import { endedOf, formOf, targetsOf, type Presentation } from '../cards/card-view'
import { fieldText } from '../fields/fields'
import { getAll, orUnavailable } from './rows'
import { isRevocable, SUBMISSION_TTL_MS } from '../lifecycle/record'
import type { Quarantine } from '../review/quarantine'
import { searchable } from './search'

/** Places that keep form data, in the order of the search. `over`: delivered, but not erased yet. */
const SOURCES = ['held', 'pending', 'spam', 'over'] as const

/** Submissions read at a time: a form may have 256 KiB. */
const PAGE = 50

/** Most pages read for one request. */
const MOST_PAGES = 100

/** Age after which no submission is kept any more, even if it was still being delivered or confirmed, ms. */
const KEPT_MS = SUBMISSION_TTL_MS + 24 * 60 * 60 * 1000

/** Shorter texts match almost everything. */
const LEAST_TEXT = 3

const ABOUT = `Send {"email":"ada@example.com"} or {"text":"Ada Lovelace"}, of at least ${LEAST_TEXT} characters, and, to go on, the "before" that was answered`

const before = z.string().regex(
  new RegExp(`^(?:${SOURCES.join('|')})(?: [\\w-]{1,200})?$`), 'must be the cursor from the previous answer',
).optional()

/** Accepts every address that a form may have, also domains with non-ASCII letters. */
const email = z.string().max(254, 'is longer than an email address can be').refine(
  address => sentTo(address) !== undefined, 'must be an email address',
)

/** Request body: email or text to erase. */
export const forgetting = z.union([
  z.strictObject({ email, before }),
  z.strictObject({
    text: z.string().trim().min(LEAST_TEXT, `must have at least ${LEAST_TEXT} characters`).max(
      200, 'must have at most 200 characters',
    ), before,
  }),
], ABOUT)

export interface ForgettingPorts {
  store: SubmissionStore
  quarantine: Quarantine
  presentation: Presentation
  runtime: Runtime
  log: Log
}

/**
 * Erases every submission that is still kept and contains an address or a text, if this person may decide it.
 *
 * @throws StoreUnavailable; what was erased before stays erased
 */
export async function forgetAll(
  asked: z.infer<typeof forgetting>, person: Person, ports: ForgettingPorts,
): Promise<Forgotten> {
  const isMeant = containing(asked)
  const erased: Submission[] = []
  const unreadable = new Set<string>()
  let forbidden = 0
  let ended: Promise<AuditLine[]> | undefined
  const endings = () => ended ??= keptSince(ports.runtime.now() - KEPT_MS, ports.store)
  let place: string | null = asked.before ?? SOURCES[0]
  for (let pages = 0; pages < MOST_PAGES && place !== null; pages++) {
    const page: Page = await orUnavailable(pageAt(place, ports.store, endings))
    for (const submission of page.submissions.filter(isMeant)) {
      const outcome = await eraseOne(submission.id, person, ports)
      if (outcome === 'erased') erased.push(submission)
      if (outcome === 'forbidden') forbidden++
    }
    for (const id of page.unreadable) unreadable.add(id)
    place = page.next
  }
  ports.log.info(
    'submissions.forgotten', { erased: erased.length, forbidden, unreadable: unreadable.size, reviewer: person.id },
  )
  return {
    erased: erased.length, forbidden, unreadable: [...unreadable],
    unreachable: unreachable(erased, ports.presentation, unreadable.size), before: place,
  }
}

interface Page {
  submissions: readonly Submission[]
  /** Ids of unreadable submissions on this page. */
  unreadable: readonly string[]
  /** Position of the next page; null on the last. */
  next: string | null
}

async function pageAt(
  place: string, store: ForgettingPorts['store'], endings: () => Promise<AuditLine[]>,
): Promise<Page> {
  const [source, cursor] = place.split(' ') as [typeof SOURCES[number], string | undefined]
  const nextSource = SOURCES[SOURCES.indexOf(source) + 1] ?? null
  const below = (last: string | null) => last === null ? nextSource : `${source} ${last}`
  if (source === 'over') {
    // No list has these: submissions in the audit trail may still be kept until the status of their email is known.
    const above = cursor === undefined ? null : readCursor(cursor)
    const left = (await endings()).filter(({ at, id }) => (
      above === null || at < above.at || (at === above.at && id < above.id)
    ))
    const page = left.slice(0, PAGE)
    const last = page.at(-1)
    const unreadable: string[] = []
    return {
      submissions: await getAll(store, page.map(({ id }) => id), unreadable), unreadable,
      next: below(last && left.length > PAGE ? cursorAt(last.at, last.id) : null),
    }
  }
  const { submissions, unreadable = [], cursor: last } = await store.listPending({
    limit: PAGE, ...source !== 'pending' && { only: source }, ...cursor !== undefined && { before: cursor },
  })
  return { submissions, unreadable, next: below(last) }
}

/** Returns the ends of submissions that arrived since then, latest ends first. */
async function keptSince(time: number, store: SubmissionStore): Promise<AuditLine[]> {
  return endedOf(await store.audit(Infinity, time)).filter(({ receivedAt }) => receivedAt > time)
}

async function eraseOne(
  id: string, person: Person, { quarantine }: ForgettingPorts,
): Promise<'erased' | 'forbidden' | 'gone'> {
  try {
    await quarantine.decide('erase', id, person)
    return 'erased'
  }
  catch (error) {
    if (error instanceof NotAReviewer) return 'forbidden'
    if (error instanceof SubmissionEnded || error instanceof SubmissionGone) return 'gone'
    throw error
  }
}

/** True if a key or value contains the text, in any case. An address must match as a whole, not as a part. */
function containing(asked: z.infer<typeof forgetting>): (submission: Submission) => boolean {
  const wanted = ('email' in asked ? spellingsOf(asked.email) : [asked.text]).map(normalized)
  const address = new RegExp(
    `(?<![\\p{L}\\p{N}._%+-])(?:${wanted.map(escaped).join('|')})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'u',
  )
  const isIn = (text: string) => 'email' in asked ? address.test(text) : text.includes(wanted[0]!)
  return ({ data, envelope = {}, before = {}, confirmation }) => [
    ...data === null ? [] : [...textsOf(data), ...textsOf(before), ...textsOf(envelope)],
    ...confirmation?.to ? [confirmation.to] : [],
  ].some(text => isIn(normalized(text)))
}

function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || isNumber(value)) return [fieldText(value)]
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)])
}

function normalized(text: string): string {
  return searchable(text.normalize()).replace(/\s+/g, ' ')
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Copies already sent or being sent, which we cannot erase; one line each. */
function unreachable(
  submissions: readonly Submission[], presentation: Presentation, unreadable: number,
): string[] {
  const goneOut = (delivery: Delivery) => submissions.flatMap((submission) => {
    const sent = submission.sent?.find(each => each.delivery === delivery)
    const isLeaving = !isRevocable(submission) && submission.work.some(({ kind }) => kind === delivery)
    return sent ? [sent.to] : isLeaving ? [targetsOf(delivery, formOf(submission, presentation))] : []
  })
  const line = (what: string, targets: readonly (readonly string[])[]) => targets.length === 0
    ? []
    : [`${what} of ${targets.length} of them went to ${[...new Set(targets.flat())].join(', ')}.`]
  return [
    ...unreadable === 0
      ? []
      : [`${counted(unreadable, 'submission')} cannot be read and may contain it, too: DELETE /api/submissions/<id> erases one.`],
    ...line('The email', goneOut('email')), ...line('The data', goneOut('endpoint')),
    'Data that was forwarded and then deleted here was not searched. It still exists where it was sent, and perhaps on chat cards.',
  ]
}
