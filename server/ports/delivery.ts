import type { Texts } from '../../shared/texts'
import type { Field, Receipt } from './submission'

/** Result of one attempt at an outside effect. Adapters return it; they do not throw. */
export type Outcome<T = undefined>
  = | { ok: true, value: T }
    | {
      ok: false
      /** One line for people: names the cause, never contains form data or secrets. */
      reason: string
      /** True if retrying cannot help. */
      permanent: boolean
      /**
       * True if the vendor refused this content, but not the destination or the credentials: other content may be
       * accepted.
       */
      content?: boolean
      /** True if the target no longer exists, for example a deleted card. */
      gone?: boolean
      /** True if nothing was attempted, because other work goes first. */
      busy?: boolean
      /** True if only the vendor's rate limit stopped it. */
      limited?: boolean
      /** Earliest next attempt in ms from now, when the vendor says so (`Retry-After`). */
      retryAfterMs?: number
    }

export interface Email {
  from: string
  to: readonly string[]
  replyTo?: string
  subject: string
  /** Absent in emails that are only text. */
  html?: string
  text: string
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
  /** Id of the submission; the provider returns it with each delivery event. */
  submission?: string
}

/**
 * Maximum size of the files in one email, bytes. Resend accepts 40 MB for the encoded email, in which files grow by a
 * third: https://resend.com/docs/api-reference/emails/send-email
 */
export const MOST_ATTACHED = 28 * 2 ** 20

/** Reason of failure for an email whose file is missing from the storage. */
export const FILE_LOST = 'A file of the submission is not in its storage any more.'

export interface Attachment {
  filename: string
  /** Media type. */
  contentType: string
  /** Text, or `size` bytes that `read` streams when the email is sent. */
  content: string | { size: number, read: () => AsyncIterable<Buffer> }
}

/** One line of a list or an object. */
export interface Branch {
  /** Depth of nesting, 0 for the outermost. */
  depth: number
  /** `street:` or `1.` */
  name: string
  /** Empty if the branch has lines below it. */
  value: string
}

/** Maximum lines of one field in an email. */
export const MOST_BRANCHES = 1000

export interface EmailField extends Field {
  /** Lines of a list or an object, shown in place of `value`. */
  tree?: readonly Branch[]
}

/** Content of the email of a forward, as plain text; the template escapes it. */
export interface EmailContent {
  subject: string
  heading: string
  fields: readonly EmailField[]
  /** Files, as the email lists them. They always fit, however long the fields are. */
  files: readonly Field[]
  received: string
  decided: string
  submissionId: string
  /** Says that this email corrects an earlier one; empty for the first. */
  correction: string
  /** File name of the attachment that holds all fields when not all of them fit in the email. */
  attachment: string
  /** Texts for the words between; English if absent. */
  texts?: Texts
}

/** Renders the content as HTML and as plain text; `isWhole` is false if not all fields fit. */
export type EmailTemplate = (content: EmailContent) => { html: string, text: string, isWhole: boolean }

export interface MailSender {
  fromAddress: string
  fromName: string
  /** Present when the provider reports the status of emails. */
  receipts?: { waitMs: number }
}

export interface MailSettings extends MailSender {
  /** Recipients of forwards of the default form, and of test emails. */
  to: readonly string[]
  /** Absent if emails are kept here. */
  apiKey?: string
}

/** Sends an email. Two calls with the same idempotency key send one email (within 24 h, Resend's window). */
export interface Mailer {
  /** Resolves with the provider's message id; undefined if it gives none. */
  send(email: Email, idempotencyKey: string): Promise<Outcome<string | undefined>>
}

export interface Posted {
  /** HTTP status of the answer. */
  status: number
}

/** Posts a forwarded submission to the downstream system. */
export interface Endpoint {
  /** Host name, shown to people. */
  readonly host: string
  /** Full URL. It may contain secrets: use it only to tell endpoints apart. */
  readonly url: string
  /** @param body JSON text of exactly the form data */
  post(body: string, idempotencyKey: string): Promise<Outcome<Posted>>
}

/** Delivery event of one email, as reported by the mail provider. */
export interface MailEvent {
  /** Id of the email's submission, from its tag. */
  submission: string
  /** Message id at the provider. */
  messageId: string
  receipt: Receipt
}

/**
 * Content of a webhook. `forged`: not signed by the provider, or not recently. `foreign`: signed, but not about an
 * email of this service.
 */
export type MailNotice = MailEvent | 'forged' | 'foreign'

/**
 * Keeps the delivery status of test emails for an hour, by the provider's message id; shared by all replicas. Rejects
 * when the store cannot be reached, in less than 2 s.
 */
export interface TestReceipts {
  keep(messageId: string, receipt: Receipt): Promise<void>
  of(messageId: string): Promise<Receipt | null>
}

/** Reads the webhooks of the mail provider. */
export interface MailNotices {
  /** @param body the exact bytes that were signed @param header returns a header by lower-case name */
  read(body: string, header: (name: string) => string | undefined): Promise<MailNotice>
}
