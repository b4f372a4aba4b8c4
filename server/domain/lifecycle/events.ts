import type {
  Action, CardRef, LockMode, Delivery, Envelope, Person, Receipt, Reviewer, SentDelivery, Submission, SubmissionData,
  Work,
} from '../../ports/submission'

interface Failing {
  /** Room of the work, if it has one. */
  room?: string
  /** A card, for what it says. */
  refused?: boolean
  /** Its card was not found. */
  gone?: boolean
  /** It came too soon for its vendor. */
  limited?: boolean
}

/** What happens to a submission. */
export type LifecycleEvent
  = | { type: 'received', id: string, form?: string, data: SubmissionData, rooms: readonly string[] } & Reception
    /** What was held is a form after all. */
    | { type: 'released', reviewer: Reviewer, rooms: readonly string[], press?: string }
    /** Somebody has the form data erased, whatever became of it. */
    | { type: 'erased', reviewer: Reviewer, press?: string, /** The endpoint is told. */ told?: boolean }
    | {
      type: 'claimed'
      action: Action
      reviewer: Reviewer
      deliveries: readonly Delivery[]
      edit?: Edit
      /** Addresses for the email, instead of those of the form. */
      to?: readonly string[]
      /** Address to which it is confirmed when it was sent, if no round before did that. */
      confirm?: string
      card?: CardRef
      press?: string
      /** Digest of the form data that was approved; other data are not decided. */
      content?: string
      /** For how long it can be taken back, ms; absent when it cannot. */
      revocableMs?: number
      /** Who decides, by `identityOf`, and what it means to them that others have it; absent where nobody takes. */
      heeds?: { who: string, rule: LockMode }
    }
    /** Somebody takes back what was decided. */
    | { type: 'revoked', action: Action, reviewer: Reviewer, press?: string }
    /**
     * Somebody is on it from now on, for so many ms; `by`: whoever gives it to them, whoever had it. `listed`: there is
     * a list of who may.
     */
    | { type: 'taken', person: Person, forMs: number, listed?: boolean, by?: Reviewer } & Press
    /** `who` is who hands it back, by `identityOf`. */
    | { type: 'returned', who: string } & Press
    /** Its time is over, or its holder, if that is `left`, may not decide any more. */
    | { type: 'freed', left?: string }
    /** Somebody, by `identityOf`, is told that another one has it. */
    | { type: 'warned', who: string, press?: string }
    /** Its cards do not show the form data any more. */
    | { type: 'collapsing' }
    /** Spam cannot be taken back any more, or no receipt is waited for. */
    | { type: 'forgotten' }
    /** `card`: its update that failed before is not waited for. */
    | { type: 'leased', keys: readonly string[], card?: CardRef }
    | { type: 'done', key: string } & Done
    | { type: 'failed', key: string, reason: string, retryAt: number | null } & Failing
    /** Somebody deleted a card; `room` is where one is missing now. `undelivered`: it never arrived, and why. */
    | { type: 'card-deleted', card: CardRef, room: string | null, undelivered?: string }
    /** Cards that the platform refused are tried again. */
    | { type: 'post-again' }
    /** A platform, `email` or `endpoint` works again: what failed there is tried before its time. */
    | { type: 'pulled', vendor: string }
    /** Not tried yet, it only waits for its turn: no attempt is counted. */
    | { type: 'put-off', key: string, until: number }
    /** The card of this room is the next. */
    | { type: 'turn', room: string }
    | { type: 'expiring' }
    | { type: 'expired' }
    /** The mail provider told what became of an email. */
    | { type: 'receipt', messageId: string, receipt: Receipt }

/** Events whose facts depend on the version that they meet. */
export type EventsOn = (stored: Submission) => readonly LifecycleEvent[]

/** The event of one type. */
export type EventOf<Type extends LifecycleEvent['type']> = LifecycleEvent & { type: Type }

/** The click that it was, if it was one. */
export interface Press {
  card?: CardRef
  press?: string
}

/** How a new submission is shown. */
interface Reception {
  /** It fell into the honeypot, and no room is told. */
  held?: boolean
  envelope?: Envelope
}

/** The result of a piece of work. */
export interface Done {
  /** The card that was posted or edited, and the version of the submission that it shows. */
  card?: CardRef
  version?: number
  /** What was delivered, and where to. */
  sent?: Omit<SentDelivery, 'at' | 'receipt'>
  /** What an endpoint answered. */
  status?: number
  /** Why nothing was sent to whoever is to be told that it was passed on. */
  skipped?: string
  /** How long the form data is kept to hear what became of it, ms. */
  keepMs?: number
}

export interface Edit {
  data: SubmissionData
  /** Keys whose value changed. */
  edited: readonly string[]
}

export type RefusedReason
  = | 'gone' | 'irrevocable' | 'held' | 'not-held' | 'decided' | 'expired' | 'not-due' | 'unknown-work'
    | 'unknown-email' | 'no-news' | 'taken' | 'unchanged' | 'changed'

/** `added` is work that the caller does now. */
export type Transition
  = | { refused: RefusedReason }
    | { next: Submission, added: readonly Work[] }

/** What became of events. */
export type Applied = { refused: RefusedReason } | { submission: Submission, added: readonly Work[] }
