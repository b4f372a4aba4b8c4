import type { Field, Receipt } from './submission'

/** The result of one attempt at an outside effect. Adapters return it; they do not throw. */
export type Outcome<T = undefined>
  = | { ok: true, value: T }
    | {
      ok: false
      /** One line for people: names the cause, never form data or secrets. */
      reason: string
      /** True when trying again cannot help. */
      permanent: boolean
      /** True when what was sent is refused, not the place or the credentials: something else may pass. */
      content?: boolean
      /** True when what it was about is not there any more, such as a card that somebody deleted. */
      gone?: boolean
      /** True when nothing was attempted, because others go first. */
      busy?: boolean
      /** True when too much came at once, and nothing else is wrong. */
      limited?: boolean
      /** Earliest next attempt in ms from now, when the vendor says so (`Retry-After`). */
      retryAfterMs?: number
    }

export interface Email {
  from: string
  to: readonly string[]
  replyTo?: string
  subject: string
  /** Absent where the text is all. */
  html?: string
  text: string
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
  /** The provider names it when it tells what became of the email. */
  submission?: string
}

/**
 * Bytes of files that one email takes. Resend takes 40 MB of an email as it is sent, where files have a third more:
 * https://resend.com/docs/api-reference/emails/send-email
 */
export const MOST_ATTACHED = 28 * 2 ** 20

/** Why an email fails of which the storage has lost a file. */
export const FILE_LOST = 'A file of the submission is not in its storage any more.'

export interface Attachment {
  filename: string
  /** Media type. */
  contentType: string
  /** Text, or so many bytes that are read when it is sent. */
  content: string | { size: number, read: () => AsyncIterable<Buffer> }
}

/** A line of a list or an object. */
export interface Branch {
  /** 0 for the outermost. */
  depth: number
  /** `street:` or `1.` */
  name: string
  /** Empty where more stands below it. */
  value: string
}

/** No email holds more of them in one field. */
export const MOST_BRANCHES = 1000

export interface EmailField extends Field {
  /** What stands in a list or an object; `value` is the same as JSON. */
  tree?: readonly Branch[]
}

/** Everything that the email of a forward says, as plain text; the template escapes it. */
export interface EmailContent {
  subject: string
  heading: string
  fields: readonly EmailField[]
  /** What it says of files. There is room for them, however long the fields are. */
  files: readonly Field[]
  received: string
  decided: string
  submissionId: string
  /** That an earlier email is not right any more; empty for the first. */
  correction: string
  /** What is attached with all fields when not all of them fit. */
  attachment: string
}

/** Compiles the content into HTML and its plain-text twin; not `isWhole` when there was no room for all fields. */
export type EmailTemplate = (content: EmailContent) => { html: string, text: string, isWhole: boolean }

/** Sends an email; two calls with one key send one email (for 24 h, Resend's window). */
export interface Mailer {
  /** Resolves with what the provider calls the message; undefined when it does not say. */
  send(email: Email, idempotencyKey: string): Promise<Outcome<string | undefined>>
}

export interface Posted {
  /** HTTP status of the answer. */
  status: number
}

/** Hands a forwarded submission to the downstream system. */
export interface Endpoint {
  /** Host name, for people. */
  readonly host: string
  /** The whole address. It may hold secrets: only to tell one endpoint from another. */
  readonly url: string
  /** `body` is the JSON text of exactly the form data. */
  post(body: string, idempotencyKey: string): Promise<Outcome<Posted>>
}

/** What the mail provider tells of one email. */
export interface MailEvent {
  /** The submission of which the email is, as its tag says. */
  submission: string
  /** What the provider calls the email. */
  messageId: string
  receipt: Receipt
}

/**
 * What a webhook says. `forged`: the provider did not sign it, or not now. `foreign`: it did, and it is about nothing
 * that is known here.
 */
export type MailNotice = MailEvent | 'forged' | 'foreign'

/**
 * Remembers for an hour what became of test emails, by what the provider calls them; shared by all replicas. Rejects
 * when the store cannot be reached, in less than 2 s.
 */
export interface TestReceipts {
  keep(messageId: string, receipt: Receipt): Promise<void>
  of(messageId: string): Promise<Receipt | null>
}

/** Reads the webhooks of the mail provider. */
export interface MailNotices {
  /** @param body the very bytes that were signed @param header by lower-case name */
  read(body: string, header: (name: string) => string | undefined): Promise<MailNotice>
}
