import type { StoredFile } from './files'

/** What a website sent: any keys, any JSON values. Hostile until escaped. */
export type SubmissionData = Readonly<Record<string, unknown>>

/** What came with a form beside the data; kept and erased with them. */
export interface Envelope {
  /** What its page says that it is about, in one line; hostile until escaped. */
  subject?: string
  /** One address, which a mail header can carry. */
  replyTo?: string
  files?: readonly StoredFile[]
}

/** A form field as people read it; plain text, to be escaped. */
export interface Field {
  label: string
  value: string
  edited: boolean
  /** What the sender wrote, of one that was edited, as far as that is known. */
  was?: string
}

/** What a reviewer can decide. Edit & Forward is a forward whose data was changed first. */
export type Action = 'forward' | 'spam'

/** Who clicked, as the platform names them. */
export interface Reviewer {
  id: string
  name: string
  /** Name of the platform as people know it, e.g. `Slack`. */
  platform: string
  /** Who that is on any platform, where PEOPLE says so. */
  person?: string
}

/** Somebody who acts, by what a platform signed just now, or a session. */
export interface Person extends Reviewer {
  /** Every name that a list may have for them, e.g. `slack:U1`, `discord:role:2`; without any they are on no list. */
  names?: readonly string[]
}

/** Whoever says of a submission that they are on it. */
export interface Assignee extends Person {
  /** Who that is wherever they act: `identityOf`. */
  who: string
  /** When it began, and when it ends by itself, epoch ms. */
  since: number
  until: number
  /** A list said that they may decide, and may not any more. */
  listed?: true
  /** Who gave it to them, when they did not take it themselves. */
  by?: Reviewer
  /** Others who were told, and may decide all the same; the latest. */
  warned?: readonly { who: string, at: number, press?: string }[]
}

/** What a holder means to others: a word before they decide, or that they cannot. */
export type LockMode = 'soft' | 'exclusive'

/** Where one card is: enough to edit it in place. `isGivenUp`: its last edit was; it may be there all the same. */
export interface CardRef {
  /** Key of the platform table, e.g. `slack`. */
  platform: string
  threadId: string
  messageId: string
  isGivenUp?: true
}

export type Delivery = 'email' | 'endpoint'

/** One effect that is still to happen. Stored with the submission, so a crash cannot lose it. */
export interface Work {
  /** Unique within the submission; a repeated effect of a later round has another key. */
  key: string
  /** `erasure` tells the endpoint that everything was erased, `confirm` the sender that the form was passed on. */
  kind: 'post' | 'update' | 'remind' | 'tell' | 'erasure' | 'confirm' | Delivery
  /** Room of a `post`. */
  room?: string
  /** Card of an `update`, `remind` or `tell`. */
  card?: CardRef
  /** Attempts that failed so far, and how many of the last ones did not find the card. */
  attempts: number
  missed?: number
  /** Why the last one failed; one line for people, without form data or secrets. */
  reason?: string
  /** Epoch ms from which anybody may take it; until then it waits, or its maker is doing it. */
  dueAt: number
  /** A `post` that has its turn in the queue of its room: it is on its way until `dueAt`. */
  hasTurn?: boolean
  /** The last attempt came too soon for its vendor, and nothing else is wrong. */
  limited?: boolean
  /** The platform refused even the minimal card: it is tried again when a person asks, or after hours. */
  refused?: boolean
}

export interface Decision {
  action: Action
  reviewer: Reviewer
  /** Epoch ms. */
  at: number
  /** Some of what was forwarded was edited by reviewers, in this round or an earlier one. */
  edited?: boolean
  /** Addresses to which the email goes instead of those of the form. */
  to?: readonly string[]
}

/**
 * What became of an email, as its provider tells. `complained`: a receiver marked it as spam. `suppressed`: it was not
 * sent, because an earlier one came back.
 */
export type EmailStatus = 'sent' | 'delayed' | 'delivered' | 'complained' | 'suppressed' | 'failed' | 'bounced'

export interface Receipt {
  verdict: EmailStatus
  /** Why, in one line of the provider's or the receiver's: hostile until escaped. */
  reason?: string
}

/** What a delivery was given last. */
export interface SentDelivery {
  delivery: Delivery
  /** Tells its content from another one; empty once the form data was erased. */
  content: string
  /** Addresses or host, for people. */
  to: readonly string[]
  /** Epoch ms. */
  at: number
  /** What the provider calls the message, where it says so. */
  messageId?: string
  /** What became of it; absent until anything is known. */
  receipt?: Receipt
}

export interface DeliveryFailure {
  delivery: Delivery
  /** One line for people, without form data or secrets. */
  reason: string
}

/** One thing that happened to a submission, for the ops pages. No form data. */
export type HistoryEntry = { at: number } & (
  | { event: 'received' | 'held' | 'reminded' | 'expired' | 'confirmed' }
  /** `released`: somebody judged that what was held is a form after all. */
  | { event: 'released' | 'erased', reviewer: Reviewer, press?: string }
  | { event: 'posted', room: string } | { event: 'posted', room?: undefined, /** As written once. */ platform: string }
  | { event: 'card-deleted', room: string, hasAnother?: true }
  /** `press`: the click, by an id that it keeps when it is sent again: it decides once. `to`: as `Decision` has it. */
  | { event: 'claimed', action: Action, edited: boolean, reviewer: Reviewer, press?: string, to?: readonly string[] }
  /** `status`: what an endpoint answered. */
  | { event: 'delivered', delivery: Delivery, attempt?: number, status?: number }
  /** An attempt at something; `again` is when it is tried next, epoch ms, or null when it was given up. */
  | { event: 'failed', kind: Work['kind'], room?: string, reason: string, again: number | null }
  | { event: 'receipt', receipt: Receipt }
  /** Deliveries were given up, or came back: it waits for a decision again. */
  | { event: 'reopened' }
  /** Somebody took the decision back: it waits for another one. */
  | { event: 'revoked', action: Action, reviewer: Reviewer, press?: string }
  /** Somebody has it from then on; `by` gave it to them. */
  | { event: 'taken', reviewer: Reviewer, by?: Reviewer, press?: string }
  | { event: 'returned', reviewer: Reviewer, press?: string }
  /** Nobody has it any more, because its time was over; `left`: because its holder may not decide any more. */
  | { event: 'freed', reviewer: Reviewer, left: boolean }
)

/** All of a submission but what its form said: what happened to it, and what is still to be done about it. */
export interface SubmissionRecord {
  id: string
  /** Key of its form; none for the default one. */
  form?: string
  /** Grows by one with every stored change; the fence for compare-and-set. */
  version: number
  /** `held`: in the honeypot, without a card. `settled`: decided and delivered. Pending: `open` and `settling`. */
  state: 'held' | 'open' | 'settling' | 'settled' | 'expired' | 'erased'
  /** The version with which what its cards show changed last; absent until a decision. */
  look?: number
  /** Epoch ms; it expires 7 days later. */
  receivedAt: number
  expiresAt: number
  /** The room was told that it expires soon. */
  reminded: boolean
  /** Keys that a reviewer changed. */
  edited: readonly string[]
  cards: readonly CardRef[]
  decision: Decision | null
  /**
   * Epoch ms: until then the decision can be taken back. The data of spam is kept as long, and of a forward nothing is
   * delivered before. Absent when it cannot be taken back, or not any more.
   */
  revocableUntil?: number
  /**
   * From when on (epoch ms) its cards show nothing of the form any more; `begun` once they are made to. Until then a
   * submission that is over is kept for it, without form data.
   */
  collapse?: { at: number, begun?: true }
  /** Who has it; only of one that is open. */
  holder?: Assignee
  /** Who erased it. */
  erased?: { reviewer: Reviewer, at: number }
  work: readonly Work[]
  /** Deliveries that have the data as it is now. When it is opened again, only an edit repeats them. */
  delivered: readonly Delivery[]
  /** Until when the form data of one that is settled is kept to hear what became of its email, epoch ms. */
  keptUntil?: number
  /** Where its sender is told that it was passed on, as long as that may happen; or when it did, epoch ms. */
  confirmation?: { to: string, at?: undefined } | { at: number, to?: undefined }
  /** What each delivery was given last, in any round. */
  sent?: readonly SentDelivery[]
  /** Deliveries that were given up in the last round. */
  failures: readonly DeliveryFailure[]
  /** Oldest first; the first and the latest when there were many. Of one that is over its last `press` is kept. */
  history: readonly HistoryEntry[]
  pressed?: string
}

/** What stays of one that is over is its trace, which has no form data, names of fields or work. */
export interface Submission extends SubmissionRecord {
  /** Null once erased (spam, expiry, the trace). */
  data: SubmissionData | null
  /** Absent without data, and where nothing came with them. */
  envelope?: Envelope
  /** What the sender wrote in fields that a reviewer changed, as long as there is form data. */
  before?: SubmissionData
}

/**
 * How a decision ended. `failed`: its deliveries were given up and the submission is open again. `revoked`: somebody
 * took it back, likewise. `released`: what was held became open. `erased`: its data was, whatever it was.
 */
export type DecisionOutcome
  = 'forwarded' | 'edited' | 'spam' | 'expired' | 'failed' | 'revoked' | 'released' | 'erased'

/** Outcomes after which a submission goes on. */
export const INTERIM_OUTCOMES: readonly DecisionOutcome[] = ['failed', 'revoked', 'released']

/** What the audit trail says of a decision, longer than the submission or its trace is kept: no form data. */
export interface AuditLine {
  id: string
  /** Key of its form; none for the default one, and in lines of versions that did not keep it. */
  form?: string
  outcome: DecisionOutcome
  /** When it was, and when the form came in, epoch ms. */
  at: number
  receivedAt: number
  reviewer: Reviewer | null
  /** Addresses that the reviewer chose for the email, instead of those of the form. */
  to?: readonly string[]
}
