import type { Outcome } from './delivery'
import type { AuditLine, EmailStatus, Work } from './submission'
import type { Backlog } from './store'

/** Watches what the service does, for metrics and the status page. Nothing here waits, fails, or sees form data. */
export interface Monitor {
  /** A form was stored, as one to decide or to be held. */
  received(held: boolean): void
  /** One attempt at an outside effect took `ms`. */
  tried(work: Work, outcome: Outcome<unknown>, ms: number): void
  /** Something was tried that is no work of a submission: credentials, a test card, a test email. */
  probed(note: string, outcome: Outcome<unknown>): void
  /** A platform took a card of this room, and told later that it never arrived. */
  undelivered(room: string, reason: string): void
  /** A file of a form was stored or read; `reason` says why it was not. */
  filed(reason?: string): void
  /** A decision came to its end. */
  ended(line: AuditLine): void
  /** Somebody tried to decide a submission that does not belong to where they are. */
  misplaced(platform: string): void
  /** Somebody tried to decide a submission who is none of its reviewers. */
  refused(platform: string): void
  /** The mail provider told what became of an email. */
  told(verdict: EmailStatus, news: boolean): void
  /** The mail provider told something that is about no email on record. */
  toldForeign(): void
  /** Something happened that a person should look into. `detail` tells cases of one kind apart; never form data. */
  incident(kind: IncidentKind, detail?: string): void
  /** A webhook of a platform was answered after `ms`. */
  acknowledged(platform: string, status: number, ms: number): void
}

/** Kinds of incidents; `domain/operations/incidents.ts` has their texts. */
export type IncidentKind = 'unknown-submission' | 'misplaced' | 'guessed-passwords' | 'moved-channel'

/** Incidents of one kind and detail, until none happened for 24 h. Times in epoch ms. */
export interface Incident {
  kind: IncidentKind
  detail: string
  count: number
  since: number
  lastAt: number
}

/** What is asked anew whenever the metrics are. */
export interface Gauges {
  backlog: Backlog
  /** Those whose status cannot be read are left out. */
  gateways: readonly GatewayState[]
  /** Epoch ms. */
  now: number
}

/** Counts for Prometheus; each process has its own. */
export interface Metrics extends Omit<Monitor, 'probed'> {
  /** The text format, version 0.0.4; without `gauges` when they could not be asked. */
  expose(gauges: Gauges | null): Promise<{ contentType: string, body: string }>
}

/** How an outside part of the service is doing, as its users saw it last; times in epoch ms. */
export interface PartHealth {
  lastSuccessAt: number | null
  lastError: { at: number, reason: string } | null
  /** End of the latest pause that its vendor asked for, because too much came at once. */
  limitedUntil: number | null
}

/**
 * Remembers the last success and the last error of each part, shared by all replicas. Notes are made in the background,
 * a repeated success at most every 10 s; one that cannot be written is lost.
 */
export interface HealthBook {
  /**
   * @param error one line for people, without form data or secrets; none for a success
   * @returns when the outage began that this success ends, for exactly one of all replicas; else null. Never rejects.
   */
  note(part: string, at: number, error?: string): Promise<number | null>
  /** The vendor asks for a pause until then, epoch ms. */
  limit(part: string, until: number): void
  /** By part; one without a note is missing. Rejects when the notes cannot be reached, in less than 2 s. */
  read(): Promise<Readonly<Record<string, PartHealth>>>
  /** @param detail from a small set: each is kept for itself */
  count(kind: IncidentKind, detail: string, at: number): void
  /** Latest first. Rejects as `read` does. */
  incidents(now: number): Promise<readonly Incident[]>
}

/** `status` is null where it cannot be read. */
export interface GatewayState {
  platform: string
  label: string
  status: GatewayStatus | null
}

/** How a gateway's listener does, whichever replica runs it; times in epoch ms. */
export interface GatewayStatus {
  /** Host and process; null while nobody listens. */
  owner: string | null
  connectedSince: number | null
  /** Why nobody can listen before a setting is changed, for people; null for nothing of the kind. */
  refusal: string | null
  /** Of the present session. */
  resumes: number
  /** In the 24 hours that began with the first of them. */
  identifiesInDay: number
  lastEventAt: number | null
  lastForwardError: { at: number, reason: string } | null
  /** When the owner's time is up; null when it has no end. */
  nextRestartAt: number | null
  /** Events that were given up in the last week. */
  deadLetters: number
}
