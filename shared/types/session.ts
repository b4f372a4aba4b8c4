import type { Reviewer } from '../../server/ports/submission'

/** What somebody may do at the ops pages: look, or decide what the reviewers of its form may. */
export type OpsRole = 'viewer' | 'reviewer'

export interface SessionState {
  /** Of no role while nobody can tell whether they decide. */
  viewer: Pick<Reviewer, 'id' | 'name' | 'platform'> & { role: OpsRole | null } | null
  /** Why nobody can sign in. */
  closed: string | null
  /** Why somebody who signed in may not look. */
  refused: string | null
  /** Whether there is a password to sign in with. */
  password: boolean
  /** Platforms to sign in with. */
  platforms: { key: string, label: string }[]
  /** People take what waits. */
  takes: boolean
}

/** What the pages say about this deployment. */
export interface OpsContext {
  sandbox: boolean
  /** For how long a decision made now could be taken back, ms; 0 for not at all. */
  revocableMs: Readonly<Record<'forward' | 'spam', number>>
  formUrl: string
  curl: string
}
