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
      /** Earliest next attempt in ms from now, when the vendor says so (`Retry-After`). */
      retryAfterMs?: number
    }

export interface Email {
  from: string
  to: readonly string[]
  replyTo?: string
  subject: string
  html: string
  text: string
  headers?: Readonly<Record<string, string>>
  attachments?: readonly Attachment[]
}

interface Attachment {
  filename: string
  /** Media type. */
  contentType: string
  content: string
}

/** Sends an email; two calls with one key send one email (for 24 h, Resend's window). */
export interface Mailer {
  send(email: Email, idempotencyKey: string): Promise<Outcome>
}

/** Hands a forwarded submission to the downstream system. */
export interface Endpoint {
  /** Host name, for people. */
  readonly host: string
  /** The whole address. It may hold secrets: only to tell one endpoint from another. */
  readonly url: string
  /** `body` is the JSON text of exactly the form data. */
  post(body: string, idempotencyKey: string): Promise<Outcome>
}
