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
  /** Tells `GET /api/sandbox/events` what is known. */
  revision: string
  /** The rooms. */
  channels: readonly string[]
  /** Oldest first. */
  messages: readonly SandboxMessage[]
  /** Newest first. */
  emails: readonly SentEmail[]
  formUrl: string
  curl: string
  /** A form that takes files, and in which field; null where none does. */
  upload: { path: string, name: string, field: string, accept: string, multiple: boolean } | null
  /** The name that whatever this person does here carries; null for who did not have to sign in. */
  signedInAs: string | null
}

export interface SandboxModal { viewId: string, element: ModalElement }

/** What becomes of a modal that was sent. */
export type SandboxModalAnswer
  = | { action: 'close' }
    | { action: 'errors', errors: Record<string, string> }
    | { action: 'update', modal: SandboxModal }
