import { createHash } from 'node:crypto'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { HumanCheck, Sender, SentForm } from '../../ports/sender'
import { LimitReached, type Limiter } from '../../ports/limiter'
import type { Log } from '../../ports/runtime'
import { KeyReused, type CreateOptions } from '../../ports/store'
import type { Envelope, SubmissionData } from '../../ports/submission'
import {
  IdempotencyKeyReused, StoreUnavailable, TooManyBytes, TooManyForms, HumanCheckFailed, HumanCheckUnavailable,
  EmptyForm, InvalidSubmission,
} from '../errors'
import type { Context } from '../context'
import { isObject, isNumber, orderedObject } from '../json'
import { CARD_PATIENCE_MS } from '../cards/card-queue'
import { CONTROLS, envelopeOf, nextOf } from './envelope'
import { isProof } from '../fields/machinery'
import { converted, typed, type FormRules } from '../fields/rules'
import type { IncomingFiles } from '../files/incoming-files'
import { transition } from '../lifecycle/lifecycle'
import type { Outbox } from '../outbox/outbox'
import type { SubmissionFiles } from '../files/submission-files'

/** Services for receiving a form */
export interface Entrance {
  /** Null if there is no limit. */
  quota: Quota | null
  files: SubmissionFiles
  outbox: Outbox
}

/** A form that was accepted */
interface Accepted {
  id: string
  /** Address to which the sender's browser goes next: unchecked. */
  next?: string
}

/** A form that is being received */
export interface Arrival {
  /** Receives its files; null if the form accepts no files. */
  upload: IncomingFiles | null
  /**
   * Screens the body and stores it. Resolves even if the honeypot caught the form.
   *
   * @throws DomainError of any kind when nothing was stored
   */
  take: (form: Promise<SentForm>) => Promise<Accepted>
}

/**
 * Admits a form and counts it once: in the write that stores it, or separately if nothing is stored. Counts it before
 * the body is read if the human check will call its vendor, if the form accepts files, or if the sender is sending too
 * many forms at once.
 *
 * @throws TooManyForms, StoreUnavailable if the body must not be read
 */
export async function enter(
  sender: Sender, form: Form, context: Context, { quota, files, outbox }: Entrance,
): Promise<Arrival> {
  const client = sender.group
  quota?.check(client)
  const isCrowded = quota?.enter(client) ?? false
  const upload = sender.hasFiles ? files.incoming(form, client) : null
  const isCountedFirst = isCrowded || upload !== null || (context.humanCheck !== null && !sender.trusted)
  const quotaToCount = isCountedFirst ? null : quota
  if (isCountedFirst) await quota?.count(client).catch((error) => {
    quota.leave(client)
    throw error
  })
  const take = async (sentForm: Promise<SentForm>) => {
    try {
      const { body, ...origin } = await sentForm
      // Other forms of the client may have reached the limit meanwhile. Check now: the next steps call the store.
      quotaToCount?.check(client)
      const idempotencyKey = idempotencyDigest(sender, form.key)
      const { data, held, next: nextAddress, ...metadata } = await screen(
        body, sender, context, { form, files: upload?.files, attemptKey: idempotencyKey, ...origin },
      )
      const envelope = upload && upload.files.length > 0
        ? { ...metadata.envelope, files: upload.files }
        : metadata.envelope
      const id = await receive(data, form, context, outbox, {
        idempotencyKey, fingerprint: idempotencyKey && fingerprintOf(sender, { data, envelope }),
        client: quotaToCount ? client : undefined, sender: client, held, id: upload?.id, envelope,
      })
      // The form was sent before.
      if (upload && id !== upload.id) await upload.discard()
      return { id, next: nextAddress }
    }
    catch (error) {
      // If the store does not answer, it may still have stored the submission, so keep the files.
      if (!(error instanceof StoreUnavailable)) await upload?.discard()
      if (error instanceof LimitReached) throw error.megabytes === undefined
        ? quotaToCount!.exceeded(client, error.waitMs)
        : new TooManyBytes(error.megabytes, 'forms', 'FORM_RATE_LIMIT_MB', error.waitMs)
      if (!COUNTED_ERRORS.some(kind => error instanceof kind)) await quotaToCount?.count(client)
      throw error
    }
    finally {
      quota?.leave(client)
    }
  }
  return { upload, take }
}

/** Errors after which the store has counted the form, or may have done so */
const COUNTED_ERRORS = [StoreUnavailable, TooManyForms, IdempotencyKeyReused]

/** Max clients remembered as over their limit; for all others the store is asked. */
const MAX_REMEMBERED = 10_000

/**
 * Limits the forms of each client. The store counts a form when it stores it; `count` is for forms that are not stored.
 * A client over its limit is remembered until its window ends and refused without reading its body or calling the
 * store.
 */
export class Quota {
  /** End of the window, epoch ms, by client over its limit */
  private readonly windowEndsAt = new Map<string, number>()
  /** Number of incoming forms per client. */
  private readonly incomingCounts = new Map<string, number>()

  constructor(private readonly limiter: Limiter, private readonly now: () => number) {}

  /** @throws TooManyForms when the client is known to be over its limit */
  check(client: string): void {
    const waitMs = (this.windowEndsAt.get(client) ?? 0) - this.now()
    if (waitMs > 0) throw new TooManyForms(this.limiter.limit, waitMs)
    this.windowEndsAt.delete(client)
  }

  /**
   * Registers an incoming form; call `leave` when it is done. Returns true if the client is sending more forms at once
   * than its limit: count such a form before it is read, so that a client has at most twice its limit of open bodies.
   */
  enter(client: string): boolean {
    const count = (this.incomingCounts.get(client) ?? 0) + 1
    this.incomingCounts.set(client, count)
    return count > this.limiter.limit
  }

  leave(client: string): void {
    const count = this.incomingCounts.get(client)! - 1
    if (count > 0) this.incomingCounts.set(client, count)
    else this.incomingCounts.delete(client)
  }

  /**
   * Counts a form that is not stored.
   *
   * @throws TooManyForms when the form exceeds the limit
   * @throws StoreUnavailable when the store does not answer
   */
  async count(client: string): Promise<void> {
    const waitMs = await this.limiter.take(client).catch((error) => { throw new StoreUnavailable(error) })
    if (waitMs > 0) throw this.exceeded(client, waitMs)
  }

  /** Remembers that the client has reached its limit, and returns the error. */
  exceeded(client: string, waitMs: number): TooManyForms {
    const [oldestClient] = this.windowEndsAt.keys()
    if (this.windowEndsAt.size >= MAX_REMEMBERED) this.windowEndsAt.delete(oldestClient!)
    this.windowEndsAt.set(client, this.now() + waitMs)
    return new TooManyForms(this.limiter.limit, waitMs)
  }
}

/** True if the honeypot caught a form; `human-check` if its sender failed that, and the form says `hold`. */
type Quarantine = boolean | 'human-check'

export interface Screened {
  data: unknown
  /** Quarantined, because a program probably sent it: stored for review, without a card. */
  held: Quarantine
  envelope?: Envelope
  /** Address to which the sender's browser goes next: unchecked. */
  next?: string
}

interface Screening extends Partial<Omit<SentForm, 'body'>> {
  form: FormRules & Pick<Form, 'hold'>
  files?: readonly StoredFile[]
  /** Key under which the same human-check token may be used again. */
  attemptKey?: string
}

/**
 * Removes fields that are not data: those against abuse, and those by which a page controls its HTML form. Converts the
 * rest to the form's types. If the honeypot caught the form, returns `held` instead of an error: its sender must not
 * notice. So it does if the sender failed the human check of a form with `hold`. A body that is no object passes:
 * `receive` rejects it.
 *
 * @throws InvalidFields when the data does not follow the form's rules, unless it is quarantined
 * @throws EmptyForm when a person filled in nothing
 * @throws HumanCheckFailed when the sender has to try again with a new token
 * @throws HumanCheckUnavailable when the check could not be reached
 */
export async function screen(
  body: unknown, sender: Sender, { honeypot, humanCheck, log }: Context,
  { form, files, attemptKey, isHtmlForm = false, wantsPage = false }: Screening,
): Promise<Screened> {
  if (!isObject(body)) return { data: body, held: false }
  const isTrapped = Object.hasOwn(body, honeypot) && ![body[honeypot]].flat().every(isBlank)
  const rawData = omitFields(body, [
    honeypot, ...isHtmlForm ? CONTROLS : [], ...humanCheck ? [humanCheck.field] : [],
  ])
  // Check the data before the token, because a token works only once. Don't tell spam programs which data is valid.
  const data = isTrapped ? converted(rawData, form) : typed(rawData, form, files)
  if (wantsPage && !isTrapped && isEmpty(rawData, files)) throw new EmptyForm()
  if (isTrapped) log.info('intake.honeypot')
  const refusal = isTrapped || !humanCheck || sender.trusted
    ? null
    : await humanRefusal(body[humanCheck.field], { address: sender.address, attemptKey }, humanCheck, log)
  if (refusal !== null && !form.hold) throw new HumanCheckFailed(refusal)
  return {
    data, held: refusal === null ? isTrapped : 'human-check',
    ...isHtmlForm && { envelope: envelopeOf(body), next: nextOf(body) },
  }
}

/** True if nothing is filled in; captchas and tokens do not count. */
function isEmpty(data: SubmissionData, files: readonly StoredFile[] = []): boolean {
  return files.length === 0 && Object.entries(data).every(
    ([key, value]) => isProof(key) || [value].flat().every(isBlank),
  )
}

/**
 * Returns the hash of an idempotency key: 64 hex digits that reveal neither the key nor the client. The client is part
 * of the hash, because senders are anonymous: a stranger may send the same key first, or a website may use one key for
 * all its visitors. Without the client, later forms would be lost although their senders see "received".
 */
export function idempotencyDigest({ client, idempotencyKey }: Sender, form?: string): string | undefined {
  return idempotencyKey === undefined
    ? undefined
    : createHash('sha256').update(JSON.stringify([client, idempotencyKey, form])).digest('hex')
}

/**
 * Returns eight hex digits that distinguish forms with the same key. They reveal nothing about the form: the key is
 * part of the hash, and many forms have the same digits.
 */
function fingerprintOf({ client, idempotencyKey }: Sender, form: object): string {
  return createHash('sha256').update(JSON.stringify([client, idempotencyKey, form])).digest('hex').slice(0, 8)
}

/** Resolves with the reason why the sender failed the check, or null. @throws HumanCheckUnavailable */
async function humanRefusal(
  token: unknown, origin: Parameters<HumanCheck['verify']>[1], check: HumanCheck, log: Log,
): Promise<string | null> {
  if (typeof token !== 'string' || token === '') {
    return `The field ${check.field} is missing. The form needs the widget that fills it in; wait for the widget before you send the form.`
  }
  const outcome = await check.verify(token, origin)
  if (outcome.ok) return null
  if (outcome.permanent) return outcome.reason
  log.warn('intake.human-check', { reason: outcome.reason })
  throw new HumanCheckUnavailable()
}

/** True for an untouched field, in any of the encodings that browsers use. */
function isBlank(value: unknown): boolean {
  return value === null || value === false || (typeof value === 'string' && value.trim() === '')
}

function omitFields(body: Record<string, unknown>, fields: readonly string[]): Record<string, unknown> {
  if (!fields.some(field => Object.hasOwn(body, field))) return body
  // Build the object from entries: assignment would lose a field with the name `__proto__`.
  return orderedObject(Object.entries(body).filter(([key]) => !fields.includes(key)))
}

interface ReceiveOptions extends Omit<CreateOptions, 'queues'> {
  /** A new id if absent. */
  id?: string
  /** Stored, but not shown in chat. */
  held?: Quarantine
  envelope?: Envelope
}

/**
 * Stores a form, then posts its cards. Resolves with the submission id.
 *
 * @throws InvalidSubmission when it is not a JSON object
 * @throws StoreUnavailable when nothing was stored; nothing is posted then
 * @throws LimitReached like `SubmissionStore.create`, IdempotencyKeyReused
 */
export async function receive(
  body: unknown, form: Form,
  context: Context, outbox: Outbox,
  { id: newId = context.runtime.uuid(), held = false, envelope, ...options }: ReceiveOptions = {},
): Promise<string> {
  const { store, policy: { leaseMs }, runtime, monitor, log } = context
  const { queue } = outbox
  const isQuarantined = held !== false
  const rooms = isQuarantined ? [] : form.rooms
  const queues = queue.queuesOf(rooms)
  const step = transition(null, {
    type: 'received', id: newId, form: form.key, data: parseSubmissionData(body), rooms, held, envelope,
  }, runtime.now(), leaseMs)
  if ('refused' in step) throw new InvalidSubmission('The submission was refused.')
  const { next, added } = step

  const { id, places } = await store.create(next, { ...options, queues }).catch((error) => {
    if (error instanceof KeyReused) throw new IdempotencyKeyReused()
    throw error instanceof LimitReached ? error : new StoreUnavailable(error)
  })
  if (id !== next.id) return id

  monitor.received(isQuarantined)
  log.info(
    isQuarantined ? 'submission.held' : 'submission.received',
    { submission: id, form: form.key, fields: Object.keys(next.data ?? {}).length, files: envelope?.files?.length },
  )

  const waitingRooms = queue.entered(queues, places)
  // Wait until the card is posted, not until that is recorded: if this process dies in between, the card is posted
  // again in any case.
  const cardAttempts = new Promise<void>((resolve) => {
    const postableWork = added.filter(work => !waitingRooms.includes(work.room!)).map(
      work => ({ ...work, hasTurn: true }),
    )
    runtime.background(outbox.run(next, postableWork, resolve))
  })
  const isSoon = waitingRooms.length > 0
    && queues.every(({ intervalMs }, index) => places[index]! * intervalMs < CARD_PATIENCE_MS)
    && await queue.areThere(waitingRooms)
  // Don't wait for a slow platform: its cards are posted in the background.
  if (rooms.some(room => queue.slowRooms.has(room))) return id
  await runtime.within(Promise.all([cardAttempts, isSoon && queue.posted(id)]), CARD_PATIENCE_MS)
  queue.forget(id)
  return id
}

/** Returns the body if it is a JSON object; no other value is a submission. */
function parseSubmissionData(body: unknown): SubmissionData {
  if (isObject(body)) return body
  const type = isNumber(body) ? 'number' : typeof body
  const kind = body === null ? 'null' : Array.isArray(body) ? 'an array' : `a ${type}`
  throw new InvalidSubmission(`Send a JSON object such as {"name": "Ada"}, not ${kind}.`)
}
