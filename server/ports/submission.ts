import type { StoredFile } from './files'

/** Form data as the website sent it: any keys, any JSON values. Escape it: it may be hostile. */
export type SubmissionData = Readonly<Record<string, unknown>>

/** Parts of a form besides its data; kept and erased together with the data. */
export interface Envelope {
  /** Subject from the form's page, in one line; escape it. */
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

/** Decisions of a reviewer. Edit & Forward counts as a forward. */
export type Action = 'forward' | 'spam'

/** The acting user, as the platform names them. */
export interface Reviewer {
  id: string
  name: string
  /** Display name of the platform, e.g. `Slack`. */
  platform: string
  /** Name of the person in the setting PEOPLE, which links their accounts on all platforms. */
  person?: string
}

/** A person by all their names */
export interface PersonNames {
  /**
   * All names that a list can use for the person, e.g. `slack:U1` or `discord:role:2`; if absent, they are on no list.
   */
  names?: readonly string[]
  /** Name in the setting PEOPLE, if any */
  person?: string
}

/** An acting user, authenticated by the signature on the platform's request, or by a session. */
export interface Person extends Reviewer, PersonNames {}

/** Reviewer to whom a submission is assigned. */
export interface Assignee extends Person {
  /** Identity on all platforms, from `identityOf`. */
  who: string
  /** Start and automatic end of the assignment, epoch ms. */
  since: number
  until: number
  /** True if a list of reviewers allowed the assignment. The list is checked again later. */
  listed?: true
  /** Reviewer who assigned it to them; absent if they took it themselves. */
  by?: Reviewer
  /** Other reviewers who were warned about the assignment, so that they may decide; only the latest are kept. */
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
  /** True for a copy in a channel that only reads: it has no buttons, and nobody decides there. */
  isCopy?: true
}

/**
 * Id of a destination (`Destination.id`), such as `email` or `endpoint:CRM`. A stored submission may name one that is
 * not configured any more, or of a kind that this version does not have. `{}` stops TypeScript from merging literal
 * types into `string`.
 */
export type Delivery = string & {}

/** Work besides deliveries and cards. */
export type OtherWork = 'erasure' | 'confirm'

/** Kind of a piece of work, and its room or card */
export interface WorkTarget {
  /** `erasure` notifies the endpoint of an erasure; `confirm` notifies the sender of the forward. */
  kind: 'post' | 'update' | 'remind' | 'tell' | OtherWork | Delivery
  /** Room of a `post`. */
  room?: string
  /** Card of an `update`, `remind` or `tell`. */
  card?: CardRef
  /** Receiver of an `erasure`; the endpoint if absent. */
  delivery?: Delivery
}

/** One effect that is not done yet. Stored with the submission, so that a crash cannot lose it. */
export interface Work extends WorkTarget {
  /** Unique within the submission; the same work in a later round has another key. */
  key: string
  /** Failed attempts so far; `missed` counts the latest of them that did not find the card. */
  attempts: number
  missed?: number
  /** Reason of the last failure; one line for people, without form data or secrets. */
  reason?: string
  /** Time from which any process may lease it, epoch ms. Until then it waits, or its creator is doing it. */
  dueAt: number
  /** True for a `post` that has left the queue of its room: it is in progress until `dueAt`. */
  hasTurn?: boolean
  /** True if the last attempt failed only because of the vendor's rate limit. */
  limited?: boolean
  /** True if the platform refused even the minimal card. It is tried again on request, or after hours. */
  refused?: boolean
  /** True if the answer to an earlier attempt was lost. */
  mayHaveArrived?: true
  /** Time after which a delivery that failed is given up, epoch ms. */
  endAt?: number
  /** True for a `tell` about deliveries that were given up. */
  isAboutFailure?: true
}

export interface Decision {
  action: Action
  reviewer: Reviewer
  /** Epoch ms. */
  at: number
  /** True if reviewers edited any of the forwarded data, in this or an earlier round. */
  edited?: boolean
  /** Addresses that receive the email instead of those of the form. */
  to?: readonly string[]
  /** Email that goes to them; the first one of the form if absent. */
  toOf?: Delivery
}

/**
 * Delivery status of an email, as its provider reports it. `complained`: a recipient marked it as spam. `suppressed`:
 * the email was not sent, because an earlier one bounced.
 */
export type EmailStatus = 'sent' | 'delayed' | 'delivered' | 'complained' | 'suppressed' | 'failed' | 'bounced'

export interface Receipt {
  verdict: EmailStatus
  /** Reason in one line, from the provider or the recipient's server; escape it. */
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
  /** HTTP status of the answer. */
  status?: number
  /** Status of the email; absent while unknown. */
  receipt?: Receipt
  /** Recipients whom the mail server refused, while the others (`to`) have the email. */
  refused?: readonly string[]
  /** True if the answer to an earlier attempt was lost, so that the recipients may have it twice. */
  mayBeTwice?: true
}

export interface DeliveryFailure {
  delivery: Delivery
  /** One line for people, without form data or secrets. */
  reason: string
}

/** Facts about an attempt at a delivery; entries of older versions have fewer. */
export interface AttemptFacts {
  /** Duration, ms. */
  ms?: number
  /** HTTP or SMTP status of the answer. */
  status?: number
  /** Beginning of the answer, from `redactedAnswer`: without values of the form. Erased with the form data. */
  answer?: string
}

interface Repeated {
  /** Number of failures that the entry stands for, and the time of the first, epoch ms; absent for one. */
  count?: number
  since?: number
}

/** One event in the history of a submission, for the ops pages. No form data. */
export type HistoryEntry = { at: number } & (
  | { event: 'received' | 'reminded' | 'expired' | 'confirmed' }
  /** `failedCheck`: its sender failed the human check; otherwise the honeypot caught the form. */
  | { event: 'held', failedCheck?: true }
  /** `released`: a reviewer released the form from quarantine. */
  | { event: 'released' | 'erased', reviewer: Reviewer, press?: string }
  | { event: 'posted', room: string } | { event: 'posted', room?: undefined, /** In old entries. */ platform: string }
  | { event: 'card-deleted', room: string, hasAnother?: true }
  /**
   * `press`: id of the click, the same if the platform sends it again, so that it decides once. `to`: see `Decision`.
   */
  | { event: 'claimed', action: Action, edited: boolean, reviewer: Reviewer, press?: string, to?: readonly string[] }
  | { event: 'delivered', delivery: Delivery, attempt?: number } & AttemptFacts
  /**
   * A failed attempt. `again` is the time of the next one, epoch ms, or null if it was given up. Failures that differ
   * in time only are one entry.
   */
  | { event: 'failed', kind: Work['kind'], room?: string, reason: string, again: number | null }
  & Repeated & AttemptFacts
  | { event: 'receipt', receipt: Receipt }
  /** Deliveries were given up, or the email bounced: the submission needs another decision. */
  | { event: 'reopened' }
  /** A reviewer revoked the decision: the submission needs another one. */
  | { event: 'revoked', action: Action, reviewer: Reviewer, press?: string }
  /** A reviewer added a note; `action` is an action of `shared/actions.ts` with the event `noted`. */
  | { event: 'noted', action: string, reviewer: Reviewer, press?: string }
  /** The assignment began; `by` is set if somebody else assigned it. */
  | { event: 'taken', reviewer: Reviewer, by?: Reviewer, press?: string }
  | { event: 'returned', reviewer: Reviewer, press?: string }
  /** The assignment timed out or, if `left` is true, the assignee may no longer decide. */
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
   * Absent if the decision cannot be revoked (any more).
   */
  revocableUntil?: number
  /**
   * `at`: time from which cards hide the form data, epoch ms. `begun`: true once the cards are being updated for this.
   * Until then an ended submission is kept without its form data.
   */
  collapse?: { at: number, begun?: true }
  /** Assignee; only open submissions have one. */
  holder?: Assignee
  /** Reviewer who requested the erasure, and its time. */
  erased?: { reviewer: Reviewer, at: number }
  work: readonly Work[]
  /** Deliveries that received the present data. After a reopening they are repeated only if the data is edited. */
  delivered: readonly Delivery[]
  /** Time until which the form data of a settled submission is kept, epoch ms, e.g. to wait for its email's status. */
  keptUntil?: number
  /** `to`: sender's address, until the confirmation is sent. `at`: time when it was sent, epoch ms. */
  confirmation?: { to: string, at?: undefined } | { at: number, to?: undefined }
  /** Latest transmission of each delivery, in any round. */
  sent?: readonly SentDelivery[]
  /** Deliveries that were given up in the last round. */
  failures: readonly DeliveryFailure[]
  /**
   * Oldest first; a long history keeps its first and its latest entries. A trace keeps only the click of its last
   * decision, in `pressed`.
   */
  history: readonly HistoryEntry[]
  pressed?: string
}

/** A submission with its form data. Once it is over, only its trace is kept, without form data or field names. */
export interface Submission extends SubmissionRecord {
  /** Null once erased (spam, expiry, trace). */
  data: SubmissionData | null
  /** Absent if the data was erased, or if the form had nothing besides its data. */
  envelope?: Envelope
  /** Original values of the fields that reviewers edited; kept as long as the form data. */
  before?: SubmissionData
}

/**
 * Outcome of a decision. `failed`: its deliveries were given up and the submission is open again. `revoked`: a reviewer
 * undid it and the submission is open again. `released`: the submission left quarantine and is open. `erased`: the form
 * data was erased, in any state.
 */
export type DecisionOutcome
  = 'forwarded' | 'edited' | 'spam' | 'expired' | 'failed' | 'revoked' | 'released' | 'erased'

/** Outcomes that do not end a submission. */
export const INTERIM_OUTCOMES: readonly DecisionOutcome[] = ['failed', 'revoked', 'released']

/** Line of the audit trail about a decision; kept longer than the submission and its trace, without form data. */
export interface AuditLine {
  id: string
  /** Key of its form; absent for the default form, and in lines of older versions. */
  form?: string
  outcome: DecisionOutcome
  /** Time of the outcome and arrival of the form, epoch ms. */
  at: number
  receivedAt: number
  reviewer: Reviewer | null
  /** Addresses that the reviewer chose for the email, instead of the form's addresses. */
  to?: readonly string[]
}
