import type { Person } from './submission'

/** Who somebody is, or why nobody knows. `reason` is one line for the log, without secrets. */
export type Identity
  = | { ok: true, person: Person }
    | { ok: false, problem: 'not-a-member' | 'unavailable', reason: string }

/** A chat platform that vouches for its people, by OAuth 2.0 with an authorization code. */
export interface IdentityProvider {
  /** Part of the addresses, e.g. `slack`. */
  readonly key: string
  /** Name as people know it, e.g. `Slack`. */
  readonly label: string
  /** The platform's page that asks a person; it sends them to `redirectUri` with a `code` and this `state`. */
  authorizeUrl(redirectUri: string, state: string): string
  /** Who came back with the code. Answers within 20 s and never rejects. */
  identify(code: string, redirectUri: string): Promise<Identity>
}
