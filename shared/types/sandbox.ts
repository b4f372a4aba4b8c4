import type { CardElement, ModalElement } from 'chat'
import type { Email } from '../../server/ports/delivery'

export interface SandboxMessage {
  id: string
  channel: string
  threadId: string
  /** Epoch ms. */
  postedAt: number
  editedAt: number | null
  /** Null for the bot. */
  author: { id: string, name: string } | null
  text: string | null
  card: CardElement | null
}

export interface SentEmail extends Email {
  /** Idempotency key. */
  key: string
  /** Epoch ms. */
  sentAt: number
}

export interface SandboxState {
  /** Pass it to `GET /api/sandbox/events`, which then reports only later changes. */
  revision: string
  /** Rooms of the sandbox. */
  channels: readonly string[]
  /** Oldest first. */
  messages: readonly SandboxMessage[]
  /** Newest first. */
  emails: readonly SentEmail[]
  formUrl: string
  curl: string
  /** A form that accepts files, and its file field; null if there is none. */
  upload: { path: string, name: string, field: string, accept: string, multiple: boolean } | null
  /** Name shown with this person's actions; null if nobody needs to sign in. */
  signedInAs: string | null
}

export interface SandboxModal { viewId: string, element: ModalElement }

/** Answer to a submitted modal. */
export type SandboxModalAnswer
  = | { action: 'close' }
    | { action: 'errors', errors: Record<string, string> }
    | { action: 'update', modal: SandboxModal }
