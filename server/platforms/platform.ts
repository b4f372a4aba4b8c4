import type { SetupStep } from '../../shared/types/setup'
import type { Drafts } from '../ports/drafts'
import type { HttpClient } from '../ports/http'
import type { IdentityProvider } from '../ports/identity'
import type { Log } from '../ports/runtime'
import type { Require, Variable } from '../variable'
import type { Connection, ManifestVariant } from './connection'
import type { Platform } from './traits'

/** Tools for a platform while its variables are read */
export interface VariableReader {
  require: Require
  /** Reports a missing public URL. */
  requireSite: (why: string) => unknown
  /** True on a host that ends processes between requests: no connection can be kept open. */
  serverless: boolean
  /** Public URL of this service, without a trailing slash; empty when it is missing. */
  siteUrl: string
  /** Channels that forms name on this platform. */
  channels: readonly string[]
  /** People and groups of this platform that any list names, without the platform's key in front. */
  people: readonly string[]
}

/** True if the submission has a card with this message id on record. */
export type IsCardOf = (submissionId: string, messageId: string) => Promise<boolean>

/** Tools for connecting a platform */
interface Tools {
  isCardOf: IsCardOf
  drafts: Drafts
  log: Log
  http: HttpClient
  /** Public URL of this service, without a trailing slash; null if it is not set */
  siteUrl: string | null
}

/**
 * Everything that the service must know of a platform before using it. A definition imports no adapter and no SDK:
 * every start loads all definitions, and `connect` loads the rest when needed. `read` returns the `settings`, which
 * only the platform itself understands.
 */
export interface Definition extends Platform {
  /** Benefit of the platform, a sentence for the set-up page */
  about: string
  /** Lucide icon for the pages */
  icon: string
  /** All variables that it reads */
  variables: Readonly<Record<string, Variable>>
  /**
   * Required variables: if any of them or the channel's is set, all must be. Empty for a platform that is embedded in
   * this service; its only variable switches it on or off.
   */
  needs: readonly string[]
  /** Reason why the public URL is needed too, as the end of a sentence */
  needsSite?: string
  /** Format of a person on lists, without the key; `example` is for people */
  person: { id: RegExp, example: string }
  /** Format of a group of people on lists, without the key */
  group?: { id: RegExp, example: string }
  /** Returns the settings, once all required variables are set. */
  read(values: Readonly<Record<string, unknown>>, reading: VariableReader): unknown
  /** Reports missing settings even if the platform itself may not be wanted. */
  check?(values: Readonly<Record<string, unknown>>, reading: VariableReader): void
  /** Returns the set-up steps for this deployment. Until they are set, `siteUrl` is null and `settings` undefined. */
  setup(siteUrl: string | null, settings: unknown): SetupStep[]
  /** Returns the app manifest for this deployment, without secrets; null if it needs the public URL. */
  manifest?(siteUrl: string | null, settings: unknown, variant: ManifestVariant): object | null
  /** Text shown while installation by other people is possible but not set up */
  installOff?: string
  /** Its messages come through a socket instead of webhooks. */
  hasSocket?: true
  /** The platform first sends the webhook a GET, which its adapter answers. */
  verifiesWebhook?: true
  /** Largest webhook that it sends, bytes. Default: 1 MiB, far above what Slack, Discord and Telegram send */
  webhookBytes?: number
  /** Sign-in to the ops pages with this platform */
  signIn?: SignIn
  connect(settings: unknown, tools: Tools): Connection
}

interface SignIn {
  variables: Readonly<Record<string, Variable>>
  /** Required variables: if any is set, all must be. The first one names the people who may sign in */
  needs: readonly string[]
  /** @param values also contain the platform's own variables, because both share the base URLs */
  read(values: Readonly<Record<string, unknown>>): unknown
  provider(settings: unknown, http: HttpClient): IdentityProvider
}
