import type { StoredFile } from './files'

/** Form data as the website sent it: any keys, any JSON values. Hostile until escaped. */
export type SubmissionData = Readonly<Record<string, unknown>>

/** Parts of a form beside its data; kept and erased with the data. */
export interface Envelope {
  /** Subject given by the form's page, in one line; hostile until escaped. */
  subject?: string
  /** One address that is valid in a mail header. */
  replyTo?: string
  files?: readonly StoredFile[]
}

/** A form field with its label and value for people; plain text, to be escaped. */
export interface Field {
  label: string
  value: string
  edited: boolean
  /** Value before the edits, if the field was edited and the value is known. */
  was?: string
}

/** Decisions of a reviewer. Edit & Forward is a forward whose data was edited first. */
export type Action = 'forward' | 'spam'

/** The acting user, as the platform names them. */
export interface Reviewer {
  id: string
  name: string
  /** Display name of the platform, e.g. `Slack`. */
  platform: string
  /** Name of the person in PEOPLE, which joins their accounts on all platforms. */
  person?: string
}

/** A person by all their names */
export interface PersonNames {
  /** All names by which a list can contain them, e.g. `slack:U1`, `discord:role:2`; without any they are on no list. */
  names?: readonly string[]
  /** Name in PEOPLE, if they have one */
  person?: string
}

/** An acting user, authenticated by the platform's signature just now, or by a session. */
export interface Person extends Reviewer, PersonNames {}

/** Reviewer to whom a submission is assigned. */
export interface Assignee extends Person {
  /** Identity on all platforms: `identityOf`. */
  who: string
  /** Start and automatic end of the assignment, epoch ms. */
  since: number
  until: number
  /** True if a list of reviewers allowed the assignment. The list is checked again later. */
  listed?: true
  /** Reviewer who assigned it to them; absent if they took it themselves. */
  by?: Reviewer
  /** Other reviewers who were warned of the assignment and may decide nevertheless; only the latest are kept. */
  warned?: readonly { who: string, at: number, press?: string }[]
}

/** Effect of an assignment on other reviewers: `soft` warns them once before they decide, `exclusive` stops them. */
export type LockMode = 'soft' | 'exclusive'

/**
 * Location of one card, with all that an edit in place needs. `isGivenUp`: its last edit was given up, but the card may
 * still exist.
 */
export interface CardRef {
  /** Key of the platform table, e.g. `slack`. */
  platform: string
  threadId: string
  messageId: string
  isGivenUp?: true
}

/**
 * Key of a delivery (`domain/deliveries`), such as `email`. A stored submission may name one that this version does not
 * have. `{}` keeps the keys of other work apart.
 */
export type Delivery = string & {}

/** Work that concerns no card and is no delivery. */
export type OtherWork = 'erasure' | 'confirm'

/** One effect that is still to be done. Stored with the submission, so that a crash cannot lose it. */
/** Effect of a piece of work, and its place */
export interface WorkTarget {
  /** `erasure` tells the endpoint that everything was erased; `confirm` tells the sender of the forward. */
  kind: 'post' | 'update' | 'remind' | 'tell' | OtherWork | Delivery
  /** Room of a `post`. */
  room?: string
  /** Card of an `update`, `remind` or `tell`. */
  card?: CardRef
}

export interface Work extends WorkTarget {
  /** Unique within the submission; repeating an effect in a later round needs another key. */
  key: string
  /** Failed attempts so far; `missed` counts the latest of them that did not find the card. */
  attempts: number
  missed?: number
  /** Reason of the last failure; one line for people, without form data or secrets. */
  reason?: string
  /** Epoch ms from which any process may lease it. Until then it waits, or its creator is doing it. */
  dueAt: number
  /** True for a `post` whose turn in the queue of its room has come: it is in progress until `dueAt`. */
  hasTurn?: boolean
  /** True if only the vendor's rate limit stopped the last attempt. */
  limited?: boolean
  /** True if the platform refused even the minimal card. It is tried again on request, or after hours. */
  refused?: boolean
}

export interface Decision {
  action: Action
  reviewer: Reviewer
  /** Epoch ms. */
  at: number
  /** True if reviewers edited any of the forwarded data, in this round or an earlier one. */
  edited?: boolean
  /** Addresses that receive the email instead of those of the form. */
  to?: readonly string[]
}

/**
 * Delivery status of an email, as its provider reports it. `complained`: a recipient marked it as spam. `suppressed`:
 * it was not sent, because an earlier one bounced.
 */
export type EmailStatus = 'sent' | 'delayed' | 'delivered' | 'complained' | 'suppressed' | 'failed' | 'bounced'

export interface Receipt {
  verdict: EmailStatus
  /** Reason in one line, from the provider or the recipient's server: hostile until escaped. */
  reason?: string
}

/** Latest transmission of a delivery. */
export interface SentDelivery {
  delivery: Delivery
  /** Hash of the content; empty once the form data was erased. */
  content: string
  /** Email addresses or host, for people. */
  to: readonly string[]
  /** Epoch ms. */
  at: number
  /** Message id at the provider, if it gave one. */
  messageId?: string
  /** Status of the email; absent while unknown. */
  receipt?: Receipt
}

export interface DeliveryFailure {
  delivery: Delivery
  /** One line for people, without form data or secrets. */
  reason: string
}

/** One event in the history of a submission, for the ops pages. No form data. */
export type HistoryEntry = { at: number } & (
  | { event: 'received' | 'held' | 'reminded' | 'expired' | 'confirmed' }
  /** `released`: a reviewer released the form from quarantine. */
  | { event: 'released' | 'erased', reviewer: Reviewer, press?: string }
  | { event: 'posted', room: string } | { event: 'posted', room?: undefined, /** In old entries. */ platform: string }
  | { event: 'card-deleted', room: string, hasAnother?: true }
  /** `press`: id of the click, equal if the platform sends it again: it decides once. `to`: see `Decision`. */
  | { event: 'claimed', action: Action, edited: boolean, reviewer: Reviewer, press?: string, to?: readonly string[] }
  /** `status`: HTTP status of an endpoint's answer. */
  | { event: 'delivered', delivery: Delivery, attempt?: number, status?: number }
  /** A failed attempt. `again` is the time of the next one, epoch ms, or null if it was given up. */
  | { event: 'failed', kind: Work['kind'], room?: string, reason: string, again: number | null }
  | { event: 'receipt', receipt: Receipt }
  /** Deliveries were given up, or the email came back: the submission needs another decision. */
  | { event: 'reopened' }
  /** A reviewer revoked the decision: the submission needs another one. */
  | { event: 'revoked', action: Action, reviewer: Reviewer, press?: string }
  /** A reviewer noted something, by an action of `shared/actions.ts` whose event is `noted`. */
  | { event: 'noted', action: string, reviewer: Reviewer, press?: string }
  /** The assignment began; `by` is set if somebody else assigned it. */
  | { event: 'taken', reviewer: Reviewer, by?: Reviewer, press?: string }
  | { event: 'returned', reviewer: Reviewer, press?: string }
  /** The assignment ended because its time was over, or (`left`) because the assignee may no longer decide. */
  | { event: 'freed', reviewer: Reviewer, left: boolean }
)

/** A submission without its form data: its history and its outstanding work. */
export interface SubmissionRecord {
  id: string
  /** Key of its form; absent for the default one. */
  form?: string
  /** Increases by one with every stored change; compare-and-set checks it. */
  version: number
  /** `held`: quarantined by the honeypot, no card. `settled`: decided and delivered. Pending: `open`, `settling`. */
  state: 'held' | 'open' | 'settling' | 'settled' | 'expired' | 'erased'
  /** Version in which the visible card content last changed; absent until a decision. */
  look?: number
  /** Epoch ms; the submission expires `SUBMISSION_TTL_MS` later. */
  receivedAt: number
  expiresAt: number
  /** True once the room was reminded that it expires soon. */
  reminded: boolean
  /** Keys of fields that reviewers edited. */
  edited: readonly string[]
  cards: readonly CardRef[]
  decision: Decision | null
  /**
   * Deadline for revoking the decision, epoch ms. Until then the data of spam is kept, and a forward is not delivered.
   * Absent if the decision cannot be revoked, or no longer.
   */
  revocableUntil?: number
  /**
   * Time (epoch ms) from which its cards hide the form; `begun` once their updates are due. Until then an ended
   * submission is kept for these updates, without form data.
   */
  collapse?: { at: number, begun?: true }
  /** Assignee; only open submissions have one. */
  holder?: Assignee
  /** Reviewer who had the form data erased. */
  erased?: { reviewer: Reviewer, at: number }
  work: readonly Work[]
  /** Deliveries that received the present data. After a reopening only an edit repeats them. */
  delivered: readonly Delivery[]
  /** Time until which the form data of a settled submission is kept to learn the status of its email, epoch ms. */
  keptUntil?: number
  /** Sender's address while the confirmation may still be sent; afterwards the time when it was sent, epoch ms. */
  confirmation?: { to: string, at?: undefined } | { at: number, to?: undefined }
  /** Latest transmission of each delivery, in any round. */
  sent?: readonly SentDelivery[]
  /** Deliveries that were given up in the last round. */
  failures: readonly DeliveryFailure[]
  /**
   * Oldest first; a long history keeps its first and its latest entries. A trace keeps only the click that made its
   * last decision, in `pressed`.
   */
  history: readonly HistoryEntry[]
  pressed?: string
}

/** A submission with its form data. Once it is over, only its trace is kept, which has no form data or field names. */
export interface Submission extends SubmissionRecord {
  /** Null once erased (spam, expiry, trace). */
  data: SubmissionData | null
  /** Absent without data, and if the form had nothing beside the data. */
  envelope?: Envelope
  /** Original values of the fields that reviewers edited; kept as long as the form data. */
  before?: SubmissionData
}

/**
 * Outcome of a decision. `failed`: its deliveries were given up and the submission is open again. `revoked`: a reviewer
 * took it back and it is open again. `released`: it left quarantine and became open. `erased`: its data was erased, in
 * any state.
 */
export type DecisionOutcome
  = 'forwarded' | 'edited' | 'spam' | 'expired' | 'failed' | 'revoked' | 'released' | 'erased'

/** Outcomes that do not end a submission. */
export const INTERIM_OUTCOMES: readonly DecisionOutcome[] = ['failed', 'revoked', 'released']

/** Line of the audit trail about a decision; kept longer than the submission and its trace, without form data. */
export interface AuditLine {
  id: string
  /** Key of its form; absent for the default one, and in lines of versions that did not store it. */
  form?: string
  outcome: DecisionOutcome
  /** Time of the outcome and arrival of the form, epoch ms. */
  at: number
  receivedAt: number
  reviewer: Reviewer | null
  /** Addresses that the reviewer chose for the email instead of those of the form. */
  to?: readonly string[]
}
