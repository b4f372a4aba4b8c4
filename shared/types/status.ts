import type { GatewayState, PartHealth } from '../../server/ports/monitor'
import type { Backlog, HourTally } from '../../server/ports/store'
import type { AuditLine } from '../../server/ports/submission'

/** Clock error above which the status page advises to set the clock, ms. */
export const CLOCK_OFF_MS = 30_000

/** Delay after which due work is reported as not running, ms: schedulers of serverless hosts run once a minute. */
export const UNDONE_MS = 5 * 60_000

/**
 * `limited`: the vendor asked for a pause because of its rate limit. `unused`: never tried. `unknown`: its record
 * cannot be read.
 */
export type FactState = 'ok' | 'failing' | 'limited' | 'unused' | 'unknown'

/** One independent fact about a part: a platform may accept our credentials and refuse every card. */
export interface Fact extends PartHealth {
  /** E.g. `Cards`; empty for a part with a single fact. */
  about: string
  state: FactState
}

/**
 * An outside part with the state of its worst fact. `waiting`: its app is not installed anywhere, so cards wait too.
 */
export interface StatusPart extends PartHealth {
  key: string
  label: string
  state: FactState | 'waiting'
  facts: readonly Fact[]
  /** Outstanding step, and how to complete it. */
  waits?: string
  /** Permanent fact in one line, for people. */
  note?: string
  /** Deliveries that failed or wait at a destination; absent if there are none, and for other parts. */
  queue?: {
    failed: number
    waiting: number
    /** True if more than was read for these numbers. */
    isMore: boolean
    /** Beginning of the last answer, without values of forms. */
    answer: string | null
  }
}

/** Part of the status that needs only the store; times in epoch ms. Values are null while the store does not answer. */
export interface Status {
  /** Time of this answer. */
  now: number
  /** Time since which forms are refused because they cannot be stored; null while they are accepted. */
  refusingSince: number | null
  /** Recommended changes to a working store; one line each. */
  advice: readonly string[]
  parts: readonly StatusPart[]
  /** Incidents that a person should look into, latest first. */
  incidents: readonly StatusIncident[] | null
  backlog: Backlog | null
  tally: readonly HourTally[] | null
  /**
   * Lead of this machine's clock over the store's clock, ms; negative when it is behind. All processes use the store's
   * clock.
   */
  clockAheadMs: number
  /**
   * Oldest submissions with a refused delivery or card, or one that was given up: a person must act. `backlog.stuck`
   * counts all.
   */
  stuck: readonly Stuck[] | null
  /** Parts that gave up work of the oldest 100 stuck submissions, or refused cards of these. */
  givenUp: readonly string[] | null
  /** Assignments per assignee, most first, of the newest 100 assigned submissions. Also null if assignment is off. */
  holders: readonly { name: string, platform: string, count: number }[] | null
  /** Newest lines of the audit trail. */
  audit: readonly AuditLine[] | null
}

/** Answer of `POST /api/status/retry`. */
export interface TriedAgain {
  /** Number of submissions that are being retried. */
  tried: number
  /** Number of submissions not retried: the reviewer may not decide them, or somebody else is their assignee. */
  left: number
  /** Reason why the first of these was not retried. */
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
  /** Start of the process that answered. */
  startedAt: number
  /** `status` is null if it cannot be read. */
  gateways: readonly GatewayState[]
  config: readonly ConfigArea[]
  /** Missing settings; one line each. */
  missing: readonly string[]
  /** People who may decide: one line for all forms, and one for each form with its own reviewers. */
  decides: readonly string[]
}

/** Variables of an area, and whether each is set; never their values. */
export interface ConfigArea {
  area: string
  variables: { name: string, alias?: string, about: string, where?: string, set: boolean }[]
}
