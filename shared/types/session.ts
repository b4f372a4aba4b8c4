import type { Reviewer } from '../../server/ports/submission'

/** Role on the ops pages: a `viewer` only reads; a `reviewer` may also decide, if the form lists them as a reviewer. */
export type OpsRole = 'viewer' | 'reviewer'

export interface SessionState {
  /** `role` is null while it cannot be determined. */
  viewer: Pick<Reviewer, 'id' | 'name' | 'platform'> & { role: OpsRole | null } | null
  /** Reason why nobody can sign in. */
  closed: string | null
  /** Reason why a signed-in person has no access. */
  refused: string | null
  /** True if people can sign in with a password. */
  password: boolean
  /** Platforms that people can sign in with. */
  platforms: { key: string, label: string }[]
  /** True if assignment is on. */
  takes: boolean
}

/** Facts about this deployment for the pages. */
export interface OpsContext {
  sandbox: boolean
  /** Time for which a decision made now can be revoked, ms; 0 if it cannot. */
  revocableMs: Readonly<Record<'forward' | 'spam', number>>
  formUrl: string
  curl: string
}
