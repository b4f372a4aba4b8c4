import type { Status, StatusIncident, StatusPart } from '../../../shared/types/status'
import type { Incident, IncidentKind } from '../../ports/monitor'
import type { SubmissionStore } from '../../ports/store'
import { counted, visible } from '../../../shared/utils/text'
import type { Context } from '../context'
import { partOf, readParts } from './parts'
import { readLines } from '../queries/deliveries'
import { assigneeOf } from '../lifecycle/assignment'
import { wayOf } from '../deliveries/registry'
import { deliveryProblem } from '../queries/rows'
import { roomName } from '../review/scope'
import { givenUpBy } from '../outbox/retries'
import { restingParts } from '../outbox/rests'
import type { Credentials } from './credentials'
import type { Storage, StoreRefusal } from './readiness'

/** Stuck submissions listed on the page. */
const STUCK_ROWS = 10

/** Submissions read to find the parts that gave up their work. */
const STUCK_READ = 100

/** Submissions read to count the assignments of each person; a form may have 256 KiB. */
const ASSIGNED_READ = 100

/** Submissions read of each kind to count what failed or waits at each destination; few, as for `STUCK_READ`. */
const DELIVERIES_READ = 200

/** Note on a destination that failed several times in a row. */
const RESTS_NOTE = 'It rests: one trial a minute goes out, and all else waits in its place.'

/** Audit lines shown on the page. */
const AUDIT_LINES = 50

/** Reads the status for the person on duty. Works even while the store is down. */
export async function readStatus(
  context: Context, storage: Storage, credentials: Credentials,
): Promise<Status> {
  const { store, health, clock } = context
  const askedAt = clock.now()
  // Not awaited: the next request will show the answers.
  void credentials.check()
  const orNull = <T>(answer: Promise<T>) => answer.catch(() => null)
  const [
    parts, refusal, advice, incidents, backlog, tally, audit, stuck, holders, queued, resting,
  ] = await Promise.all([
    readParts(context), storage.check(), storage.advice(), orNull(health.incidents(askedAt)),
    orNull(store.backlog(askedAt)), orNull(store.tally(askedAt)), orNull(store.audit(AUDIT_LINES)),
    orNull(readStuck(context)),
    context.claimMs !== null ? orNull(readHolders(store, askedAt)) : null, orNull(readLines(context, DELIVERIES_READ)),
    orNull(restingParts(context)),
  ])
  const answeredAt = clock.now()
  return {
    now: answeredAt, refusingSince: refusal?.since ?? null, advice,
    incidents: incidents && describeIncidents(incidents),
    parts: [storePart(refusal, answeredAt), ...parts.map(part => withRest(part, resting)).map(
      part => queued ? withQueue(part, queued) : part,
    )],
    clockAheadMs: clock.aheadMs, backlog, tally,
    ...stuck ?? { stuck: null, givenUp: null }, holders, audit,
  }
}

function withRest(part: StatusPart, resting: readonly string[] | null): StatusPart {
  return resting?.includes(part.key) ? { ...part, note: [part.note, RESTS_NOTE].join(' ').trim() } : part
}

/** Adds what failed or waits at a destination. */
function withQueue(part: StatusPart, { lines, complete }: Awaited<ReturnType<typeof readLines>>): StatusPart {
  const queue = lines.filter(({ destination }) => wayOf(destination) === part.key)
  if (queue.length === 0) return part
  const failed = queue.filter(({ state }) => state === 'failed').length
  return { ...part, queue: {
    failed, waiting: queue.length - failed, isMore: !complete,
    answer: queue.find(({ answer }) => answer !== null)?.answer ?? null,
  } }
}

async function readStuck({ store, board }: Context) {
  const { submissions } = await store.listRecords({ limit: STUCK_READ, only: 'stuck', sort: 'oldest' })
  const stuck = submissions.slice(0, STUCK_ROWS).flatMap((submission) => {
    const problem = deliveryProblem(submission, roomName(board, submission.cards))
    return problem ? [{ id: submission.id, what: problem.what, reason: problem.reason }] : []
  })
  return { stuck, givenUp: [...new Set(submissions.flatMap(givenUpBy))] }
}

async function readHolders(store: SubmissionStore, at: number): Promise<NonNullable<Status['holders']>> {
  const { submissions } = await store.listRecords({ limit: ASSIGNED_READ, only: 'taken' })
  const byAssignee = Map.groupBy(submissions.flatMap(submission => assigneeOf(submission, at) ?? []), ({ who }) => who)
  return [...byAssignee.values()].map(assignments => ({
    name: visible(assignments[0]!.name), platform: assignments[0]!.platform, count: assignments.length,
  })).sort((a, b) => b.count - a.count)
}

function storePart(refusal: StoreRefusal | null, at: number): StatusPart {
  const state = refusal ? 'failing' : 'ok'
  const lastError = refusal && { at, reason: refusal.reason }
  const fact = { about: '', state, lastSuccessAt: refusal ? null : at, lastError, limitedUntil: null } as const
  return partOf('store', 'Store', [fact])
}

/** Texts for the person on duty; the page adds the time of the last incident. */
const TEXTS: Record<IncidentKind, (count: number, detail: string) => string> = {
  'unknown-submission': count => (
    `${counted(count, 'click')} on submissions that are not in the store: was it emptied?`
  ),
  'misplaced': (count, platform) => (
    `${counted(count, 'click')} on ${platform} in a channel that the card does not belong to: did a channel move?`
  ),
  'guessed-passwords': count => (
    `${counted(count, 'wrong password')} beyond 50 a minute: somebody is guessing OPS_PASSWORD. Attempts are slowed down; use a long password, or another way to sign in.`
  ),
  'moved-channel': (count, replacement) => (
    `A channel has a new id, so ${counted(count, 'click')} had no effect. In the configuration, replace ${replacement}.`
  ),
}

/** Skips kinds that only a newer replica knows. */
function describeIncidents(incidents: readonly Incident[]): StatusIncident[] {
  return incidents.filter(({ kind }) => kind in TEXTS)
    .map(({ kind, detail, count, since, lastAt }) => ({ text: TEXTS[kind](count, detail), since, lastAt }))
}
