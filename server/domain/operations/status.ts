import type { Status, StatusPart, Stuck } from '../../../shared/types/status'
import type { ReviewBoard } from '../../ports/board'
import type { HealthBook, PartHealth } from '../../ports/monitor'
import type { StoreClock } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Delivery } from '../../ports/submission'
import { visible } from '../../../shared/utils/text'
import { describeIncidents } from './incidents'
import { OPTIONAL_PARTS, type OptionalPart } from './monitor'
import { holderOf } from '../submission/hold'
import { getAll, problemOf } from '../submission/overview'
import { labelOf, roomName } from '../submission/place'
import { DELIVERY_NAMES } from '../submission/present'
import type { Storage, StoreRefusal } from './readiness'

export interface StatusPorts {
  store: SubmissionStore
  storage: Pick<Storage, 'check' | 'advice'>
  board: ReviewBoard
  health: HealthBook
  deliveries: readonly Delivery[]
  /** Those of them that there are here. */
  optionalParts: readonly OptionalPart[]
  clock: Pick<StoreClock, 'now' | 'aheadMs'>
  /** Whether people take what waits. */
  takes: boolean
  /** All rooms of the cards; those beside a platform's own are named while they fail. */
  rooms: readonly string[]
}

/** Stuck submissions that the page names. */
const STUCK = 10

/** Submissions that are read to say who has how many: a form may have 256 KiB. */
const TAKEN = 100

/** Lines of the audit trail that the page shows. */
const AUDIT_LINES = 50

/** Everything that the person on duty looks at first. Answers also while the store is away. */
export async function readStatus(
  { store, storage, board, health, deliveries, optionalParts, clock, takes, rooms }: StatusPorts,
): Promise<Status> {
  const at = clock.now()
  const known = <T>(answer: Promise<T>) => answer.catch(() => null)
  const [platforms, refusal, advice, notes, incidents, backlog, tally, audit, stuck, holders] = await Promise.all([
    Promise.all(board.platforms.map(async key => ({ key, label: board.label(key), waits: await board.awaits(key) }))),
    storage.check(), storage.advice(), known(health.read()), known(health.incidents(at)), known(store.backlog(at)),
    known(store.tally(at)), known(store.audit(AUDIT_LINES)), known(readStuck(store, board)),
    takes ? known(readHolders(store, at)) : null,
  ])
  const answered = clock.now()
  const used = [
    ...platforms,
    ...deliveries.map(key => ({ key, label: DELIVERY_NAMES[key], waits: null })),
    ...optionalParts.map(key => ({ key, label: OPTIONAL_PARTS[key], waits: null })),
  ]
  const parts = [
    storePart(refusal, answered), ...used.map(({ waits, ...part }) => ({
      ...part, ...judge(notes && (notes[part.key] ?? UNUSED)), ...waits && { state: 'waiting' as const, waits },
    })),
    ...rooms.filter(room => room.includes('/')).map(room => ({
      key: room, label: labelOf(room, board), ...judge(notes && (notes[room] ?? UNUSED)),
    })).filter(({ state }) => state === 'failing'),
  ]
  return {
    now: answered, refusingSince: refusal?.since ?? null, advice, incidents: incidents && describeIncidents(incidents),
    parts, clockAheadMs: clock.aheadMs, backlog, tally, stuck, holders, audit,
  }
}

async function readStuck(store: SubmissionStore, board: ReviewBoard): Promise<Stuck[]> {
  const found = await getAll(store, await store.stuck(STUCK))
  return found.flatMap((submission) => {
    const problem = problemOf(submission, roomName(board, submission.cards))
    return problem ? [{ id: submission.id, what: problem.what, reason: problem.reason }] : []
  })
}

async function readHolders(store: SubmissionStore, at: number): Promise<NonNullable<Status['holders']>> {
  const { submissions } = await store.listPending({ limit: TAKEN, only: 'taken' })
  const of = Map.groupBy(submissions.flatMap(submission => holderOf(submission, at) ?? []), ({ who }) => who)
  return [...of.values()].map(all => ({ name: visible(all[0]!.name), platform: all[0]!.platform, count: all.length }))
    .sort((a, b) => b.count - a.count)
}

const UNUSED: PartHealth = { lastSuccessAt: null, lastError: null }

function judge(health: PartHealth | null): Pick<StatusPart, 'state' | 'lastSuccessAt' | 'lastError'> {
  if (!health) return { ...UNUSED, state: 'unknown' }
  const { lastSuccessAt, lastError } = health
  const fails = lastError && lastError.at > (lastSuccessAt ?? 0)
  return { lastSuccessAt, lastError, state: fails ? 'failing' : lastSuccessAt ? 'ok' : 'unused' }
}

function storePart(refusal: StoreRefusal | null, at: number): StatusPart {
  const part = { key: 'store', label: 'Store' }
  if (!refusal) return { ...part, state: 'ok', lastSuccessAt: at, lastError: null }
  return { ...part, state: 'failing', lastSuccessAt: null, lastError: { at, reason: refusal.reason } }
}
