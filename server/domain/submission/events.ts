import type {
  Action, CardRef, Delivery, Reviewer, Sent, Submission, SubmissionData, Work,
} from '../../ports/submission'

/** What happens to a submission. */
export type LifecycleEvent
  = | { type: 'received', id: string, form?: string, data: SubmissionData, rooms: readonly string[] } & Reception
    /** What was held is a form after all, or is not. */
    | { type: 'released', reviewer: Reviewer, rooms: readonly string[] }
    | { type: 'deleted', reviewer: Reviewer }
    | {
      type: 'claimed'
      action: Action
      reviewer: Reviewer
      deliveries: readonly Delivery[]
      edit?: Edit
      card?: CardRef
      press?: string
    }
    | { type: 'leased', keys: readonly string[] }
    | { type: 'done', key: string } & Done
    /** `refused`: a card, for what it says. */
    | { type: 'failed', key: string, reason: string, retryAt: number | null, refused?: boolean }
    /** Cards that the platform refused are tried again. */
    | { type: 'post-again' }
    /** Not tried yet, it only has to wait: no attempt is counted. */
    | { type: 'put-off', key: string, until: number }
    | { type: 'expiring' }
    | { type: 'expired' }

/** How a new submission is shown. */
interface Reception {
  /** Rooms with a queue, which hands the cards out; their due date is only a safety net. */
  queued?: readonly string[]
  /** It fell into the honeypot, and no room is told. */
  held?: boolean
}

/** The result of a piece of work. */
export interface Done {
  /** The card that was posted or edited, and the version of the submission that it shows. */
  card?: CardRef
  version?: number
  /** What was delivered, and where to. */
  sent?: Pick<Sent, 'content' | 'to'>
}

export interface Edit {
  data: SubmissionData
  /** Keys whose value changed. */
  edited: readonly string[]
}

export type Refusal = 'gone' | 'held' | 'not-held' | 'decided' | 'expired' | 'not-due' | 'unknown-work'

/** `finished` means: nothing is outstanding, the record goes. `added` is work that the caller does now. */
export type Transition
  = | { refused: Refusal }
    | { next: Submission, added: readonly Work[], finished: boolean }

/** What became of events. */
export type Applied = { refused: Refusal } | { submission: Submission | null, added: readonly Work[] }
