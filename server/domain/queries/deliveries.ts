import { z } from 'zod'
import { DELIVERY_STATES, type DeliveryLine, type DeliveryPage } from '../../../shared/types/deliveries'
import { SUBMISSION_TTL_MS } from '../../../shared/lifetimes'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import type { Delivery, HistoryEntry, SubmissionRecord } from '../../ports/submission'
import type { Context } from '../context'
import { allDeliveries, deliveryName, targetsOf } from '../deliveries/registry'
import { InvalidRequest } from '../errors'
import { isReturned, isRetried } from '../lifecycle/record'
import { orUnavailable } from './rows'

/** Max submissions read for one answer, and read at a time. */
const [MOST_READ, PAGE] = [10_000, 200]

/** Max lines of one page. */
const MOST_LINES = 100

const timeSchema = z.union([z.number(), z.string().max(40)]).transform(time => (
  typeof time === 'number' || /^\d+$/.test(time) ? Number(time) : Date.parse(time)
)).refine(Number.isFinite, 'must be a time, such as 2026-11-28T09:00Z or epoch ms').optional()

/** Members of a request that choose deliveries. */
export const choiceFields = {
  destination: z.string().min(1).max(300, 'must be the id of a destination, its address or its host').optional(),
  state: z.enum(DELIVERY_STATES, `must be one of ${DELIVERY_STATES.join(', ')}`).optional(),
  from: timeSchema, to: timeSchema,
}

export const deliveriesSchema = z.object({
  limit: z.coerce.number('must be a number').int('must be a whole number').min(1, 'must be at least 1').max(
    MOST_LINES, `must be at most ${MOST_LINES}`,
  ).default(50),
  before: z.string().max(400, 'must be the cursor of a page').optional(),
  ...choiceFields,
})

type Choice = z.output<z.ZodObject<typeof choiceFields>>

type Surroundings = Pick<Context, 'store' | 'forms' | 'runtime'>

/** Returns a page of what failed or waits in the last days. @throws InvalidRequest, StoreUnavailable */
export async function listDeliveries(
  { limit, before, ...choice }: z.output<typeof deliveriesSchema>, context: Surroundings,
): Promise<DeliveryPage> {
  const { lines: all, complete } = await readLines(context)
  const matches = all.filter(matcherFor(choice, context))
  const cursor = before === undefined ? null : readCursor(before)
  if (before !== undefined && !cursor) throw new InvalidRequest('before: must be the cursor of a page.')
  const rest = matches.filter(line => !cursor || line.at < cursor.at || (
    line.at === cursor.at && keyOf(line) > cursor.id
  ))
  const lines = rest.slice(0, limit)
  const keys = new Set([...allDeliveries(context.forms), ...all.map(({ destination }) => destination)])
  return {
    now: context.runtime.now(), lines, total: matches.length, complete,
    cursor: rest.length > limit ? cursorAt(lines.at(-1)!.at, keyOf(lines.at(-1)!)) : null,
    destinations: [...keys].map(key => ({ key, label: deliveryName(key) })),
  }
}

/** Lists what failed or waits, latest attempt first. `complete` is false if there is more than is read. */
export async function readLines(
  context: Surroundings, mostRead = MOST_READ,
): Promise<{ lines: DeliveryLine[], complete: boolean }> {
  const { store, runtime } = context
  const lines: DeliveryLine[] = []
  let complete = true
  for (const only of ['stuck', 'retrying'] as const) {
    let count = 0
    for (let before: string | undefined; ;) {
      const page = await orUnavailable(store.listRecords({ limit: PAGE, only, ...before !== undefined && { before } }))
      lines.push(...page.submissions.flatMap(submission => linesOf(submission, context)))
      count += PAGE
      if (page.cursor === null) break
      if (count >= mostRead) {
        complete = false
        break
      }
      before = page.cursor
      // Other requests have their turn meanwhile.
      await runtime.turn()
    }
  }
  return { lines: lines.sort((a, b) => b.at - a.at || (keyOf(a) < keyOf(b) ? -1 : 1)), complete }
}

/** Returns the deliveries of a submission that failed or wait. */
export function linesOf(submission: SubmissionRecord, { forms }: Pick<Context, 'forms'>): DeliveryLine[] {
  const { id, form: key, state, failures, work, history } = submission
  const form = forms.of(key)
  const round = history.slice(history.findLastIndex(({ event }) => event === 'claimed') + 1)
  const line = (destination: Delivery, reason: string, nextAttemptAt: number | null): DeliveryLine => {
    const attempts = round.filter((entry): entry is HistoryEntry & { event: 'failed' } => (
      entry.event === 'failed' && entry.kind === destination
    ))
    const last = attempts.at(-1)
    const bounced = round.findLast(entry => entry.event === 'receipt' && isReturned(entry.receipt))
    return {
      id, destination, label: deliveryName(destination), to: targetsOf(destination, form),
      state: nextAttemptAt === null ? 'failed' : 'waiting', reason, nextAttemptAt,
      at: (last ?? bounced ?? history.findLast(({ event }) => event === 'claimed') ?? history.at(-1))?.at ?? 0,
      attempts: Math.max(attempts.reduce((sum, { count = 1 }) => sum + count, 0), bounced ? 1 : 0),
      status: last?.status ?? null, answer: last?.answer ?? null,
    }
  }
  if (state === 'open') return failures.map(({ delivery, reason }) => line(delivery, reason, null))
  if (state !== 'settling') return []
  return work.filter(isRetried).map(({ kind, reason = '', dueAt }) => line(kind, reason, dueAt))
}

/** Returns a check if a line is chosen: by the destination's id, address or host, its state, and the last attempt. */
export function matcherFor(
  { destination, state, from, to = Infinity }: Choice, { runtime }: Pick<Context, 'runtime'>,
): (line: DeliveryLine) => boolean {
  const since = from ?? runtime.now() - SUBMISSION_TTL_MS
  const wanted = destination?.toLowerCase()
  return line => (
    (!state || line.state === state) && line.at >= since && line.at <= to
    && (wanted === undefined || [line.destination, ...line.to].some(name => name.toLowerCase() === wanted))
  )
}

const keyOf = ({ id, destination }: DeliveryLine) => `${id} ${destination}`
