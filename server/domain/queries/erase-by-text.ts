import { MAX_KEPT_MS } from '../../../shared/lifetimes'
import { z } from 'zod'
import type { Forgotten } from '../../../shared/types/submissions'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import { counted } from '../../../shared/utils/text'
import type { SubmissionStore } from '../../ports/store'
import type { AuditLine, Delivery, Person, Submission, SubmissionData } from '../../ports/submission'
import type { Context, Presentation } from '../context'
import { NotAReviewer, SubmissionEnded, SubmissionGone } from '../errors'
import { isNumber } from '../json'
import { sentTo, spellingsOf } from '../fields/addresses'
import { endedOf } from '../cards/card-view'
import { DELIVERIES, formOf, rowOf, targetsOf } from '../deliveries/registry'
import { PARSED } from '../fields/paths'
import { readingOf } from '../fields/reading'
import { displayText, fieldText } from '../fields/values'
import { getAll, orUnavailable } from './rows'
import { isRevocable } from '../lifecycle/record'
import type { Quarantine } from '../review/quarantine'
import { searchable } from './search'

/** Places that keep form data, in the order of the search. `over`: delivered, but not erased yet. */
const SOURCES = ['held', 'pending', 'spam', 'over'] as const

/** Submissions read at a time; few, because a form may have 256 KiB. */
const PAGE = 50

/** Max pages read for one request. */
const MOST_PAGES = 100

/** Shorter texts match almost everything. */
const MIN_TEXT_LENGTH = 3

const USAGE = `Send {"email":"ada@example.com"} or {"text":"Ada Lovelace"}, of at least ${MIN_TEXT_LENGTH} characters. To continue, add the "before" of the last answer`

const beforeSchema = z.string().regex(
  new RegExp(`^(?:${SOURCES.join('|')})(?: [\\w-]{1,200})?$`), 'must be the cursor from the previous answer',
).optional()

/** Accepts every address that a form may contain, even domains with non-ASCII letters. */
const emailSchema = z.string().max(254, 'is longer than an email address can be').refine(
  address => sentTo(address) !== undefined, 'must be an email address',
)

/** Request body: email or text to erase. */
export const forgetting = z.union([
  z.strictObject({ email: emailSchema, before: beforeSchema }),
  z.strictObject({
    text: z.string().trim().min(MIN_TEXT_LENGTH, `must have at least ${MIN_TEXT_LENGTH} characters`).max(
      200, 'must have at most 200 characters',
    ), before: beforeSchema,
  }),
], USAGE)

/**
 * Erases every stored submission that contains an address or a text, if this person may decide it.
 *
 * @throws StoreUnavailable; erasures before the error are not undone
 */
export async function forgetAll(
  request: z.infer<typeof forgetting>, person: Person, context: Context, quarantine: Quarantine,
): Promise<Forgotten> {
  const { store, runtime, log } = context
  const isMatch = matcherFor(request)
  const erasedSubmissions: Submission[] = []
  const unreadableIds = new Set<string>()
  let forbiddenCount = 0
  let endingLines: Promise<AuditLine[]> | undefined
  const loadEndings = () => endingLines ??= listEndsSince(runtime.now() - MAX_KEPT_MS, store)
  let position: string | null = request.before ?? SOURCES[0]
  for (let pages = 0; pages < MOST_PAGES && position !== null; pages++) {
    const page: SearchPage = await orUnavailable(readPage(position, store, loadEndings))
    for (const submission of page.submissions.filter(isMatch)) {
      const outcome = await eraseOne(submission.id, person, quarantine)
      if (outcome === 'erased') erasedSubmissions.push(submission)
      if (outcome === 'forbidden') forbiddenCount++
    }
    for (const id of page.unreadable) unreadableIds.add(id)
    position = page.next
  }
  log.info('submissions.forgotten', {
    erased: erasedSubmissions.length, forbidden: forbiddenCount, unreadable: unreadableIds.size, reviewer: person.id,
  })
  return {
    erased: erasedSubmissions.length, forbidden: forbiddenCount, unreadable: [...unreadableIds],
    unreachable: unreachableNotes(erasedSubmissions, context, unreadableIds.size), before: position,
  }
}

interface SearchPage {
  submissions: readonly Submission[]
  /** Ids of unreadable submissions on this page. */
  unreadable: readonly string[]
  /** Position of the next page; null on the last. */
  next: string | null
}

async function readPage(
  position: string, store: SubmissionStore, loadEndings: () => Promise<AuditLine[]>,
): Promise<SearchPage> {
  const [source, cursor] = position.split(' ') as [typeof SOURCES[number], string | undefined]
  const nextSource = SOURCES[SOURCES.indexOf(source) + 1] ?? null
  const positionAfter = (nextCursor: string | null) => nextCursor === null ? nextSource : `${source} ${nextCursor}`
  if (source === 'over') {
    // Find these in the audit trail, because no list has them: they are kept until the status of their email is known.
    const lastEnd = cursor === undefined ? null : readCursor(cursor)
    const remainingLines = (await loadEndings()).filter(({ at, id }) => (
      lastEnd === null || at < lastEnd.at || (at === lastEnd.at && id < lastEnd.id)
    ))
    const page = remainingLines.slice(0, PAGE)
    const lastLine = page.at(-1)
    const unreadable: string[] = []
    return {
      submissions: await getAll(store, page.map(({ id }) => id), unreadable), unreadable,
      next: positionAfter(lastLine && remainingLines.length > PAGE ? cursorAt(lastLine.at, lastLine.id) : null),
    }
  }
  const { submissions, unreadable = [], cursor: nextCursor } = await store.listPending({
    limit: PAGE, ...source !== 'pending' && { only: source }, ...cursor !== undefined && { before: cursor },
  })
  return { submissions, unreadable, next: positionAfter(nextCursor) }
}

/** Returns the audit lines about the end of each submission that arrived after `sinceAt`, latest end first. */
async function listEndsSince(sinceAt: number, store: SubmissionStore): Promise<AuditLine[]> {
  return endedOf(await store.audit(Infinity, sinceAt)).filter(({ receivedAt }) => receivedAt > sinceAt)
}

async function eraseOne(
  id: string, person: Person, quarantine: Quarantine,
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

/** Returns a check if a key or value contains the text, ignoring case. An address matches only as a whole. */
function matcherFor(request: z.infer<typeof forgetting>): (submission: Submission) => boolean {
  const searchTexts = ('email' in request ? spellingsOf(request.email) : [request.text]).map(normalize)
  const addressPattern = new RegExp(
    `(?<![\\p{L}\\p{N}._%+-])(?:${searchTexts.map(escapePattern).join('|')})(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'u',
  )
  const isIn = (text: string) => 'email' in request ? addressPattern.test(text) : text.includes(searchTexts[0]!)
  return ({ data, envelope = {}, before = {}, confirmation }) => [
    ...data === null ? [] : [...textsOf(data), ...textsOf(before), ...textsOf(envelope), ...answerTexts(data)],
    ...confirmation?.to ? [confirmation.to] : [],
  ].some(text => isIn(normalize(text)))
}

function textsOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || isNumber(value)) return [fieldText(value)]
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsOf(item)])
}

/** Texts that the raw data does not contain literally: in JSON strings, which may escape letters, and of choices */
function answerTexts(data: SubmissionData): string[] {
  const { answers, technical } = readingOf(data)
  return [...answers, ...technical].filter(({ path, choices }) => choices || path.includes(PARSED)).flatMap(
    answer => [answer.label, displayText(answer, {}), ...textsOf(answer.value)],
  )
}

function normalize(text: string): string {
  return searchable(text.normalize()).replace(/\s+/g, ' ')
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

/** Lists copies that we cannot erase, because they were sent or are being sent; one line each. */
function unreachableNotes(
  submissions: readonly Submission[], presentation: Presentation, unreadableCount: number,
): string[] {
  const recipientsOf = (key: string) => submissions.flatMap((submission) => {
    const { sent = [], work } = submission
    const isOfKind = (delivery: Delivery) => rowOf(delivery)?.key === key
    const form = formOf(submission, presentation)
    const pending = isRevocable(submission)
      ? []
      : work.filter(({ kind }) => isOfKind(kind) && !sent.some(({ delivery }) => delivery === kind))
    const targets = [
      ...sent.filter(({ delivery }) => isOfKind(delivery)).flatMap(({ to }) => to),
      ...pending.flatMap(({ kind }) => targetsOf(kind, form)),
    ]
    return targets.length > 0 ? [targets] : []
  })
  const line = (copy: string, targets: readonly (readonly string[])[]) => targets.length === 0
    ? []
    : [`${copy} of ${targets.length} of them went to ${[...new Set(targets.flat())].join(', ')}.`]
  return [
    ...unreadableCount === 0
      ? []
      : [`${counted(unreadableCount, 'submission')} cannot be read and may contain it, too: DELETE /api/submissions/<id> erases one.`],
    ...DELIVERIES.filter(({ isErasable }) => !isErasable).flatMap(
      ({ key, copyName }) => line(copyName, recipientsOf(key)),
    ),
    'Data that was forwarded and then deleted here was not searched. It still exists where it was sent, and perhaps on chat cards.',
  ]
}
