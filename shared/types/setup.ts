import type { ConfigArea } from './status'

/** What GET /api/setup answers; no values of variables but public ones. */
export interface Setup {
  /** Public URL of this deployment, without a trailing slash; null when it is not known. */
  siteUrl: string | null
  config: readonly ConfigArea[]
  /** Values that look unusual, or were read in part; one line each, without the values. */
  warnings: readonly string[]
  /** By key of the guide, everything that fails there as the status has it; one line each. */
  problems: Readonly<Record<string, readonly string[]>>
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
  /** What it waits for although it is configured, and what to do. */
  waits?: string
  /** Why it has no cards although it is configured. */
  noCards?: string
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

/** What POST /api/setup/email answers. */
export interface TestEmailSent {
  to: string
  /** By which it is asked what became of it; null where nobody tells. */
  messageId: string | null
}

/** What is known of one test email. */
export interface TestEmailReceipt {
  arrived: boolean
  returned: boolean
  /** In words; null until anything is known. */
  text: string | null
}

/** What POST /api/setup/card answers, for each room of the platform. */
export interface TestCardsSent {
  rooms: readonly {
    /** Whose cards go there, by name; null is the default form. */
    forms: readonly (string | null)[]
    /** Why it was not posted, and what to check; null when it was. */
    reason: string | null
  }[]
}
