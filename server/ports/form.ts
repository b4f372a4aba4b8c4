import type { Endpoint } from './delivery'

/** A kind of form: how it reads, where its cards are posted and where its forwards go. */
export interface Form {
  /** It is not configured any more: where its forwards go is not known, so nothing may be sent. */
  missing?: boolean
  /** In its address, `/api/form/<key>`; undefined for the default form. */
  key?: string
  /** As cards and emails name it; the default form has none. */
  name?: string
  /** Rooms of the review board in which its cards are posted. */
  rooms: readonly string[]
  /** Addresses to which forwards are emailed. */
  to: readonly string[]
  /** Null when forwards are posted nowhere. */
  endpoint: Endpoint | null
  /** What people read instead of a field's key, in the order in which fields are shown; others follow as they came. */
  labels: Readonly<Record<string, string>>
}

export interface Forms {
  /** The form of a submission; a `missing` one when it is not configured any more. */
  of(key: string | undefined): Form
  /** The form at this address, or null. */
  find(key: string): Form | null
  /** The default form first. */
  readonly all: readonly Form[]
  /** Rooms of all forms. */
  readonly rooms: readonly string[]
}
