import type { ReviewBoard } from '../../ports/board'
import type { HealthBook, PartHealth } from '../../ports/health'
import type { Backlog, HourTally, SubmissionStore } from '../../ports/store'
import type { AuditLine, Delivery } from '../../ports/submission'
import { problemOf } from '../submission/overview'

/** An outside part and how it does. `unknown`: it was not used yet. Times in epoch ms. */
interface Part extends PartHealth {
  key: string
  label: string
  state: 'ok' | 'failing' | 'unknown'
}

export interface Status {
  /** Epoch ms, of this answer. */
  now: number
  parts: readonly Part[]
  /** Null while the store is away. */
  backlog: Backlog | null
  tally: readonly HourTally[]
  /** The oldest of those that wait for a person because a delivery or a card was refused or given up; `backlog.stuck` counts all. */
  stuck: readonly Stuck[]
  /** The newest lines of the audit trail. */
  audit: readonly AuditLine[]
}

/** Texts for people, without form data. */
interface Stuck {
  id: string
  /** E.g. `Could not be posted to Slack`. */
  what: string
  reason: string
}

export interface StatusPorts {
  store: SubmissionStore
  board: ReviewBoard
  health: HealthBook
  deliveries: readonly Delivery[]
  now: () => number
}

/** Stuck submissions that the page names. */
const STUCK = 10

/** Lines of the audit trail that the page shows. */
const AUDIT_LINES = 50

const LABELS: Record<Delivery, string> = { email: 'Email', endpoint: 'Endpoint' }

/** Everything that the person on duty looks at first. Answers also while the store is away. */
export async function readStatus({ store, board, health, deliveries, now }: StatusPorts): Promise<Status> {
  const at = now()
  const found = await Promise.all([health.read(), store.backlog(at), store.tally(at), store.audit(AUDIT_LINES), readStuck(store, board)]).catch(() => null)
  const answered = now()
  const [notes, backlog, tally, audit, stuck] = found ?? [{} as Record<string, PartHealth>, null, [], [], []]
  const storePart: Part = found
    ? { key: 'store', label: 'Store', state: 'ok', lastSuccessAt: answered, lastError: null }
    : { key: 'store', label: 'Store', state: 'failing', lastSuccessAt: null, lastError: { at: answered, reason: 'It does not answer. Check STORE_URL.' } }
  const used = [...board.platforms.map(key => ({ key, label: board.label(key) })), ...deliveries.map(key => ({ key, label: LABELS[key] }))]
  return { now: answered, parts: [storePart, ...used.map(part => ({ ...part, ...judge(notes[part.key]) }))], backlog, tally, audit, stuck }
}

async function readStuck(store: SubmissionStore, board: ReviewBoard): Promise<Stuck[]> {
  const found = await Promise.all((await store.stuck(STUCK)).map(id => store.get(id)))
  return found.flatMap((submission) => {
    const problem = submission && problemOf(submission, board.label)
    return problem ? [{ id: submission.id, what: problem.what, reason: problem.reason }] : []
  })
}

function judge(health: PartHealth = { lastSuccessAt: null, lastError: null }): PartHealth & Pick<Part, 'state'> {
  const { lastSuccessAt, lastError } = health
  const state = lastError && lastError.at > (lastSuccessAt ?? 0) ? 'failing' : lastSuccessAt ? 'ok' : 'unknown'
  return { lastSuccessAt, lastError, state }
}
