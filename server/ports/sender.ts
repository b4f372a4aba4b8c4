import type { Outcome } from './delivery'

/** Sender of a form, known from the head of the request. */
export interface Sender {
  /** IP address, when known. */
  address?: string
  /** Unit for rate limits: an IPv4 address, or the IPv6 network that one customer gets. */
  group: string
  /** Owner of idempotency keys: the same key of two clients, by chance or by malice, does not clash. */
  client: string
  /** True if the request had the API key of this service: such a program is known, and could not pass a human check. */
  trusted: boolean
  /** True if the body may contain files. */
  hasFiles: boolean
  /** Sender's own id of this form: sending it again does not create a second submission. */
  idempotencyKey?: string
}

/** Form as it was sent. */
export interface SentForm {
  body: unknown
  /** True for an HTML form, whose page may give instructions such as `_next`. In JSON these are data. */
  isHtmlForm: boolean
  /** True if a browser sent it without a script, so that a person reads the answer. */
  wantsPage: boolean
}

/** Tells people from programs by a token that a widget adds to the form. */
export interface HumanCheck {
  /** Form field of the token; it is not part of the submission. */
  readonly field: string
  /**
   * Asks the verifier. `permanent` means that it refused the token; otherwise it could not be asked.
   *
   * @param from the sender's IP address, when known, and a key for retries of the same form: a token is valid once, but
   * a second attempt at the same form is not a second use
   */
  verify(token: string, from: { address?: string, attemptKey?: string }): Promise<Outcome>
}
