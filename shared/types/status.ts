import type { GatewayState, PartHealth } from '../../server/ports/monitor'
import type { Backlog, HourTally } from '../../server/ports/store'
import type { AuditLine } from '../../server/ports/submission'

/** A clock that is off by more should be set, ms. */
export const CLOCK_OFF_MS = 30_000

/** Work that was due for longer is taken by nobody, ms: schedulers of serverless hosts come once a minute. */
export const UNDONE_MS = 5 * 60_000

/**
 * `limited`: too much came at once, and the vendor asks for a pause. `unused`: it was never tried. `unknown`: the notes
 * about it cannot be read.
 */
export type FactState = 'ok' | 'failing' | 'limited' | 'unused' | 'unknown'

/** One thing that is known of a part by itself: a platform may take our credentials and refuse every card. */
export interface Fact extends PartHealth {
  /** E.g. `Cards`; empty where it is all that is known. */
  about: string
  state: FactState
}

/**
 * An outside part and how it does, by the worst of its facts. `waiting`: its app is installed nowhere, so that cards
 * wait, too.
 */
export interface StatusPart extends PartHealth {
  key: string
  label: string
  state: FactState | 'waiting'
  facts: readonly Fact[]
  /** What it waits for, and what to do. */
  waits?: string
}

/**
 * What of a status needs no more than the store; times in epoch ms. What is null is not known, because the store is
 * away.
 */
export interface Status {
  /** Of this answer. */
  now: number
  /** From when on forms are refused because they cannot be stored; null while they are taken in. */
  refusingSince: number | null
  /** What is to be changed about the store although it works; one line each. */
  advice: readonly string[]
  parts: readonly StatusPart[]
  /** Things that a person should look into, latest first. */
  incidents: readonly StatusIncident[] | null
  backlog: Backlog | null
  tally: readonly HourTally[] | null
  /**
   * By how much the clock of this process's machine is ahead of the store's, by which all go; ms, less than 0 when
   * behind.
   */
  clockAheadMs: number
  /**
   * The oldest of those that wait for a person because a delivery or a card was refused or given up; `backlog.stuck`
   * counts all.
   */
  stuck: readonly Stuck[] | null
  /** Parts that gave up some of the oldest 100 of them, or refused their cards. */
  givenUp: readonly string[] | null
  /** Who has how many, most first; of the newest 100 that somebody has. Null also where people take nothing. */
  holders: readonly { name: string, platform: string, count: number }[] | null
  /** The newest lines of the audit trail. */
  audit: readonly AuditLine[] | null
}

/** Answer of `POST /api/status/retry`. */
export interface TriedAgain {
  /** Submissions that are being tried again. */
  tried: number
  /** Submissions that the reviewer may not decide, or that are assigned to somebody else. */
  left: number
  /** Why, for the first of them. */
  reason: string | null
}

/** Times in epoch ms. */
export interface StatusIncident {
  /** For people, without form data. */
  text: string
  since: number
  lastAt: number
}

/** Texts for people, without form data. */
interface Stuck {
  id: string
  /** E.g. `Could not be posted to Slack`. */
  what: string
  reason: string
}

export interface StatusReport extends Status {
  version: string
  /** When the process that answered started. */
  startedAt: number
  /** `status` is null where it cannot be read. */
  gateways: readonly GatewayState[]
  config: readonly ConfigArea[]
  /** What is not set and therefore missing; one line each. */
  missing: readonly string[]
  /** Who may decide; one line for all forms, and one for each that says it for itself. */
  decides: readonly string[]
}

/** Which variables of an area are set; never their values. */
export interface ConfigArea {
  area: string
  variables: { name: string, alias?: string, about: string, where?: string, set: boolean }[]
}
