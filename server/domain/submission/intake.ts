import type { Form } from '../../ports/form'
import { LimitReached } from '../../ports/limiter'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import { KeyReused, type CreateOptions, type SubmissionStore } from '../../ports/store'
import type { Envelope, SubmissionData } from '../../ports/submission'
import { IdempotencyKeyReused, InvalidSubmission, StoreUnavailable } from '../errors'
import { isNumber, isObject } from '../json'
import type { CardQueue } from './card-queue'
import { transition } from './lifecycle'
import type { Outbox } from './outbox'
import { CARD_PATIENCE_MS } from './slow-rooms'

export interface IntakePorts {
  store: SubmissionStore
  outbox: Outbox
  queue: CardQueue
  leaseMs: number
  runtime: Runtime
  monitor: Monitor
  log: Log
}

interface ReceiveOptions extends Omit<CreateOptions, 'queues'> {
  /** A new one when absent. */
  id?: string
  /** Stored, and shown to nobody in chat. */
  held?: boolean
  envelope?: Envelope
}

/**
 * Takes a form in: stored first, then shown. Resolves with the submission id.
 *
 * @throws InvalidSubmission when it is not a JSON object
 * @throws StoreUnavailable when nothing was stored; nothing is posted then
 * @throws LimitReached as `SubmissionStore.create` does, IdempotencyKeyReused
 */
export async function receive(
  body: unknown, form: Pick<Form, 'key' | 'rooms'>,
  { store, outbox, queue, leaseMs, runtime, monitor, log }: IntakePorts,
  { id: given = runtime.uuid(), held = false, envelope, ...options }: ReceiveOptions = {},
): Promise<string> {
  const rooms = held ? [] : form.rooms
  const queues = queue.queuesOf(rooms)
  const received = transition(null, {
    type: 'received', id: given, form: form.key, data: submissionData(body), rooms, held, envelope,
  }, runtime.now(), leaseMs)
  if ('refused' in received) throw new InvalidSubmission('The submission was refused.')
  const { next, added } = received

  const { id, places } = await store.create(next, { ...options, queues }).catch((error) => {
    if (error instanceof KeyReused) throw new IdempotencyKeyReused()
    throw error instanceof LimitReached ? error : new StoreUnavailable(error)
  })
  if (id !== next.id) return id

  monitor.received(held)
  log.info(
    held ? 'submission.held' : 'submission.received',
    { submission: id, form: form.key, fields: Object.keys(next.data ?? {}).length, files: envelope?.files?.length },
  )

  const waiting = queue.entered(queues, places)
  // The sender waits until the card is out, not until that is on record: if this process dies in between, the card is
  // posted once more, answered or not.
  const shown = new Promise<void>((tried) => {
    const postable = added.filter(work => !waiting.includes(work.room!)).map(work => ({ ...work, hasTurn: true }))
    runtime.background(outbox.run(next, postable, tried))
  })
  const isSoon = waiting.length > 0
    && queues.every(({ intervalMs }, index) => places[index]! * intervalMs < CARD_PATIENCE_MS)
    && await queue.areThere(waiting)
  // Don't wait for a platform that hangs: its cards go on in the background until it answers again.
  if (rooms.some(room => queue.slowRooms.has(room))) return id
  await runtime.within(Promise.all([shown, isSoon && queue.posted(id)]), CARD_PATIENCE_MS)
  queue.forget(id)
  return id
}

/** Any JSON object is a submission; nothing else is. */
function submissionData(body: unknown): SubmissionData {
  if (isObject(body)) return body
  const type = isNumber(body) ? 'number' : typeof body
  const kind = body === null ? 'null' : Array.isArray(body) ? 'an array' : `a ${type}`
  throw new InvalidSubmission(`Send a JSON object such as {"name": "Ada"}, not ${kind}.`)
}
