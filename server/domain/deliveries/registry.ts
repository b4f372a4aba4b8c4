import { joinNames, english, rowText } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { Form, Forms } from '../../ports/form'
import type {
  Delivery, OtherWork, Submission, SubmissionRecord, Work, WorkTarget,
} from '../../ports/submission'
import type { DeliveryRow } from './delivery'
import { isDelivery, isPartial } from '../lifecycle/record'
import { channelDelivery } from './channel'
import { matches } from './condition'
import { emailDelivery } from './email'
import { endpointDelivery } from './endpoint'

/** All kinds of destinations, in the order in which people see them */
export const DELIVERIES = [emailDelivery, endpointDelivery, channelDelivery] as const

const ROWS: readonly DeliveryRow[] = DELIVERIES

/** Returns the kind of a destination, and its name; without a name it is the default one of its kind. */
function partsOf(delivery: Delivery): [kind: string, name: string | undefined] {
  const [kind, name] = delivery.split(/:(.*)/s)
  return [kind!, name]
}

/** Returns the kind of a destination; undefined if only another version has it, which a stored submission may name. */
export function rowOf(delivery: Delivery): DeliveryRow | undefined {
  const [kind] = partsOf(delivery)
  return ROWS.find(({ key }) => key === kind)
}

/** Returns the name for people, even if only another version has the kind. */
export function deliveryName(delivery: Delivery, texts = english): string {
  const [kind, name] = partsOf(delivery)
  return name === undefined
    ? rowText(`card.delivery.${kind}`, rowOf(kind)?.label ?? visible(kind), texts)
    : visible(name)
}

/** Names of deliveries inside a sentence. */
export function deliveryNames(deliveries: readonly Delivery[], texts = english): string {
  return joinNames(deliveries.map((delivery) => {
    const name = deliveryName(delivery, texts)
    const [kind, ownName] = partsOf(delivery)
    return ownName === undefined ? rowText(`card.deliveryInText.${kind}`, name.toLowerCase(), texts) : name
  }), texts)
}

/** Returns the deliveries of a forward. For a removed form, only an email: its attempt reports the removal. */
export function deliveriesOf(form: Form, submission: Submission): Delivery[] {
  if (form.missing) return [ROWS[0]!.key]
  return form.destinations.filter(({ when }) => !when || matches(when, submission, form)).map(({ id }) => id)
}

/** Returns the destinations of all forms. */
export function allDeliveries({ all }: Forms): Delivery[] {
  const ids = all.flatMap(({ destinations }) => destinations).map(({ id }) => id)
  return [...new Set(ids)].sort(byOrder(id => id))
}

/** Returns the receivers that work or fail as one, by the name of their health note. */
export function deliveryParts(forms: Forms): Delivery[] {
  return [...new Set(allDeliveries(forms).map(id => wayOf(id)))]
}

/** Returns the destinations that get a notice of an erasure: those that may have the data. */
export function toldErasures({ destinations }: Form, { sent = [], work }: SubmissionRecord): Delivery[] {
  const hasIt = (id: Delivery) => (
    sent.some(({ delivery }) => delivery === id) || work.some(({ kind }) => kind === id)
  )
  return destinations.filter(({ id, when }) => rowOf(id)?.tellErasure && (!when || hasIt(id))).map(({ id }) => id)
}

/** Returns the targets of all destinations, whatever their conditions. */
export function allTargets(form: Form): string[] {
  return form.destinations.flatMap(({ id }) => targetsOf(id, form))
}

/** Returns all email addresses that forwards of this form go to. */
export function allAddresses({ destinations }: Form): string[] {
  return destinations.flatMap(each => rowOf(each.id)?.hasAddresses ? rowOf(each.id)!.targets(each) : [])
}

/** Returns the targets of a delivery, for people; empty if the form no longer has this destination. */
export function targetsOf(delivery: Delivery, form: Form): readonly string[] {
  const destination = form.destinations.find(({ id }) => id === delivery)
  return destination ? rowOf(delivery)?.targets(destination) ?? [] : []
}

/** Returns the deliveries still to be made if the unchanged data is forwarded. */
export function leftOf(submission: Submission, form: Form): Delivery[] {
  return deliveriesOf(form, submission).filter(delivery => !submission.delivered.includes(delivery))
}

/**
 * Returns the form, with the email addresses that the reviewer chose instead, if any. Leaves out recipients who have
 * the email while others were refused.
 */
export function formOf(submission: Submission, { forms }: { forms: Forms }): Form {
  const { form: key, decision, sent = [] } = submission
  const form = forms.of(key)
  const partial = sent.filter(each => isPartial(each, submission))
  if (!decision?.to && partial.length === 0) return form
  const first = form.destinations.find(({ id }) => rowOf(id)?.hasAddresses)
  const replacedId = decision?.to && (decision.toOf ?? first?.id)
  return { ...form, destinations: form.destinations.map((destination) => {
    const { id } = destination
    const chosen = id === replacedId ? { ...destination, to: decision!.to, cc: undefined, bcc: undefined } : destination
    const reached = partial.find(({ delivery }) => delivery === id)?.to ?? []
    const targets = rowOf(id)!.targets(chosen)
    const rest = targets.filter(address => !reached.includes(address))
    return rest.length > 0 && rest.length < targets.length
      ? { ...chosen, to: rest, cc: undefined, bcc: undefined }
      : chosen
  }) }
}

/** Compares by the order in which people see deliveries. Deliveries of other versions come last. */
export function byOrder<T>(deliveryOf: (item: T) => Delivery) {
  const positionOf = (item: T) => {
    const [kind] = partsOf(deliveryOf(item))
    const index = ROWS.findIndex(({ key }) => key === kind)
    return index < 0 ? ROWS.length : index
  }
  return (a: T, b: T) => positionOf(a) - positionOf(b)
}

/** Returns the kind that sends this other work to its receiver. */
function carrierOf(kind: OtherWork): DeliveryRow | undefined {
  return ROWS.find(({ carries = [] }) => carries.includes(kind))
}

/** Returns the receiver of this work, as a health note names it; only for work without a card. */
export function wayOf(kind: Work['kind'], delivery?: Delivery): Delivery {
  if (!isDelivery(kind)) return delivery ?? carrierOf(kind as OtherWork)?.key ?? kind
  const row = rowOf(kind)
  return row?.isShared ? row.key : kind
}

/** Returns the vendor of the work: the key of a platform, or the receiver of a delivery. */
export function vendorOf({ kind, room, card, delivery }: WorkTarget): string {
  return (room ?? card?.platform)?.split('/')[0] ?? wayOf(kind, delivery)
}
