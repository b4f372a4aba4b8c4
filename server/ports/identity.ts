import type { Person } from './submission'

/** Identity of a user, or the reason why it is unknown. `reason` is one line for the log, without secrets. */
export type Identity
  = | { ok: true, person: Person }
    | { ok: false, problem: 'not-a-member' | 'unavailable', reason: string }

/** A chat platform that identifies its users by OAuth 2.0 with an authorization code. */
export interface IdentityProvider {
  /** Part of the URLs, e.g. `slack`. */
  readonly key: string
  /** Display name, e.g. `Slack`. */
  readonly label: string
  /** URL of the platform's consent page. It redirects the user to `redirectUri` with a `code` and this `state`. */
  authorizeUrl(redirectUri: string, state: string): string
  /** Identifies the user who returned with the code. Answers within 20 s and never rejects. */
  identify(code: string, redirectUri: string): Promise<Identity>
}
