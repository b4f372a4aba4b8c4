import type { z } from 'zod'
import type { DeliveryTexts } from '../../../shared/deliveries'
import type { Endpoint, IsGivenUp, Outcome, Posted } from '../../ports/delivery'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Delivery, OtherWork, SentDelivery, Submission } from '../../ports/submission'
import type { Context } from '../context'

/** Tools to set up the deliveries of a form when the service starts. */
export interface OpenTools {
  /** Creates an endpoint that signs its requests. */
  endpoint: (url: string) => Endpoint
}

interface DeliveryAttempt {
  submission: Submission
  form: Form
  /** Stays the same in retries, and when the same data is forwarded to the same targets again. */
  idempotencyKey: string
  /** Earlier transmission with other values; this one replaces it. */
  corrected?: Pick<SentDelivery, 'at'>
  /** Asks if no further attempt follows a failure. */
  isGivenUp?: IsGivenUp
}

interface DeliveryAnswer {
  /** HTTP status of the answer. */
  status?: number
  /** Beginning of the answer as received, if it says more than the status; hostile, see `Outcome`. */
  answer?: string
  /** Message id at the provider, which later reports its status. */
  messageId?: string
  /** Time to keep the form data while we wait for that status, ms. */
  keepMs?: number
}

/** One way to deliver forwards, with everything that distinguishes it from the others. */
export interface DeliveryRow<Settings extends z.core.$ZodShape = z.core.$ZodShape> extends DeliveryTexts {
  /** Permanent key: stored with submissions, and part of the API, metrics and webhooks. */
  readonly key: Delivery
  /** Name of the copy at the receiver, capitalised for the start of a sentence. */
  readonly copyName: string
  /** Other work that goes to the same receiver. */
  readonly carries?: readonly OtherWork[]
  /** True if its targets are addresses, which a reviewer may replace. */
  readonly hasAddresses?: true
  /** True if its provider later reports the status of a message, such as a bounce. */
  readonly reportsStatus?: true
  /** Settings of a form in `forms.config.ts`. */
  readonly settings: Settings
  /** Returns the form fields of this delivery. A setting that is absent has its value from the default form. */
  open(settings: z.output<z.ZodObject<Settings>>, standard: Form, tools: OpenTools): Partial<Form>
  /** True if forwards of this form use this delivery. */
  isWanted(form: Form): boolean
  /** Returns the addresses, or the host, as people see them. */
  targets(form: Form): readonly string[]
  /** True if it sends links to some of these files; the files must then be kept after the delivery. */
  linksFiles(files: readonly StoredFile[], form: Form): boolean
  /** Values that identify a message, besides the data: if all are the same, sending it again is a retry. */
  identity(form: Form, context: Context): readonly (string | undefined)[]
  /** Sends the submission. Resolves with `waiting` if other work must be done first. */
  send(attempt: DeliveryAttempt, context: Context): Promise<Outcome<DeliveryAnswer> | 'waiting'>
  /** Notifies the receiver that the submission was erased; absent if this delivery sends no such notice. */
  tellErasure?(event: string, form: Form, idempotencyKey: string): Promise<Outcome<Posted>>
}
