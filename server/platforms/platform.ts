import type { SetupStep } from '../../shared/types/setup'
import type { Drafts } from '../ports/drafts'
import type { HttpClient } from '../ports/http'
import type { IdentityProvider } from '../ports/identity'
import type { Log } from '../ports/runtime'
import type { Require, Variable } from '../variable'
import type { Connection, ManifestVariant } from './connection'
import type { Platform } from './traits'

/** What a platform may ask for while its variables are read. */
export interface VariableReader {
  require: Require
  /** Reports that the public URL is missing, when it is. */
  requireSite: (why: string) => unknown
  /** Public URL of this service, without a trailing slash; empty when it is missing. */
  siteUrl: string
  /** Channels that forms name on this platform. */
  channels: readonly string[]
  /** People and groups of this platform on any list, without its key. */
  people: readonly string[]
}

/** Tells whether a submission has a card with this message id on record. */
export type IsCardOf = (submissionId: string, messageId: string) => Promise<boolean>

/** What connecting a platform may use. */
interface Tools {
  isCardOf: IsCardOf
  drafts: Drafts
  log: Log
  http: HttpClient
  /** Public URL of this service, without a trailing slash; null when nobody said it. */
  siteUrl: string | null
}

/**
 * Everything that the house has to know of a platform before it is used. A definition imports no adapter and no SDK:
 * all of them are read at every start, and `connect` loads the rest when it is needed. What `read` makes of the
 * variables comes back as `settings`, and is known to the platform alone.
 */
export interface Definition extends Platform {
  /** What it brings, in a sentence of the set-up page. */
  about: string
  /** Of Lucide, for the pages. */
  icon: string
  /** Every variable that it reads. */
  variables: Readonly<Record<string, Variable>>
  /**
   * Any of them, or its channel's, asks for all. None: it is embedded in this service, and its only variable switches
   * it on or off.
   */
  needs: readonly string[]
  /** Why the public URL is needed too; a sentence's end. */
  needsSite?: string
  /** How lists name a person, without the key; `example` is for people. */
  person: { id: RegExp, example: string }
  /** How lists name a group of people, without the key. */
  group?: { id: RegExp, example: string }
  /** Its settings, once everything that it needs is there. */
  read(values: Readonly<Record<string, unknown>>, reading: VariableReader): unknown
  /** Reports what is missing although the platform itself may not be wanted. */
  check?(values: Readonly<Record<string, unknown>>, reading: VariableReader): void
  /** How it is set up for this deployment. `siteUrl` is null, and `settings` undefined, while nobody said them. */
  setup(siteUrl: string | null, settings: unknown): SetupStep[]
  /** What an app for this deployment is created from, without secrets. */
  manifest?(siteUrl: string, settings: unknown, variant: ManifestVariant): object
  /** Where others may install the app: what people read while that is not set up. */
  installOff?: string
  /** Its messages come through a socket instead of webhooks. */
  hasSocket?: true
  /** It asks for the webhook with GET, which its adapter answers, before it sends anything there. */
  verifiesWebhook?: true
  /** Largest webhook that it sends, bytes. Absent for 1 MiB, far above what Slack, Discord and Telegram send. */
  webhookBytes?: number
  /** Signing in to the ops pages with it. */
  signIn?: SignIn
  connect(settings: unknown, tools: Tools): Connection
}

interface SignIn {
  variables: Readonly<Record<string, Variable>>
  /** Any of them asks for all; the first one names the people who are let in. */
  needs: readonly string[]
  /** @param values those of the platform, too: its addresses are the same */
  read(values: Readonly<Record<string, unknown>>): unknown
  provider(settings: unknown, http: HttpClient): IdentityProvider
}
