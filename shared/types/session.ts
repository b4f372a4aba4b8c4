import type { Reviewer } from '../../server/ports/submission'

export interface SessionState {
  viewer: Reviewer | null
  /** Why nobody can sign in. */
  closed: string | null
  /** Whether there is a password to sign in with. */
  password: boolean
  /** Platforms to sign in with. */
  platforms: { key: string, label: string }[]
}

/** What the pages say about this deployment. */
export interface OpsContext {
  sandbox: boolean
  formUrl: string
  curl: string
}
