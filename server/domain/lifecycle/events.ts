import type {
  Action, AttemptFacts, CardRef, LockMode, Delivery, Envelope, Person, Receipt, Reviewer, SentDelivery, Submission,
  SubmissionData, Work,
} from '../../ports/submission'

interface FailureDetails extends AttemptFacts {
  /** Room that the work concerns, if any. */
  room?: string
  /** The platform refused a card because of its content. */
  refused?: boolean
  /** The card was not found. */
  gone?: boolean
  /** The vendor's rate limit was hit. */
  limited?: boolean
  /** The answer was lost. */
  mayHaveArrived?: true
  /** Time after which the delivery is given up, epoch ms. */
  endAt?: number
  /** A forward that is given up is told below its cards. */
  isTold?: boolean
  /** Recipients who got the email, and those whom the mail server refused. */
  partial?: { to: readonly string[], refused: readonly string[] }
}

/** Everything that can happen to a submission */
export type LifecycleEvent
  = | { type: 'received', id: string, form?: string, data: SubmissionData, rooms: readonly string[] } & Reception
    /** A reviewer releases a quarantined form. */
    | { type: 'released', reviewer: Reviewer, rooms: readonly string[], press?: string }
    /** Somebody requests erasure of the form data; possible in any state. */
    | { type: 'erased', reviewer: Reviewer, press?: string, /** Endpoints to notify. */ told?: readonly Delivery[] }
    | {
      type: 'claimed'
      action: Action
      reviewer: Reviewer
      deliveries: readonly Delivery[]
      edit?: Edit
      /** Addresses for the email, instead of those of the form. */
      to?: readonly string[]
      /** Email that goes to them; the first one of the form if absent. */
      toOf?: Delivery
      /** Address for the confirmation after the email was sent, unless an earlier round already sent one. */
      confirm?: string
      card?: CardRef
      press?: string
      /** Digest of the form data that was approved. If the data has changed since, the decision is refused. */
      content?: string
      /** Time in which the decision can be undone, ms; absent if it cannot be undone. */
      revocableMs?: number
      /** Reviewer's identity (`identityOf`) and the form's lock mode; absent if assignment is off. */
      heeds?: { who: string, rule: LockMode }
    }
    /** Somebody undoes the decision. */
    | { type: 'revoked', action: Action, reviewer: Reviewer, press?: string }
    /**
     * The person becomes the assignee for `forMs` ms. `by`: the reviewer who assigned it; this may replace another
     * assignee. `listed`: the form has a list of reviewers.
     */
    | { type: 'taken', person: Person, forMs: number, listed?: boolean, by?: Reviewer } & Press
    /** The assignee gives up the assignment; `who` comes from `identityOf`. */
    | { type: 'returned', who: string } & Press
    /** The assignment timed out; or, if `left` is set, that assignee may not decide any more. */
    | { type: 'freed', left?: string }
    /** The person `who` (from `identityOf`) is warned that another person is the assignee. */
    | { type: 'warned', who: string, press?: string }
    /** A reviewer adds a note. `action` is the name of an action; cards and history show that action's text. */
    | { type: 'noted', action: string, reviewer: Reviewer } & Press
    /** The cards stop showing the form data. */
    | { type: 'collapsing' }
    /** The time to undo a spam decision, or to wait for an email receipt, is over. */
    | { type: 'forgotten' }
    /** `card`: retry the failed update of this card now. */
    | { type: 'leased', keys: readonly string[], card?: CardRef }
    | { type: 'done', key: string } & Done
    | { type: 'failed', key: string, reason: string, retryAt: number | null } & FailureDetails
    /**
     * Somebody deleted a card; `room`: its room, or null if another card is left there. `undelivered`: reason if the
     * card never arrived.
     */
    | { type: 'card-deleted', card: CardRef, room: string | null, undelivered?: string }
    /** Cards that the platform refused are tried again. */
    | { type: 'post-again' }
    /** A platform, or the receiver of a delivery, works again: retry its failed work early. */
    | { type: 'pulled', vendor: string }
    /** Work waits for its turn; this does not count as an attempt. `reason`: text for people, the first time. */
    | { type: 'put-off', key: string, until: number, reason?: string }
    /** The card of this room, or these deliveries, are next. */
    | { type: 'turn', room: string } | { type: 'turn', keys: readonly string[] }
    | { type: 'expiring' }
    | { type: 'expired' }
    /** The mail provider reported the status of an email. */
    | { type: 'receipt', messageId: string, receipt: Receipt }

/** Creates the events to apply, from the stored version */
export type EventsOn = (submission: Submission) => readonly LifecycleEvent[]

/** Event of one type */
export type EventOf<Type extends LifecycleEvent['type']> = LifecycleEvent & { type: Type }

/** Click that caused the event, if any */
export interface Press {
  card?: CardRef
  press?: string
}

/** How a new submission is shown */
interface Reception {
  /** Caught by the honeypot, or by the human check; no room is notified. */
  held?: boolean | 'human-check'
  envelope?: Envelope
}

/** Result of a piece of work */
export interface Done extends AttemptFacts {
  /** Card that was posted or edited, and the version of the submission that it shows. */
  card?: CardRef
  version?: number
  /** Content that was delivered, and where to. */
  sent?: Omit<SentDelivery, 'at' | 'receipt'>
  /** Why the sender got no confirmation. */
  skipped?: string
  /** Time to keep the form data while waiting for the email's receipt, ms. */
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

/** `added` is work for the caller to do now. */
export type Transition
  = | { refused: RefusedReason }
    | { next: Submission, added: readonly Work[] }

/** Result of applying events */
export type Applied = { refused: RefusedReason } | { submission: Submission, added: readonly Work[] }
