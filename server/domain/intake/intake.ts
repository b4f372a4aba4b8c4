import { createHash } from 'node:crypto'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { HumanCheck, Sender } from '../../ports/sender'
import { LimitReached, type Limiter } from '../../ports/limiter'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import { KeyReused, type CreateOptions, type SubmissionStore } from '../../ports/store'
import type { Envelope, SubmissionData } from '../../ports/submission'
import {
  IdempotencyKeyReused, StoreUnavailable, TooManyBytes, TooManyForms, HumanCheckFailed, HumanCheckUnavailable,
  InvalidSubmission,
} from '../errors'
import { isObject, isNumber } from '../json'
import { type CardQueue, CARD_PATIENCE_MS } from '../cards/card-queue'
import { CONTROLS, envelopeOf, nextOf } from './envelope'
import { converted, typed } from '../fields/fields'
import type { IncomingFiles } from '../files/incoming-files'
import { transition } from '../lifecycle/lifecycle'
import type { Outbox } from '../outbox/outbox'
import type { SubmissionFiles } from '../files/submission-files'

export interface AcceptPorts {
  /** Null when everybody may send any number. */
  quota: Quota | null
  screening: ScreeningPorts
  files: Pick<SubmissionFiles, 'incoming'>
  intake: IntakePorts
}

/** A form that was taken. */
interface Accepted {
  id: string
  /** Where the sender's browser wants to go next: unchecked. */
  next?: string
}

/** A form on its way in. */
export interface Arrival {
  /** Takes its files; null when none may come. */
  upload: IncomingFiles | null
  /**
   * Screens the body and stores it. Resolves also for a form that is held because it fell into the honeypot.
   *
   * @throws DomainError of any kind when nothing was stored
   */
  take: (body: Promise<unknown>) => Promise<Accepted>
}

/**
 * Lets a form of a sender in, and counts it once: with the record where one is stored, otherwise by itself. It is
 * counted before it is read where a human check is going to ask somebody else, files may come, or the sender has too
 * many on their way.
 *
 * @throws TooManyForms, StoreUnavailable for a form that must not be read
 */
export async function enter(
  sender: Sender, form: Form, { quota, screening, files, intake }: AcceptPorts,
): Promise<Arrival> {
  const client = sender.group
  quota?.check(client)
  const isCrowded = quota?.enter(client) ?? false
  const upload = sender.hasFiles ? files.incoming(form, client) : null
  const isFirst = isCrowded || upload !== null || (screening.humanCheck !== null && !sender.trusted)
  const uncounted = isFirst ? null : quota
  if (isFirst) await quota?.count(client).catch((error) => {
    quota.leave(client)
    throw error
  })
  const take = async (body: Promise<unknown>) => {
    try {
      const sent = await body
      // Other forms of the client may have used up the window meanwhile. From here on a form costs the store a call.
      uncounted?.check(client)
      const idempotencyKey = idempotencyDigest(sender, form.key)
      const { data, held, next, ...said } = await screen(sent, sender, screening, {
        form, files: upload?.files, attemptKey: idempotencyKey,
      })
      const envelope = upload && upload.files.length > 0 ? { ...said.envelope, files: upload.files } : said.envelope
      const id = await receive(data, form, intake, {
        idempotencyKey, fingerprint: idempotencyKey && fingerprintOf(sender, { data, envelope }),
        client: uncounted ? client : undefined, sender: client, held, id: upload?.id, envelope,
      })
      // It was sent before.
      if (upload && id !== upload.id) await upload.discard()
      return { id, next }
    }
    catch (error) {
      // Where the store does not answer, it may have the submission all the same.
      if (!(error instanceof StoreUnavailable)) await upload?.discard()
      if (error instanceof LimitReached) throw error.megabytes === undefined
        ? uncounted!.exceeded(client, error.waitMs)
        : new TooManyBytes(error.megabytes, 'forms', 'FORM_RATE_LIMIT_MB', error.waitMs)
      if (!COUNTED.some(kind => error instanceof kind)) await uncounted?.count(client)
      throw error
    }
    finally {
      quota?.leave(client)
    }
  }
  return { upload, take }
}

/** Errors of what was counted all the same. */
const COUNTED = [StoreUnavailable, TooManyForms, IdempotencyKeyReused]

/** Clients that are remembered to be over their limit; what is forgotten is asked for again. */
const MAX_REMEMBERED = 10_000

/**
 * How many forms each client may send. What is stored is counted by the store in the same step; `count` is for what is
 * not. Who is over the limit is refused from memory until the window ends: a flood costs neither a body nor a round
 * trip.
 */
export class Quota {
  /** When the window of a client ends that has used it up, epoch ms. */
  private readonly usedUp = new Map<string, number>()
  /** How many forms of a client are on their way in. */
  private readonly underway = new Map<string, number>()

  constructor(private readonly limiter: Limiter, private readonly now: () => number) {}

  /** @throws TooManyForms when the client is known to be over its limit */
  check(client: string): void {
    const waitMs = (this.usedUp.get(client) ?? 0) - this.now()
    if (waitMs > 0) throw new TooManyForms(this.limiter.limit, waitMs)
    this.usedUp.delete(client)
  }

  /**
   * Takes note of a form that is on its way in, and has to `leave`. Returns whether more than a window's worth of its
   * client are: then it is counted before it is read, so that nobody holds more than twice that many bodies open.
   */
  enter(client: string): boolean {
    const underway = (this.underway.get(client) ?? 0) + 1
    this.underway.set(client, underway)
    return underway > this.limiter.limit
  }

  leave(client: string): void {
    const underway = this.underway.get(client)! - 1
    if (underway > 0) this.underway.set(client, underway)
    else this.underway.delete(client)
  }

  /**
   * Counts a form that is not stored.
   *
   * @throws TooManyForms when it was one too many
   * @throws StoreUnavailable when the counts cannot be reached
   */
  async count(client: string): Promise<void> {
    const waitMs = await this.limiter.take(client).catch((error) => { throw new StoreUnavailable(error) })
    if (waitMs > 0) throw this.exceeded(client, waitMs)
  }

  /** Remembers that the client has used up its window, and says so. */
  exceeded(client: string, waitMs: number): TooManyForms {
    const [oldest] = this.usedUp.keys()
    if (this.usedUp.size >= MAX_REMEMBERED) this.usedUp.delete(oldest!)
    this.usedUp.set(client, this.now() + waitMs)
    return new TooManyForms(this.limiter.limit, waitMs)
  }
}

export interface Screened {
  data: unknown
  /** Probably from a program: for somebody to look at, without a card. */
  held: boolean
  envelope?: Envelope
  /** Where the sender's browser wants to go next: unchecked. */
  next?: string
}

export interface ScreeningPorts {
  /** A form field that people do not see; programs fill it in, and so does the autofill of some browsers. */
  honeypot: string
  /** Null when none is configured. */
  humanCheck: HumanCheck | null
  log: Log
}

interface Screening {
  form: Pick<Form, 'fields' | 'extra' | 'labels'>
  files?: readonly StoredFile[]
  /** Under this key a token of the human check may be used again. */
  attemptKey?: string
}

/**
 * Takes out of a body what is no data: what is there against abuse, and what the page says about it. The rest becomes
 * values of the form's types. `held` when it fell into the trap: its sender is to believe that it was received as any
 * other. What is no object passes, because refusing that is not screening.
 *
 * @throws InvalidFields when the form does not take the data, unless it is held
 * @throws HumanCheckFailed when the sender has to try again with a new token
 * @throws HumanCheckUnavailable when nobody could be asked
 */
export async function screen(
  body: unknown, sender: Sender, { honeypot, humanCheck, log }: ScreeningPorts, { form, files, attemptKey }: Screening,
): Promise<Screened> {
  if (!isObject(body)) return { data: body, held: false }
  const held = Object.hasOwn(body, honeypot) && ![body[honeypot]].flat().every(isBlank)
  const sent = without(body, [honeypot, ...CONTROLS, ...humanCheck ? [humanCheck.field] : []])
  // Before the token is used up, which counts once. Programs in the trap do not learn which data are taken.
  const data = held ? converted(sent, form) : typed(sent, form, files)
  if (held) log.info('intake.honeypot')
  else if (humanCheck && !sender.trusted) {
    await requireHuman(body[humanCheck.field], { address: sender.address, attemptKey }, humanCheck, log)
  }
  return sent === body ? { data, held } : { data, held, envelope: envelopeOf(body), next: nextOf(body) }
}

/**
 * What a store remembers an idempotency key by: 64 hex digits that tell neither the key nor the client.
 * The client is part of it. Forms are anonymous: whoever sent somebody's key first, or a website that sends one key for
 * all its visitors, would otherwise make forms vanish that were answered with "received".
 */
export function idempotencyDigest({ client, idempotencyKey }: Sender, form?: string): string | undefined {
  return idempotencyKey === undefined
    ? undefined
    : createHash('sha256').update(JSON.stringify([client, idempotencyKey, form])).digest('hex')
}

/**
 * Eight hex digits that tell a form from another one under the same key. They tell nothing of the form: too many have
 * the same ones, and the key is part of them.
 */
function fingerprintOf({ client, idempotencyKey }: Sender, form: object): string {
  return createHash('sha256').update(JSON.stringify([client, idempotencyKey, form])).digest('hex').slice(0, 8)
}

async function requireHuman(
  token: unknown, from: Parameters<HumanCheck['verify']>[1], check: HumanCheck, log: Log,
): Promise<void> {
  if (typeof token !== 'string' || token === '') throw new HumanCheckFailed(
    `The field ${check.field} is missing: the form needs the widget that fills it in, and people have to wait for it before they send.`,
  )
  const outcome = await check.verify(token, from)
  if (outcome.ok) return
  if (outcome.permanent) throw new HumanCheckFailed(outcome.reason)
  log.warn('intake.human-check', { reason: outcome.reason })
  throw new HumanCheckUnavailable()
}

/** As a browser sends a field that nobody touched, in any of the accepted encodings. */
function isBlank(value: unknown): boolean {
  return value === null || value === false || (typeof value === 'string' && value.trim() === '')
}

function without(body: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  if (!fields.some(field => Object.hasOwn(body, field))) return body
  // Entry by entry: assignment would lose a field that is called `__proto__`.
  return Object.fromEntries(Object.entries(body).filter(([key]) => !fields.includes(key)))
}

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
