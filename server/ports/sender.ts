import type { Outcome } from './delivery'

/** Sender of a form, known from the head of the request. */
export interface Sender {
  /** IP address, when known. */
  address?: string
  /** Unit for rate limits: an IPv4 address, or the IPv6 network of one internet customer. */
  group: string
  /** Owner of idempotency keys: two clients may use the same key, by chance or by malice, without a clash. */
  client: string
  /**
   * True if the request has the API key of this service. Such a program needs no human check, which it could not pass.
   */
  trusted: boolean
  /** True if the body may contain files. */
  hasFiles: boolean
  /** Sender's id for this form: a form with the same id does not create a second submission. */
  idempotencyKey?: string
}

/** Form as it arrived. */
export interface SentForm {
  body: unknown
  /** True for an HTML form, in which fields like `_next` are instructions. In JSON they are data. */
  isHtmlForm: boolean
  /** True if a browser sent it without a script, so that a person will see the answer. */
  wantsPage: boolean
}

/** Tells people from programs by a token that a widget adds to the form. */
export interface HumanCheck {
  /** Form field of the token; it is not part of the submission. */
  readonly field: string
  /**
   * Checks a token with the verifier. A failure is `permanent` if the verifier refused the token, and temporary if it
   * did not answer.
   *
   * @param from the sender's IP address, if known, and a key for retries: a token is valid once, but retries of the
   * same form with the same key do not count as a second use
   */
  verify(token: string, from: { address?: string, attemptKey?: string }): Promise<Outcome>
  /** Returns a challenge for the widget, as JSON; absent if the widget gets it from a vendor. */
  challenge?(): Promise<object>
}
