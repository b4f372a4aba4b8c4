import { joinNames, english, rowText } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { Form, Forms } from '../../ports/form'
import type { Delivery, OtherWork, Submission, Work, WorkTarget } from '../../ports/submission'
import type { DeliveryRow, OpenTools } from './delivery'
import { isDelivery } from '../lifecycle/record'
import { emailDelivery } from './email'
import { endpointDelivery } from './endpoint'

const ROWS = [emailDelivery, endpointDelivery] as const

/** All deliveries, in the order in which people see them */
export const DELIVERIES: readonly DeliveryRow[] = ROWS

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (all: infer All) => void
  ? All
  : never

/** Settings of a form for its deliveries */
export const DELIVERY_SETTINGS = Object.assign({}, ...ROWS.map(({ settings }) => settings)) as Intersection<
  typeof ROWS[number]['settings']
>

const NOWHERE: Form = { rooms: [], to: [], endpoint: null, labels: {} }

/** Returns the form fields that deliveries use. @param standard the default form; absent for the default form itself */
export function openDeliveries(
  settings: Record<string, unknown>, tools: OpenTools, standard = NOWHERE,
): Pick<Form, 'to' | 'endpoint'> {
  return Object.assign({ to: [], endpoint: null }, ...DELIVERIES.map(row => row.open(settings, standard, tools)))
}

/** Returns a delivery; undefined if only another version has it: a stored submission may still name it. */
export function rowOf(delivery: Delivery): DeliveryRow | undefined {
  return DELIVERIES.find(({ key }) => key === delivery)
}

/** Returns the name for people, even if only another version has the delivery. */
export function deliveryName(delivery: Delivery, texts = english): string {
  return rowText(`card.delivery.${delivery}`, rowOf(delivery)?.label ?? visible(delivery), texts)
}

/** Names of deliveries inside a sentence. */
export function deliveryNames(deliveries: readonly Delivery[], texts = english): string {
  return joinNames(deliveries.map(delivery => (
    rowText(`card.deliveryInText.${delivery}`, deliveryName(delivery, texts).toLowerCase(), texts)
  )), texts)
}

/** Returns the deliveries of a forward. For a removed form, only the first: its attempt reports the removal. */
export function deliveriesOf(form: Form): Delivery[] {
  return DELIVERIES.filter((row, index) => row.isWanted(form) || (form.missing && index === 0)).map(({ key }) => key)
}

/** Returns the deliveries that some form has. */
export function allDeliveries({ all }: Forms): Delivery[] {
  return [...new Set(all.flatMap(deliveriesOf))]
}

/** Returns the targets of a delivery, for people; empty if the form no longer has this delivery. */
export function targetsOf(delivery: Delivery, form: Form): readonly string[] {
  return rowOf(delivery)?.targets(form) ?? []
}

/** Returns the deliveries still to be made if the unchanged data is forwarded. */
export function leftOf({ delivered }: Submission, form: Form): Delivery[] {
  return deliveriesOf(form).filter(delivery => !delivered.includes(delivery))
}

/** Compares by the order in which people see deliveries. Deliveries of other versions come last. */
export function byOrder<T>(deliveryOf: (item: T) => Delivery) {
  const positionOf = (item: T) => {
    const index = DELIVERIES.findIndex(({ key }) => key === deliveryOf(item))
    return index < 0 ? DELIVERIES.length : index
  }
  return (a: T, b: T) => positionOf(a) - positionOf(b)
}

/** Returns the delivery that sends this other work to its receiver. */
export function carrierOf(kind: OtherWork): DeliveryRow | undefined {
  return DELIVERIES.find(({ carries = [] }) => carries.includes(kind))
}

/** Returns the delivery that sends this work to its receiver; only for work without a card. */
export function wayOf(kind: Work['kind']): Delivery {
  return isDelivery(kind) ? kind : carrierOf(kind as OtherWork)?.key ?? kind
}

/** Returns the vendor of the work: the key of a platform or of a delivery. */
export function vendorOf({ kind, room, card }: WorkTarget): string {
  return (room ?? card?.platform)?.split('/')[0] ?? wayOf(kind)
}
