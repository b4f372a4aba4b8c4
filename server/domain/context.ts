import type { Texts } from '../../shared/texts'
import type { ReviewBoard } from '../ports/board'
import type { CardQueueStore } from '../ports/card-queue'
import type { EmailTemplate, Mailer, MailSettings, RestBook } from '../ports/delivery'
import type { FileAddresses, StoredFile } from '../ports/files'
import type { Forms } from '../ports/form'
import type { Limiter } from '../ports/limiter'
import type { HealthBook, Monitor } from '../ports/monitor'
import type { Log, Runtime, StoreClock } from '../ports/runtime'
import type { HumanCheck } from '../ports/sender'
import type { SubmissionStore } from '../ports/store'
import type { Action, Submission } from '../ports/submission'

/** Facts about this deployment that cards and emails show. */
export interface Presentation {
  /** Base URL of the ops pages, without a trailing slash; null if nobody can open them or the URL is unknown. */
  siteUrl: string | null
  forms: Forms
  /** Addresses of uploaded files. */
  files?: FileAddresses
  /** Texts of cards and emails; English if absent. */
  texts?: Texts
}

/** Access to uploaded files, for deliveries and erasures. */
export interface FormFiles extends FileAddresses {
  /** @throws FileLost, FilesUnavailable during the read */
  read(id: string, index: number, file: StoredFile): AsyncIterable<Buffer>
  /** Marks files that are missing in the storage. */
  withLost(submission: Submission): Promise<Submission>
  /** Deletes the files of a submission, in the background. */
  erase(id: string): void
}

export interface RetryPolicy {
  /** Delay before the second attempt, ms; it triples with each further attempt. */
  baseMs: number
  /** Lease: time a process has to finish a piece of work before another one may take it, ms. */
  leaseMs: number
  /** Time after a decision for which its deliveries are retried, ms. */
  retryForMs: number
}

/** Part of the context that needs no vendor. */
export interface Core {
  store: SubmissionStore
  health: HealthBook
  runtime: Runtime
  log: Log
}

/** Surroundings of the domain: stores, vendors, clock, log, and the configuration that its rules depend on. */
export interface Context extends Core, Presentation {
  queues: CardQueueStore
  /** Failures of the receivers of forwards. */
  rests: RestBook
  /** Counts the confirmations sent to each address. */
  confirmations: Limiter
  clock: StoreClock
  monitor: Monitor
  board: ReviewBoard
  mailer: Mailer
  template: () => Promise<EmailTemplate>
  /** Absent in tests without files. */
  files?: FormFiles
  /** Null if none is configured. */
  humanCheck: HumanCheck | null

  mail: MailSettings
  /** Name of a hidden form field that spam programs fill in, and the autofill of some browsers, too. */
  honeypot: string
  policy: RetryPolicy
  /** Time after a decision for which cards still show the form data, ms; null for no limit. */
  cardDataMs: number | null
  /** Time for which each decision can be undone, ms; 0 for never. */
  revocableMs: Readonly<Record<Action, number>>
  /** Duration of an assignment, ms; null if assignment is off. */
  claimMs: number | null
  /** True if a forward that was given up is told below its cards. */
  tellsFailures: boolean
  /** True if endpoints are notified of erasures. */
  tellsErasures: boolean
  /** Value of OPS_VIEWERS */
  viewers?: readonly string[]
}
