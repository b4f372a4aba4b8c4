import type {
  Action, CardRef, LockMode, Delivery, Envelope, Person, Receipt, Reviewer, SentDelivery, Submission, SubmissionData,
  Work,
} from '../../ports/submission'

interface FailureDetails {
  /** Room of the work, if it has one. */
  room?: string
  /** The platform refused a card because of its content. */
  refused?: boolean
  /** The card was not found. */
  gone?: boolean
  /** The vendor's rate limit was hit. */
  limited?: boolean
}

/** Everything that can happen to a submission */
export type LifecycleEvent
  = | { type: 'received', id: string, form?: string, data: SubmissionData, rooms: readonly string[] } & Reception
    /** A reviewer releases a quarantined form. */
    | { type: 'released', reviewer: Reviewer, rooms: readonly string[], press?: string }
    /** Somebody has the form data erased, in whatever state the submission is. */
    | { type: 'erased', reviewer: Reviewer, press?: string, /** True if the endpoint is notified. */ told?: boolean }
    | {
      type: 'claimed'
      action: Action
      reviewer: Reviewer
      deliveries: readonly Delivery[]
      edit?: Edit
      /** Addresses for the email, instead of those of the form. */
      to?: readonly string[]
      /** Address for the confirmation after the email was sent, unless an earlier round already sent one. */
      confirm?: string
      card?: CardRef
      press?: string
      /** Digest of the form data that was approved; other data is not decided. */
      content?: string
      /** Time in which the decision can be taken back, ms; absent if it cannot be. */
      revocableMs?: number
      /** Identity (`identityOf`) of the reviewer, and lock mode for assignments of others; absent if these are off. */
      heeds?: { who: string, rule: LockMode }
    }
    /** Somebody takes the decision back. */
    | { type: 'revoked', action: Action, reviewer: Reviewer, press?: string }
    /**
     * The person becomes the assignee for `forMs` ms. `by`: who assigned it to them, even if somebody else had it.
     * `listed`: the form has a list of reviewers.
     */
    | { type: 'taken', person: Person, forMs: number, listed?: boolean, by?: Reviewer } & Press
    /** The assignee hands it back; `who` comes from `identityOf`. */
    | { type: 'returned', who: string } & Press
    /** The assignment timed out, or its assignee, if that is `left`, may not decide any more. */
    | { type: 'freed', left?: string }
    /** Somebody, by `identityOf`, is warned that another person has it. */
    | { type: 'warned', who: string, press?: string }
    /** A reviewer notes something: the name of an action, whose text cards and history show. */
    | { type: 'noted', action: string, reviewer: Reviewer } & Press
    /** The cards stop showing the form data. */
    | { type: 'collapsing' }
    /** Spam cannot be taken back any more, or no receipt is awaited any more. */
    | { type: 'forgotten' }
    /** `card`: its failed update is retried now. */
    | { type: 'leased', keys: readonly string[], card?: CardRef }
    | { type: 'done', key: string } & Done
    | { type: 'failed', key: string, reason: string, retryAt: number | null } & FailureDetails
    /** Somebody deleted a card; `room` has none now. `undelivered`: why the card never arrived, if it did not. */
    | { type: 'card-deleted', card: CardRef, room: string | null, undelivered?: string }
    /** Cards that the platform refused are tried again. */
    | { type: 'post-again' }
    /** A platform, or the receiver of a delivery, works again: retry early what failed there. */
    | { type: 'pulled', vendor: string }
    /** Work that only waits for its turn: no attempt is counted. */
    | { type: 'put-off', key: string, until: number }
    /** The card of this room is next. */
    | { type: 'turn', room: string }
    | { type: 'expiring' }
    | { type: 'expired' }
    /** The mail provider reported the status of an email. */
    | { type: 'receipt', messageId: string, receipt: Receipt }

/** Events that depend on the stored version they are applied to */
export type EventsOn = (submission: Submission) => readonly LifecycleEvent[]

/** Event of one type */
export type EventOf<Type extends LifecycleEvent['type']> = LifecycleEvent & { type: Type }

/** The click behind the event, if there was one */
export interface Press {
  card?: CardRef
  press?: string
}

/** How a new submission is shown */
interface Reception {
  /** Caught by the honeypot; no room is notified. */
  held?: boolean
  envelope?: Envelope
}

/** Result of a piece of work */
export interface Done {
  /** Card that was posted or edited, and the version of the submission that it shows. */
  card?: CardRef
  version?: number
  /** Content that was delivered, and where to. */
  sent?: Omit<SentDelivery, 'at' | 'receipt'>
  /** HTTP status that an endpoint answered. */
  status?: number
  /** Why the sender got no confirmation. */
  skipped?: string
  /** How long the form data is kept while the email's receipt is awaited, ms. */
  keepMs?: number
}

export interface Edit {
  data: SubmissionData
  /** Keys of the fields whose value changed. */
  edited: readonly string[]
}

export type RefusedReason
  = | 'gone' | 'irrevocable' | 'held' | 'not-held' | 'decided' | 'expired' | 'not-due' | 'unknown-work'
    | 'unknown-email' | 'no-news' | 'taken' | 'unchanged' | 'changed'

/** `added` is work that the caller does now. */
export type Transition
  = | { refused: RefusedReason }
    | { next: Submission, added: readonly Work[] }

/** Result of applying events */
export type Applied = { refused: RefusedReason } | { submission: Submission, added: readonly Work[] }
