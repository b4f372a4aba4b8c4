import type { BodyMemory } from './body-memory'
import { HttpError } from './errors'

/** Largest body of any route but forms, bytes: that of a decision may hold the largest form, typed again. */
export const LARGEST_BODY = 4 * 1024 * 1024

export interface BodyLimits {
  memory: BodyMemory
  /** The same for bodies with files. */
  uploads: BodyMemory
  /** How long a body may take to arrive, ms. */
  timeoutMs: number
  /** Proxies of ours in front, whose X-Forwarded-For is believed. */
  trustedProxies: number
}

/** @param advice what else than to send less may help */
export function bodyTooLarge(maxBytes: number, advice = ''): HttpError {
  return new HttpError(413, 'BODY_TOO_LARGE', `The body is larger than ${maxBytes} bytes. Send less${advice}.`)
}

/** Advice for who runs the service and wants to take larger forms. */
export const RAISE_FORM_LIMIT = ', or raise MAX_BODY_BYTES'

/** Whether a sender left before anybody read what came: a stream says that once, and not to who listens later. */
export function hasLeft({ destroyed, readableEnded }: { destroyed: boolean, readableEnded: boolean }): boolean {
  return destroyed && !readableEnded
}

export function incomplete(): HttpError {
  return new HttpError(400, 'BODY_INCOMPLETE', 'The connection closed before the whole body arrived.')
}

export function tooSlow(timeoutMs: number): HttpError {
  return new HttpError(408, 'BODY_TOO_SLOW', `The body did not arrive within ${timeoutMs / 1000} s. Send it again.`)
}
