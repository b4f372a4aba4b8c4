import type { z } from 'zod'
import type { DeliveryTexts } from '../../../shared/deliveries'
import type { Endpoint, Outcome, Posted } from '../../ports/delivery'
import type { StoredFile } from '../../ports/files'
import type { Form } from '../../ports/form'
import type { Delivery, OtherWork, SentDelivery, Submission } from '../../ports/submission'
import type { Context } from '../context'

/** Makes what a form needs to send, when the service starts. */
export interface OpenTools {
  /** An endpoint that signs its requests. */
  endpoint: (url: string) => Endpoint
}

interface DeliveryAttempt {
  submission: Submission
  form: Form
  /** The same for a retry and for another forward of the same data to the same targets. */
  idempotencyKey: string
  /** Earlier transmission with other values, which this one corrects. */
  corrected?: Pick<SentDelivery, 'at'>
}

interface DeliveryAnswer {
  /** HTTP status of the answer. */
  status?: number
  /** Message id at the provider, which later reports its status. */
  messageId?: string
  /** How long the form data is kept while that status is awaited, ms. */
  keepMs?: number
}

/** One way to deliver forwards, with everything that distinguishes it from the others. */
export interface DeliveryRow<Settings extends z.core.$ZodShape = z.core.$ZodShape> extends DeliveryTexts {
  /** Stored with submissions, and part of the API, metrics and webhooks: it never changes. */
  readonly key: Delivery
  /** Name of the copy at the receiver, capitalised for the start of a sentence. */
  readonly copyName: string
  /** Other work that goes to the same receiver. */
  readonly carries?: readonly OtherWork[]
  /** True if its targets are addresses, which a reviewer may replace. */
  readonly hasAddresses?: true
  /** True if its provider reports later what became of a message. */
  readonly reportsStatus?: true
  /** Settings of a form in `forms.config.ts`. */
  readonly settings: Settings
  /** Returns its fields of the form. What the settings leave out is as in the default form. */
  open(settings: z.output<z.ZodObject<Settings>>, standard: Form, tools: OpenTools): Partial<Form>
  /** True if a forward of this form makes it. */
  isWanted(form: Form): boolean
  /** Addresses or host, for people. */
  targets(form: Form): readonly string[]
  /** True if it sends links to some of these files; they have to work after the delivery. */
  linksFiles(files: readonly StoredFile[], form: Form): boolean
  /** Values that identify a message, besides the data: if all are the same, sending it again is a retry. */
  identity(form: Form, context: Context): readonly (string | undefined)[]
  /** Sends the submission. Resolves with `waiting` if other work goes first. */
  send(attempt: DeliveryAttempt, context: Context): Promise<Outcome<DeliveryAnswer> | 'waiting'>
  /** Tells the receiver that everything was erased; absent if it is not told. */
  tellErasure?(event: string, form: Form, idempotencyKey: string): Promise<Outcome<Posted>>
}
