import type { Outcome } from './delivery'

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
