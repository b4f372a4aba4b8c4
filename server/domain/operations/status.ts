import type { Status, StatusPart, Stuck } from '../../../shared/types/status'
import type { ReviewBoard } from '../../ports/board'
import type { HealthBook, PartHealth } from '../../ports/monitor'
import type { StoreClock } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Delivery } from '../../ports/submission'
import { problemOf } from '../submission/overview'
import { DELIVERY_NAMES } from '../submission/present'
import type { Storage, StoreRefusal } from './readiness'

export interface StatusPorts {
  store: SubmissionStore
  storage: Pick<Storage, 'check'>
  board: ReviewBoard
  health: HealthBook
  deliveries: readonly Delivery[]
  clock: Pick<StoreClock, 'now' | 'aheadMs'>
}

/** Stuck submissions that the page names. */
const STUCK = 10

/** Lines of the audit trail that the page shows. */
const AUDIT_LINES = 50

/** Everything that the person on duty looks at first. Answers also while the store is away. */
export async function readStatus({ store, storage, board, health, deliveries, clock }: StatusPorts): Promise<Status> {
  const at = clock.now()
  const known = <T>(answer: Promise<T>) => answer.catch(() => null)
  const [refusal, notes, backlog, tally, audit, stuck] = await Promise.all([
    storage.check(), known(health.read()), known(store.backlog(at)), known(store.tally(at)),
    known(store.audit(AUDIT_LINES)), known(readStuck(store, board)),
  ])
  const answered = clock.now()
  const used = [
    ...board.platforms.map(key => ({ key, label: board.label(key) })),
    ...deliveries.map(key => ({ key, label: DELIVERY_NAMES[key] })),
  ]
  const parts = [
    storePart(refusal, answered), ...used.map(part => ({ ...part, ...judge(notes && (notes[part.key] ?? UNUSED)) })),
  ]
  return {
    now: answered, refusingSince: refusal?.since ?? null, parts, clockAheadMs: clock.aheadMs, backlog, tally, stuck,
    audit,
  }
}

async function readStuck(store: SubmissionStore, board: ReviewBoard): Promise<Stuck[]> {
  const found = await Promise.all((await store.stuck(STUCK)).map(id => store.get(id)))
  return found.flatMap((submission) => {
    const problem = submission && problemOf(submission, board.label)
    return problem ? [{ id: submission.id, what: problem.what, reason: problem.reason }] : []
  })
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
