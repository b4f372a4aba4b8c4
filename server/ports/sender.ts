import type { Outcome } from './delivery'

/** Who sends a form, by the head of the request. */
export interface Sender {
  /** IP address, when known. */
  address?: string
  /** Who is counted as one: an IPv4 address, or the IPv6 network that one customer gets. */
  group: string
  /** Whom an idempotency key belongs to: clients that use the same key by chance or by malice do not meet. */
  client: string
  /** Showed the key of this service: a program that we know, and that no human check lets through. */
  trusted: boolean
  /** The body may bring files. */
  hasFiles: boolean
  /** What the sender calls this form, so that sending it again is no second form. */
  idempotencyKey?: string
}

/** Tells people from programs by a token that a widget put into the form. */
export interface HumanCheck {
  /** The form field that carries the token; it is no part of the submission. */
  readonly field: string
  /**
   * Asks the verifier; `permanent` means that it refused the token, otherwise it could not be asked.
   *
   * @param from the sender's IP address, when known, and a key under which the same form may be sent again: a token
   * counts once, but a second attempt at the same form is not a second use
   */
  verify(token: string, from: { address?: string, attemptKey?: string }): Promise<Outcome>
}
