import type { Outcome } from './delivery'
import type { AuditLine, EmailStatus, Work } from './submission'
import type { Backlog } from './store'

/** Records events for metrics and the status page. No method waits or fails; none gets form data. */
export interface Monitor {
  /** A form was stored, as open or as quarantined (`held`). */
  received(held: boolean): void
  /** One attempt at an outside effect took `ms`. */
  tried(work: Work, outcome: Outcome<unknown>, ms: number): void
  /** Credentials, a test card or a test email was tried. */
  probed(note: string, outcome: Outcome<unknown>): void
  /** A platform accepted a card for this room, but reported later that the card was not delivered. */
  undelivered(room: string, reason: string): void
  /** A file of a form was stored or read; `reason` is set if that failed. */
  filed(reason?: string): void
  /** A line was added to the audit trail. */
  ended(line: AuditLine): void
  /** Somebody tried to decide a submission from a place that it does not belong to. */
  misplaced(platform: string): void
  /** Somebody who is not a reviewer of the submission tried to decide it. */
  refused(platform: string): void
  /** The mail provider reported the status of an email; `news` is false if the status was already recorded. */
  told(verdict: EmailStatus, news: boolean): void
  /** The mail provider reported the status of an unknown email. */
  toldForeign(): void
  /** Something happened that a person should look into. `detail` separates cases of one kind; never form data. */
  incident(kind: IncidentKind, detail?: string): void
  /** A webhook of a platform was answered after `ms`. */
  acknowledged(platform: string, status: number, ms: number): void
}

/** Kinds of incidents; `domain/operations/status.ts` has their texts. */
export type IncidentKind = 'unknown-submission' | 'misplaced' | 'guessed-passwords' | 'moved-channel'

/** Incidents of one kind and detail, kept for 24 h after the last one. Times in epoch ms. */
export interface Incident {
  kind: IncidentKind
  detail: string
  count: number
  since: number
  lastAt: number
}

/** Values that are read for each request of the metrics. */
export interface Gauges {
  backlog: Backlog
  /** Gateways whose status cannot be read are left out. */
  gateways: readonly GatewayState[]
  /** Epoch ms. */
  now: number
}

/** Counters for Prometheus; each process has its own. */
export interface Metrics extends Omit<Monitor, 'probed'> {
  /** Renders the text format, version 0.0.4; `gauges` is null if they could not be read. */
  expose(gauges: Gauges | null): Promise<{ contentType: string, body: string }>
}

/** Health of an external service, from its latest use; times in epoch ms. */
export interface PartHealth {
  lastSuccessAt: number | null
  lastError: { at: number, reason: string } | null
  /** End of the latest pause for the vendor's rate limit. */
  limitedUntil: number | null
  /** Start of an outage that goes on; absent if there is none. */
  failingSince?: number
}

/**
 * Stores the last success and the last error of each part, shared by all replicas. Notes are written in the background,
 * a repeated success at most every 10 s. A note that cannot be written is lost.
 */
export interface HealthBook {
  /**
   * @param error one line for people, without form data or secrets; absent for a success
   * @returns start of the outage, if this success ends it; only one replica gets it, all others get null. Never
   * rejects.
   */
  note(part: string, at: number, error?: string): Promise<number | null>
  /** Records the end of a pause that the vendor asked for, epoch ms. */
  limit(part: string, until: number): void
  /** Returns the health of each part that has a note. Rejects when the notes cannot be reached, in less than 2 s. */
  read(): Promise<Readonly<Record<string, PartHealth>>>
  /** @param detail one of few possible values; each value has its own count */
  count(kind: IncidentKind, detail: string, at: number): void
  /** Latest first. Rejects as `read` does. */
  incidents(now: number): Promise<readonly Incident[]>
}

/** `status` is null if it cannot be read. */
export interface GatewayState {
  platform: string
  label: string
  /** Name of what brings clicks and messages; absent if it brings messages only, as Discord's gateway does. */
  outgoing?: string
  status: GatewayStatus | null
}

/** Status of a gateway's listener, on any replica; times in epoch ms. */
export interface GatewayStatus {
  /** Host and process; null while there is no listener. */
  owner: string | null
  connectedSince: number | null
  /** Text for people if no listener can run until a setting is changed; otherwise null. */
  refusal: string | null
  /** Resumes of the present session; reconnections of a platform without sessions. */
  resumes: number
  /** Number of IDENTIFY requests in the 24 hours since the first of them; absent if the platform has none. */
  identifiesInDay?: number
  lastEventAt: number | null
  lastForwardError: { at: number, reason: string } | null
  /** Time at which the owner must stop; null if its running time is unlimited. */
  nextRestartAt: number | null
  /** Events that were given up in the last week. */
  deadLetters: number
}

/** Outage of one part; times in epoch ms. */
export interface Outage {
  since: number
  /** Ways on which the outage was announced; false if the attempt failed. */
  told: Readonly<Record<string, boolean>>
  /** End of the outage; set while some way still lacks the all-clear. */
  endedAt?: number
}

/** State of the alerts, shared by all replicas; times in epoch ms. */
export interface AlertState {
  /** Outages by part. */
  outages: Readonly<Record<string, Outage>>
  /** Times of the messages of the last hour, by way. */
  sentAt: Readonly<Record<string, readonly number[]>>
  /** Replica that speaks while the store does not answer. */
  speaker: { id: string, until: number } | null
}

export interface AlertBook {
  /**
   * Changes the state in one step, over all replicas. `next` may run several times; only its last result counts.
   * Rejects when the store cannot be reached.
   */
  change<T>(next: (state: AlertState) => { state: AlertState, result: T }): Promise<T>
}
