import type { Form } from '../../ports/form'
import type { Delivery, Failure, Submission, Work } from '../../ports/submission'
import { readTime } from './time'
import { isDelivery } from './work'

export const DELIVERY_NAMES: Record<Delivery, string> = { email: 'Email', endpoint: 'Endpoint' }

const DELIVERIES: readonly Delivery[] = ['email', 'endpoint']

/** What a forward of this form does. Of one that is not configured any more, an attempt at least says so. */
export function deliveriesOf({ to, endpoint, missing }: Form): Delivery[] {
  return [...to.length > 0 || missing ? ['email' as const] : [], ...endpoint ? ['endpoint' as const] : []]
}

/** Where a delivery goes: addresses, or the host. */
export function targetsOf(delivery: Delivery, { to, endpoint }: Form): readonly string[] {
  return delivery === 'email' ? to : endpoint ? [endpoint.host] : []
}

/** The deliveries that a forward of the data as it is would do. */
export function leftOf({ delivered }: Submission, form: Form): Delivery[] {
  return deliveriesOf(form).filter(delivery => !delivered.includes(delivery))
}

/** What became of a forward so far: what was sent, what is on its way, what was given up. */
export function progressNotes(submission: Submission, form: Form): string[] {
  const { delivered, failures, sent = [] } = submission
  const sentTo = (delivery: Delivery) => sent.find(each => each.delivery === delivery)?.to ?? targetsOf(delivery, form)
  return [
    ...listed('Sent to', [...delivered].sort(byOrder(each => each)).flatMap(sentTo)),
    ...listed('Being sent to', underWay(submission).filter(({ reason }) => reason === undefined).flatMap(({ kind }) => targetsOf(kind, form))),
    ...failed(failures),
    ...sent.filter(({ delivery }) => !delivered.includes(delivery)).map(({ to, at }) => `Corrects what was sent to ${listOf(to)} on ${readTime(at)}`),
  ]
}

/** What failed and is tried again, and when. */
export function retryNotes(submission: Submission): string[] {
  return underWay(submission).flatMap(({ kind, reason, dueAt }) => reason === undefined ? [] : [`${DELIVERY_NAMES[kind]} failed: ${reason} Tried again on ${readTime(dueAt)}`])
}

/** What stands when deliveries were given up: what failed, what was sent, and what deciding again does. */
export function reopenedNotes(submission: Submission, form: Form): string[] {
  const { failures, delivered } = submission
  if (failures.length === 0) return []
  const left = leftOf(submission, form)
  const isPartial = delivered.length > 0 && left.length > 0
  return [
    ...failed(failures),
    ...sentNotes(submission),
    isPartial ? `Forward again to send only the ${listOf(left)}: the ${listOf(delivered)} has it. Edited values go to both` : 'Decide again to retry',
  ]
}

/** What the button that forwards says when a part of it was done before. */
export function retryLabel(submission: Submission, form: Form): string | undefined {
  const left = leftOf(submission, form)
  return submission.delivered.length > 0 && left.length > 0 ? `Retry ${listOf(left)}` : undefined
}

/** What was sent before somebody decided otherwise, or before the rest of it failed. */
export function sentNotes({ sent = [], delivered }: Submission): string[] {
  return sent.map(({ delivery, to, at }) => `Sent to ${listOf(to)} on ${readTime(at)}${delivered.includes(delivery) ? '' : ', with other values'}`)
}

function underWay({ work }: Submission): (Work & { kind: Delivery })[] {
  return work.filter((item): item is Work & { kind: Delivery } => isDelivery(item.kind)).sort(byOrder(({ kind }) => kind))
}

function failed(failures: readonly Failure[]): string[] {
  return failures.map(({ delivery, reason }) => `${DELIVERY_NAMES[delivery]} failed: ${reason}`)
}

function listed(what: string, targets: readonly string[]): string[] {
  return targets.length > 0 ? [`${what} ${listOf(targets)}`] : []
}

function listOf(names: readonly string[]): string {
  return names.join(' and ')
}

function byOrder<T>(delivery: (item: T) => Delivery) {
  return (a: T, b: T) => DELIVERIES.indexOf(delivery(a)) - DELIVERIES.indexOf(delivery(b))
}
