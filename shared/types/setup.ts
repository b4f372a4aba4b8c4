import type { ConfigArea } from './status'

/** What GET /api/setup answers; no values of variables but public ones. */
export interface Setup {
  /** Public URL of this deployment, without a trailing slash; null when it is not known. */
  siteUrl: string | null
  config: readonly ConfigArea[]
  /** How each chat platform is set up. */
  platforms: readonly SetupGuide[]
}

export interface SetupGuide {
  key: string
  label: string
  icon: string
  about: string
  /** Variables without all of which it is not on. */
  required: readonly string[]
  /** In the order in which they are done. */
  steps: readonly SetupStep[]
}

export interface SetupStep {
  text: string
  /** Opens in a new tab. */
  link?: { label: string, to: string }
  /** Something to copy. */
  code?: { label: string, text: string }
}
