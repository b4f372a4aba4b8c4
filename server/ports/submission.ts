/** What a website sent: any keys, any JSON values. Hostile until escaped. */
export type SubmissionData = Readonly<Record<string, unknown>>

/** What a reviewer can decide. Edit & Forward is a forward whose data was changed first. */
export type Action = 'forward' | 'spam'

/** Who clicked, as the platform names them. */
export interface Reviewer {
  id: string
  name: string
  /** Name of the platform as people know it, e.g. `Slack`. */
  platform: string
}

/** Where one card is: enough to edit it in place. */
export interface CardRef {
  /** Key of the platform table, e.g. `slack`. */
  platform: string
  threadId: string
  messageId: string
}

export type Delivery = 'email' | 'endpoint'

/** One effect that is still to happen. Stored with the submission, so a crash cannot lose it. */
export interface Work {
  /** Unique within the submission; a repeated effect of a later round has another key. */
  key: string
  kind: 'post' | 'update' | 'remind' | Delivery
  /** Room of a `post`. */
  room?: string
  /** Card of an `update` or `remind`. */
  card?: CardRef
  /** Attempts that failed so far. */
  attempts: number
  /** Why the last one failed; one line for people, without form data or secrets. */
  reason?: string
  /** Epoch ms from which anybody may take it; until then it waits, or its maker is doing it. */
  dueAt: number
  /** The platform refused even the minimal card: it is tried again when a person asks, or after hours. */
  refused?: true
}

export interface Decision {
  action: Action
  reviewer: Reviewer
  /** Epoch ms. */
  at: number
  /** Some of what was forwarded was edited by reviewers, in this round or an earlier one. */
  edited?: boolean
}

/** What a delivery was given last. */
export interface Sent {
  delivery: Delivery
  /** Tells its content from another one; empty once the form data was erased. */
  content: string
  /** Addresses or host, for people. */
  to: readonly string[]
  /** Epoch ms. */
  at: number
}

export interface Failure {
  delivery: Delivery
  /** One line for people, without form data or secrets. */
  reason: string
}

/** One thing that happened to a submission, for the ops pages. No form data. */
export type HistoryEntry = { at: number } & (
  | { event: 'received' | 'held' | 'reminded' | 'expired' }
  /** Somebody judged whether what was held is a form after all. */
  | { event: 'released' | 'deleted', reviewer: Reviewer }
  | { event: 'posted', platform: string }
  /** `press`: the click, by an id that it keeps when it is sent again: it decides once, also after a reopening. */
  | { event: 'claimed', action: Action, edited: boolean, reviewer: Reviewer, press?: string }
  | { event: 'delivered', delivery: Delivery }
  /** An attempt at something; `again` is when it is tried next, epoch ms, or null when it was given up. */
  | { event: 'failed', kind: Work['kind'], room?: string, reason: string, again: number | null }
  /** Deliveries were given up: it waits for a decision again. */
  | { event: 'reopened' }
)

/** A submission and everything that is still to be done about it. */
export interface Submission {
  id: string
  /** Key of its form; none for the default one. */
  form?: string
  /** Grows by one with every stored change; the fence for compare-and-set. */
  version: number
  /**
   * `held`: it fell into the honeypot, has no card, and waits for somebody to release or delete it. `settled`: decided
   * and delivered, only its cards have to follow. Only `open` and `settling` are pending.
   */
  state: 'held' | 'open' | 'settling' | 'settled' | 'expired'
  /** The version with which what its cards show changed last; absent until a decision. */
  look?: number
  /** Epoch ms. */
  receivedAt: number
  /** Epoch ms: `receivedAt` + 7 days. */
  expiresAt: number
  /** Null once erased (spam, expiry). */
  data: SubmissionData | null
  /** The room was told that it expires soon. */
  reminded: boolean
  /** Keys that a reviewer changed. */
  edited: readonly string[]
  cards: readonly CardRef[]
  decision: Decision | null
  work: readonly Work[]
  /** Deliveries that have the data as it is now. When it is opened again, only an edit repeats them. */
  delivered: readonly Delivery[]
  /** What each delivery was given last, in any round. */
  sent?: readonly Sent[]
  /** Deliveries that were given up in the last round. */
  failures: readonly Failure[]
  /** Oldest first; the first and the latest when there were many. */
  history: readonly HistoryEntry[]
}

/**
 * How a decision ended. `failed`: its deliveries were given up and the submission is open again. `released`, `deleted`:
 * what was held became open, or was erased.
 */
export type DecisionOutcome = 'forwarded' | 'edited' | 'spam' | 'expired' | 'failed' | 'released' | 'deleted'

/** Outcomes after which a submission goes on. */
export const INTERIM_OUTCOMES: readonly DecisionOutcome[] = ['failed', 'released']

/** The trace of a decision, kept after the submission is gone: no form data. */
export interface AuditLine {
  id: string
  /** Key of its form; none for the default one, and in lines of versions that did not keep it. */
  form?: string
  outcome: DecisionOutcome
  /** Epoch ms. */
  at: number
  reviewer: Reviewer | null
  /** When the form came in, epoch ms. */
  receivedAt: number
}
