import { createHash } from 'node:crypto'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { HumanCheck } from '../../ports/human-check'
import type { Log } from '../../ports/runtime'
import type { Sender } from '../../ports/sender'
import type { Envelope } from '../../ports/submission'
import { HumanCheckFailed, HumanCheckUnavailable } from '../errors'
import { isObject } from '../json'
import { CONTROLS, envelopeOf, nextOf } from './envelope'
import { converted, typed } from './field-rules'

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
export function fingerprintOf({ client, idempotencyKey }: Sender, form: object): string {
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
