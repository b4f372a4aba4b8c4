import type { ConfigArea } from './status'

/** Answer of `GET /api/setup`. It contains no values of variables except public ones. */
export interface Setup {
  /** Public URL of this deployment, without a trailing slash; null when unknown. */
  siteUrl: string | null
  /** False if this service connects to each configured platform, so that none has to reach it. */
  needsSiteUrl: boolean
  config: readonly ConfigArea[]
  /** Variables whose values look unusual, or were read only in part; one line each, without the values. */
  warnings: readonly string[]
  /** Failures on the status page, by key of the guide; one line each. */
  problems: Readonly<Record<string, readonly string[]>>
  /** Setup guide of each chat platform. */
  platforms: readonly SetupGuide[]
}

export interface SetupGuide {
  key: string
  label: string
  icon: string
  about: string
  /** Variables that must all be set to turn the platform on. */
  required: readonly string[]
  /** Outstanding step of a configured platform, and how to complete it. */
  waits?: string
  /** Reason why a configured platform gets no cards. */
  noCards?: string
  /** Steps in the order in which to do them. */
  steps: readonly SetupStep[]
}

export interface SetupStep {
  text: string
  /** Opens in a new tab. */
  link?: { label: string, to: string }
  /** Text to copy. */
  code?: { label: string, text: string }
}

/** Answer of `POST /api/setup/email`. */
export interface TestEmailSent {
  to: string
  /** Id with which to ask for the status of the email; null if no provider reports it. */
  messageId: string | null
  /** Answer of the mail server in one line. */
  said?: string
  /** True if the emails go out in a way that has no receipts. */
  hasNoReceipts?: true
}

/** Delivery status of one test email. */
export interface TestEmailReceipt {
  arrived: boolean
  returned: boolean
  /** Status in words; null while unknown. */
  text: string | null
}

/** Answer of `POST /api/setup/card`, for each room of the platform. */
export interface TestCardsSent {
  rooms: readonly {
    /** Names of the forms whose cards go there; null is the default form. */
    forms: readonly (string | null)[]
    /** Reason why the card was not posted, with advice; null if it was posted. */
    reason: string | null
  }[]
}

/** Answer of `POST /api/setup/alert`, for each way that is set. */
export interface AlertsSent {
  ways: readonly {
    way: 'channel' | 'email' | 'webhook'
    /** Reason why the alert was not sent; null if it was sent. */
    reason: string | null
  }[]
}
