import type { z } from 'zod'
import type { DeliveryTexts } from '../../../shared/deliveries'
import type { Endpoint, EndpointSettings, IsGivenUp, Outcome, Posted } from '../../ports/delivery'
import type { StoredFile } from '../../ports/files'
import type { Destination, Form } from '../../ports/form'
import type { CardView } from '../../ports/board'
import type { CardRef, Delivery, OtherWork, SentDelivery, Submission } from '../../ports/submission'
import type { Context } from '../context'

/** True for the destinations that are there by default: their id is the kind alone. */
export const isDefault = (delivery: Delivery) => !delivery.includes(':')

/** Tools to set up destinations when the service starts. */
export interface OpenTools {
  /** Creates an endpoint that signs its requests. */
  endpoint: (settings: EndpointSettings) => Endpoint
}

interface DeliveryAttempt {
  submission: Submission
  form: Form
  destination: Destination
  /** Stays the same in retries, and when the same data is forwarded to the same targets again. */
  idempotencyKey: string
  /** Earlier transmission with other values; this one replaces it. */
  corrected?: Pick<SentDelivery, 'at'>
  /** Returns the card without buttons. */
  copy: () => CardView
  /** Asks if no further attempt follows a failure. */
  isGivenUp?: IsGivenUp
}

interface DeliveryAnswer {
  /** HTTP status of the answer. */
  status?: number
  /** Message id at the provider, which later reports its status. */
  messageId?: string
  /** Time to keep the form data while we wait for that status, ms. */
  keepMs?: number
  /** Copy of the card that was posted. */
  card?: CardRef
}

/** One kind of destination, with everything that distinguishes it from the others. */
export interface DeliveryRow<
  Key extends string = string, Settings extends z.core.$ZodShape = z.core.$ZodShape,
> extends DeliveryTexts {
  /** Permanent key: ids of destinations begin with it. */
  readonly key: Key
  /** Name of the copy at the receiver, capitalised for the start of a sentence. */
  readonly copyName: string
  /** Other work that goes to the same receiver. */
  readonly carries?: readonly OtherWork[]
  /** True if its targets are addresses, which a reviewer may replace. */
  readonly hasAddresses?: true
  /** True if its provider later reports the status of a message, such as a bounce. */
  readonly reportsStatus?: true
  /** True if one service carries the messages to all its destinations, so that they work or fail together. */
  readonly isShared?: true
  /** True if no form has it by default. */
  readonly isOptional?: true
  /** True if we can erase what it delivered. */
  readonly isErasable?: true
  /** Minimum pause between two messages to a receiver that works again after an outage, ms. */
  readonly intervalMs: number
  /** Settings of one destination in `forms.config.ts`. */
  readonly settings: Settings
  /** Returns the name of a destination that sets none. */
  nameOf(settings: z.output<z.ZodObject<Settings>>): string
  /** Returns the members of each destination that the settings make; several if each recipient gets an own message. */
  open(settings: z.output<z.ZodObject<Settings>>, tools: OpenTools): Partial<Destination>[]
  /** Returns the addresses, or the host, as people see them; never empty. */
  targets(destination: Destination): readonly string[]
  /** Returns who works or fails as one, e.g. a host; null if it never rests after failures. */
  receiverOf(destination: Destination, context: Context): string | null
  /** True if it sends links to some of these files; the files must then be kept after the delivery. */
  linksFiles(files: readonly StoredFile[], destination: Destination): boolean
  /** Values that identify a message, besides the data: if all are the same, sending it again is a retry. */
  identity(destination: Destination, context: Context): readonly (string | undefined)[]
  /** Sends the submission. Resolves with `waiting` if other work must be done first. */
  send(attempt: DeliveryAttempt, context: Context): Promise<Outcome<DeliveryAnswer> | 'waiting'>
  /** Notifies the receiver that the submission was erased; absent if this kind sends no such notice. */
  tellErasure?(event: string, destination: Destination, idempotencyKey: string): Promise<Outcome<Posted>>
}
