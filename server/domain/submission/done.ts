import type { Row, RowPage } from '../../../shared/types/submissions'
import { cursorAt, readCursor } from '../../../shared/utils/cursor'
import { TRACE_TTL_MS, type SubmissionStore } from '../../ports/store'
import type { AuditLine, Submission } from '../../ports/submission'
import { InvalidRequest } from '../errors'
import { endedOf, endLine } from './endings'
import { BUDGET_MS, filtering, type Listing } from './listing'
import { getAll, reached, row, stateOf, type OverviewPorts } from './overview'
import { SUBMISSION_TTL_MS } from './store-rules'

export interface DonePorts extends OverviewPorts {
  store: OverviewPorts['store'] & Pick<SubmissionStore, 'audit'>
  revocableMs: { spam: number }
}

/** Lines of the audit trail that are read to be counted. */
const COUNTED = 1000

/**
 * A page of what is over and has a trace, by its end; `before` is the cursor of the page above. As far as the budget
 * goes, it is filtered.
 */
export async function listDone({ limit, before, sort, ...filter }: Listing, ports: DonePorts): Promise<RowPage> {
  const now = ports.runtime.now()
  const revision = await reached(ports.store.revision())
  const latest = endsIn(await reached(ports.store.audit(Infinity, now - TRACE_TTL_MS)), now, ports)
  const ends = sort === 'oldest' ? latest.toReversed() : latest
  const isFound = filtering(filter, ports)
  const from = before === undefined ? 0 : ends.filter(isAbove(before, sort)).length
  const found: Submission[] = []
  let at = from
  do {
    const read = ends.slice(at, at + limit - found.length)
    found.push(...(await readDone(read.map(({ id }) => id), ports)).filter(isFound))
    at += read.length
  } while (at < ends.length && found.length < limit && ports.runtime.now() - now < BUDGET_MS)
  const rows = await Promise.all(found.map(submission => doneRow(submission, ports)))
  const cursor = at < ends.length ? cursorOf(ends[at - 1]!) : null
  return { now, revision, rows, found: found.map(({ id }) => id), total: ends.length, cursor, scanned: at - from }
}

/** How many are over and have a trace; null when the audit trail says more of that time than is read to be counted. */
export async function countDone(ports: DonePorts): Promise<number | null> {
  const now = ports.runtime.now()
  const lines = await reached(ports.store.audit(COUNTED, now - TRACE_TTL_MS))
  return lines.length < COUNTED ? endsIn(lines, now, ports).length : null
}

/** By when it ended, because a submission may come to another end. */
const cursorOf = ({ at, id }: AuditLine) => cursorAt(at, id)

/** Whether an end stands in a page above: it is the last one there, or came before that in the order of the list. */
function isAbove(cursor: string, sort: Listing['sort']): (end: AuditLine) => boolean {
  const last = readCursor(cursor)
  if (!last) throw new InvalidRequest('before: it is not the cursor of a page.')
  return ({ at, id }) => {
    const later = at - last.at || (id === last.id ? 0 : id > last.id ? 1 : -1)
    return sort === 'oldest' ? later <= 0 : later >= 0
  }
}

/** The ends of the time for which a trace is kept, the latest first; spam that may be taken back is not over. */
function endsIn(lines: readonly AuditLine[], now: number, { revocableMs }: DonePorts): AuditLine[] {
  const isKept = ({ outcome, at, receivedAt }: AuditLine) => (
    outcome === 'spam' && now < Math.min(at + revocableMs.spam, receivedAt + SUBMISSION_TTL_MS)
  )
  return endedOf(lines).filter(line => line.at > now - TRACE_TTL_MS && !isKept(line))
}

async function readDone(ids: readonly string[], { store }: DonePorts): Promise<Submission[]> {
  return (await reached(getAll(store, ids))).filter(submission => stateOf(submission) === 'done')
}

async function doneRow(submission: Submission, ports: DonePorts): Promise<Row> {
  return { ...await row(submission, ports), ending: endLine(submission) }
}
