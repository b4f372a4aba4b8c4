import type { Texts } from '../../shared/texts'
import type { Field, Receipt } from './submission'

/** Result of one attempt at an outside effect. Adapters return it; they do not throw. */
export type Outcome<T = undefined>
  = | {
    ok: true
    value: T
    /**
     * Answer of the mail server in one line. It may quote addresses: show it only to people who set up the service.
     */
    said?: string
  }
  | {
    ok: false
    /** Cause in one line for people; never contains form data or secrets. */
    reason: string
    /** True if retrying cannot help. */
    permanent: boolean
    /**
       * True if the vendor refused only this content: other content may be accepted with the same destination and
       * credentials.
       */
    content?: boolean
    /** True if the target no longer exists, for example a deleted card. */
    gone?: boolean
    /** True if nothing was attempted, because other work has priority. */
    busy?: boolean
    /** True if it failed only because of the vendor's rate limit. */
    limited?: boolean
    /**
       * True if the receiver would refuse every submission now: no connection, a rate limit, a server error, refused
       * credentials.
       */
    outage?: true
    /** HTTP or SMTP status of the answer. */
    status?: number
    /**
       * Beginning of the answer, without our secrets: hostile text that may quote the form or addresses. Take the
       * form's values out first.
       */
    answer?: string
    /** Min wait before the next attempt, ms, if the vendor gives one (`Retry-After`). */
    retryAfterMs?: number
    /** True if the vendor's answer was lost, so that it may have done the work. Another attempt may repeat it. */
    mayHaveArrived?: true
    /** Recipients who got the email, and those whom the mail server refused. */
    accepted?: readonly string[]
    refused?: readonly string[]
  }

export interface Email {
  from: string
  to: readonly string[]
  cc?: readonly string[]
  bcc?: readonly string[]
  replyTo?: string
  subject: string
  /** Absent in text-only emails. */
  html?: string
  text: string
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
  /** Id of the submission; the provider returns it with each delivery event. */
  submission?: string
}

/**
 * Maximum size of the files in one email, bytes. Resend accepts 40 MB for the encoded email, and encoding makes files a
 * third larger: https://resend.com/docs/api-reference/emails/send-email
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

/** One line of a list or an object in an email. */
export interface Branch {
  /** Depth of nesting, 0 for the top level. */
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

/** Content of a forward's email, as plain text; the template escapes it. */
export interface EmailContent {
  subject: string
  heading: string
  fields: readonly EmailField[]
  /** List of files. All of them are listed, even if not all fields fit. */
  files: readonly Field[]
  received: string
  decided: string
  submissionId: string
  /** Note that this email corrects an earlier one; empty for the first email. */
  correction: string
  /** File name of the attachment with all fields, for the case that not all fit in the email. */
  attachment: string
  /** Texts for the fixed words; English if absent. */
  texts?: Texts
}

/** Renders the content as HTML and as plain text; `isWhole` is false if not all fields fit. */
export type EmailTemplate = (content: EmailContent) => { html: string, text: string, isWhole: boolean }

export interface MailSender {
  fromAddress: string
  fromName: string
  /** Present if the provider reports the status of emails. */
  receipts?: { waitMs: number }
}

export interface MailSettings extends MailSender {
  /** Recipients of forwards of the default form, and of test emails. */
  to: readonly string[]
  /** Name of the service or server that sends emails; absent if this service stores them instead. */
  carrier?: string
  /** True if another service sends what the first one has given up. */
  fallback?: boolean
}

/** True if no further attempt follows this failure. */
export type IsGivenUp = (outcome: Outcome & { ok: false }) => boolean

/**
 * Sends an email. Two calls with the same idempotency key send one email (within 24 h, Resend's window). A mail server
 * sends two, with the same `Message-ID`.
 */
export interface Mailer {
  /**
   * Resolves with the provider's message id; undefined if it gives none.
   *
   * @param isGivenUp asks if a failure is the last one; the default is a permanent failure
   */
  send(email: Email, idempotencyKey: string, isGivenUp?: IsGivenUp): Promise<Outcome<string | undefined>>
  /** Closes the connections that are kept. */
  close?(): void
}

export interface Posted {
  /** HTTP status of the answer. */
  status: number
}

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json }

/** Request to an endpoint, where it is not a plain POST. */
export interface EndpointSettings {
  url: string
  /** Standard Webhooks secrets for this endpoint; those of all endpoints if absent. */
  secrets?: readonly string[]
  method?: 'POST' | 'PUT' | 'PATCH'
  headers?: Readonly<Record<string, string>>
  /** Host to which the receiver redirects for its answer; redirects are not followed if absent. */
  follow?: string
  /** JSON that the answer must contain; only the status matters if absent. */
  expect?: Json
}

/** Posts forwarded submissions to another system. */
export interface Endpoint {
  /** Host name, shown to people. */
  readonly host: string
  /** Full URL. It may contain secrets: use it only to compare endpoints. */
  readonly url: string
  /** @param body JSON text */
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
 * Content of a webhook. `forged`: without a recent signature of the provider. `foreign`: signed, but about an email
 * that this service did not send.
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

/** Failures of one receiver of forwards, shared by all replicas. */
export interface Rest {
  /** Failures in a row that were not about one submission. */
  failures: number
  /** Time of the first of them, epoch ms. */
  since: number
  /** `resting`: only trials go out. `releasing`: it works again, and what waits goes out at its pace. */
  state: 'failing' | 'resting' | 'releasing'
}

/** Keeps the failures of receivers. Every method rejects when the store cannot be reached. */
export interface RestBook {
  read(receiver: string): Promise<Rest | null>
  /** Changes the state in one step, over all replicas; resolves with the new one. `next` may run several times. */
  change(receiver: string, next: (rest: Rest | null) => Rest | null): Promise<Rest | null>
}
