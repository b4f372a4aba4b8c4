import { FIELD_PROBLEMS, type FieldRule } from './field-rules'
import type { Endpoint } from './delivery'
import type { FileInput, FileRule } from './files'
import type { LockMode } from './submission'

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
  /** What it takes in each field; anything when absent. */
  fields?: Readonly<Record<string, FieldRule>>
  /** Whether other fields are taken as well. */
  extra?: 'keep' | 'refuse'
  /** Files that it takes; none when absent. */
  files?: FileRule
  /** What emails and cards call a submission; `{key}` stands for the value of a field. */
  subject?: string
  /** What whoever sent it is told after its forward; nothing when absent. */
  confirm?: { subject: string, text: string }
  /** Who may decide; everybody in its rooms when absent. */
  reviewers?: readonly string[]
  /** What it means to others that somebody has one; absent where nobody takes. */
  claim?: LockMode
}

export interface Forms {
  /** The form of a submission; a `missing` one when it is not configured any more. */
  of(key: string | undefined): Form
  /** The form at this address, or null. */
  find(key: string): Form | null
  /** The default form first. */
  readonly all: readonly Form[]
  readonly rooms: readonly string[]
}

/** What a page of ours says to somebody who sent a form with a browser, by name. */
export const PAGE_TEXTS = [
  'thanks', 'received', 'reference', 'back', 'problem', 'nothingLost', 'later', 'human', 'large', 'files', 'filesLarge',
  'fileType', 'unreadable', 'refused', 'broken', 'owner', 'fields', 'send', 'trap', 'optional', 'attach',
  ...FIELD_PROBLEMS,
] as const
export type PageText = typeof PAGE_TEXTS[number]

/** What the pages of a form say, by language; what is absent is said as for any form. */
export type PageTexts = Readonly<Record<string, Partial<Readonly<Record<PageText, string>>>>>

/** What is done with who sent a form. */
export interface FormPages {
  /** In its address; undefined for the default form. */
  key?: string
  /** The only websites that may send it; any when undefined. */
  allowedOrigins?: readonly string[]
  /** Where browsers go that sent it without a script. */
  redirect?: string
  texts?: PageTexts
  name?: string
  /** What it asks for, by key. */
  fields?: Readonly<Record<string, FieldRule>>
  /** Files that it takes; none when absent. */
  files?: FileInput
}
