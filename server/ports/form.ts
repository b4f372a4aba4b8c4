import { FIELD_PROBLEMS, type FieldRule } from './field-rules'
import type { Endpoint, Json } from './delivery'
import type { FileInput, FileRule } from './files'
import type { Delivery, LockMode } from './submission'

/** Tests by the path or label of an answer; a submission must pass all of them. */
export type Condition = Readonly<Record<string, Scalar | AnswerTest>>

type Scalar = string | number | boolean

interface AnswerTest {
  in?: readonly Scalar[]
  contains?: Scalar
  /** True if the answer must be filled in, false if it must be empty or absent. */
  present?: boolean
}

/** One receiver of forwards. Its kind is a row of `domain/deliveries`, which reads the members that it needs. */
export interface Destination {
  /** Stored with submissions: the kind alone (`email`, `endpoint`), or the kind with a name (`endpoint:CRM`). */
  id: Delivery
  /** Takes only submissions with these answers; all if absent. */
  when?: Condition
  /** Email addresses. */
  to?: readonly string[]
  cc?: readonly string[]
  bcc?: readonly string[]
  endpoint?: Endpoint
  /** JSON for the endpoint with placeholders such as `{{subject}}`; the form data if absent. */
  body?: Json
  /** Room of the review board that gets a copy of the card. */
  room?: string
}

/** A kind of form: its fields, the rooms of its cards, and the destinations of its forwards. */
export interface Form {
  /** True if the form is no longer configured: its destinations are unknown, so nothing may be forwarded. */
  missing?: boolean
  /** Part of its address, `/api/form/<key>`; undefined for the default form. */
  key?: string
  /** Name on cards and in emails; the default form has none. */
  name?: string
  /** Rooms of the review board in which its cards are posted. */
  rooms: readonly string[]
  /** Receivers of its forwards, in the order in which people see them. */
  destinations: readonly Destination[]
  /** Labels by field key, in display order; fields without a label follow in the order in which they were sent. */
  labels: Readonly<Record<string, string>>
  /** Rule of each field; any value is accepted when absent. */
  fields?: Readonly<Record<string, FieldRule>>
  /** `refuse` rejects fields that have no rule. */
  extra?: 'keep' | 'refuse'
  /** Paths or labels of answers that are only technical details. */
  technical?: readonly string[]
  /** Files that the form accepts; none when absent. */
  files?: FileRule
  /** True if forms of senders who fail the human check are quarantined; otherwise they are refused. */
  hold?: boolean
  /** Path or label of the field with the sender's address; if absent, the field is found by its name. */
  replyTo?: string
  /** Addresses of this service and of the form's recipients; they never count as the sender's address. */
  ownAddresses?: readonly string[]
  /** Title of a submission in emails and on cards; `{key}` stands for the value of a field. */
  subject?: string
  /** Email to the sender after the forward; none when absent. */
  confirm?: { subject: string, text: string }
  /** People who may decide; everybody in its rooms when absent. */
  reviewers?: readonly string[]
  /** Effect of an assignment on other reviewers; absent if assignment is off. */
  claim?: LockMode
}

export interface Forms {
  /** Returns the form of a submission; its `missing` is true if it is no longer configured. */
  of(key: string | undefined): Form
  /** Form with this key, or null. */
  find(key: string): Form | null
  /** All forms, the default form first. */
  readonly all: readonly Form[]
  readonly rooms: readonly string[]
}

/** Names of the texts on pages for people who send a form with a browser. */
export const PAGE_TEXTS = [
  'thanks', 'received', 'reference', 'back', 'problem', 'nothingLost', 'later', 'human', 'large', 'files', 'filesLarge',
  'fileType', 'unreadable', 'empty', 'refused', 'broken', 'offline', 'owner', 'fields', 'send', 'trap', 'optional',
  'attach',
  ...FIELD_PROBLEMS,
] as const
export type PageText = typeof PAGE_TEXTS[number]

/** Texts of a form's pages, by language; the general texts replace absent ones. */
export type PageTexts = Readonly<Record<string, Partial<Readonly<Record<PageText, string>>>>>

/** Settings of a form's pages, for the people who send it. */
export interface FormPages {
  /** Part of its address; undefined for the default form. */
  key?: string
  /** Websites that may send the form; any when undefined. */
  allowedOrigins?: readonly string[]
  /** Redirect URL for browsers that send the form without a script. */
  redirect?: string
  texts?: PageTexts
  name?: string
  /** Rules of its fields, by key. */
  fields?: Readonly<Record<string, FieldRule>>
  /** Files that the form accepts; none when absent. */
  files?: FileInput
}
