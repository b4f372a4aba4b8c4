import type { Receipt } from './submission'

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
