import type { ReviewBoard } from '../../ports/board'
import type { Form } from '../../ports/form'
import { LimitReached } from '../../ports/limiter'
import type { CardLine } from '../../ports/line'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { SubmissionData } from '../../ports/submission'
import { InvalidSubmission, StoreUnavailable } from '../errors'
import { transition } from './lifecycle'
import type { Outbox } from './outbox'
import type { Poster } from './poster'

/** How long a sender waits for the cards, ms; past that the answer is the same, because the cards are outstanding work. */
const CARD_PATIENCE_MS = 2500

/** JSON.stringify and Redis are fine with more; nobody reads more, and a bound keeps the stack safe. */
const MAX_DEPTH = 100

export interface IntakePorts {
  store: SubmissionStore
  outbox: Outbox
  poster: Poster
  board: ReviewBoard
  line: CardLine
  leaseMs: number
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/**
 * Takes a form in: stored first, then shown. Resolves with the submission id.
 *
 * @throws InvalidSubmission when it is not a JSON object
 * @throws StoreUnavailable when nothing was stored; nothing is posted then
 * @throws LimitReached as `SubmissionStore.create` does
 * @param options for `SubmissionStore.create`, and whether it is held: stored, and shown to nobody in chat
 */
export async function receive(body: unknown, form: Pick<Form, 'key' | 'rooms'>, { store, outbox, poster, board, line, leaseMs, runtime, monitor, log }: IntakePorts, { held = false, ...options }: { idempotencyKey?: string, client?: string, held?: boolean } = {}): Promise<string> {
  const rooms = held ? [] : form.rooms
  const paced = rooms.filter(room => board.intervalMs(room) > 0)
  const now = runtime.now()
  const received = transition(null, { type: 'received', id: runtime.uuid(), form: form.key, data: submissionData(body), rooms, paced, held }, now, leaseMs)
  if ('refused' in received) throw new InvalidSubmission('The submission was refused.')
  const { next, added } = received

  // Sent together, this is one round trip. A place in line without a record is harmless: its turn passes.
  const enter = (room: string) => line.enter({ room, intervalMs: board.intervalMs(room) }, next.id, { leaseMs }).catch(() => null)
  const leave = () => runtime.background(Promise.all(paced.map(room => line.leave(room, next.id))))
  const create = () => store.create(next, options).catch((error) => {
    if (!(error instanceof LimitReached)) throw new StoreUnavailable(error)
    leave()
    throw error
  })
  const [places, id] = await Promise.all([Promise.all(paced.map(enter)), create()])
  if (id !== next.id) {
    leave()
    return id
  }

  monitor.received(held)
  log.info(held ? 'submission.held' : 'submission.received', { submission: id, form: form.key, fields: Object.keys(next.data ?? {}).length })

  // Where the line did not answer, the attempt to post asks it again.
  const waiting = paced.filter((_, index) => (places[index] ?? 0) > 0)
  const granted = paced.filter((_, index) => places[index] === 0)
  const shown = outbox.run(next, added.filter(work => !waiting.includes(work.room!)), granted)
  runtime.background(shown)
  poster.wake(waiting)
  const soon = waiting.length > 0 && paced.every((room, index) => (places[index] ?? 0) * board.intervalMs(room) < CARD_PATIENCE_MS)
  await runtime.within(Promise.all([shown, soon && poster.posted(next.id)]), CARD_PATIENCE_MS)
  poster.forget(next.id)
  return next.id
}

/** Any JSON object is a submission; nothing else is. */
function submissionData(body: unknown): SubmissionData {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new InvalidSubmission(`Send a JSON object such as {"name": "Ada"}, not ${Array.isArray(body) ? 'an array' : body === null ? 'null' : `a ${typeof body}`}.`)
  }
  if (deeperThan(body, MAX_DEPTH)) throw new InvalidSubmission(`The JSON is nested more than ${MAX_DEPTH} levels deep.`)
  return body as SubmissionData
}

/** Level by level rather than by recursion, which hostile nesting could exhaust. */
function deeperThan(root: object, limit: number): boolean {
  let level: object[] = [root]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth >= limit) return true
    level = level.flatMap(value => Object.values(value)).filter(value => typeof value === 'object' && value !== null)
  }
  return false
}
