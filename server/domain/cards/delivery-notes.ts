import type { RichText } from '../../../shared/types/line'
import { english, joinNames, type Texts } from '../../../shared/texts'
import { dateTime, exactTime } from '../../../shared/utils/line'
import { FILE_LOST } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Delivery, DeliveryFailure, SentDelivery, Submission, Work } from '../../ports/submission'
import { isDefault } from '../deliveries/delivery'
import { byOrder, deliveriesOf, deliveryName, deliveryNames, leftOf, targetsOf } from '../deliveries/registry'
import { receiptNotes } from '../lifecycle/email-status'
import { canSendAgain, isDelivery, isLost, isPartial, isRevocable } from '../lifecycle/record'

/** Returns notes on the deliveries of a forward: those sent, in progress and given up. */
export function progressNotes(submission: Submission, form: Form, texts = english): RichText[] {
  const { delivered, failures, sent = [] } = submission
  const recipientsOf = (delivery: Delivery) => (
    sent.find(each => each.delivery === delivery)?.to ?? targetsOf(delivery, form)
  )
  const partial = sent.filter(each => isPartial(each, submission))
  const hasOwnNames = form.destinations.some(({ id }) => !isDefault(id))
  return [
    ...hasOwnNames
      ? [...sent.filter(({ delivery }) => delivered.includes(delivery)), ...partial].sort(byOrder(
          ({ delivery }) => delivery,
        )).map(each => sentNote(each, texts))
      : targetNotes('card.sentTo', [
          ...[...delivered].sort(byOrder(each => each)).flatMap(recipientsOf), ...partial.flatMap(({ to }) => to),
        ], texts),
    ...twiceNotes(submission, texts),
    ...sendingNotes(submission, form, texts),
    ...receiptNotes(submission, texts),
    ...submission.confirmation?.at ? [texts('card.confirmed', { at: dateTime(submission.confirmation.at) })] : [],
    // While the decision can be undone, the failures are from an earlier round: leave them out.
    ...isRevocable(submission) ? [] : failureNotes(failures, texts),
    ...sent.filter(each => !delivered.includes(each.delivery) && !isLost(each) && !isPartial(each, submission)).map(
      ({ to, at }) => texts('card.corrects', { targets: joinNames(to, texts), at: dateTime(at) }),
    ),
  ]
}

/** Returns what one of several destinations got, when, and with what answer. */
function sentNote({ delivery, to, at, status }: SentDelivery, texts: Texts): RichText {
  const values = { delivery: deliveryName(delivery, texts), targets: joinNames(to, texts), at: dateTime(at) }
  return status === undefined
    ? texts('card.sentEach', values)
    : texts('card.sentEachStatus', { ...values, status: String(status) })
}

function sendingNotes(submission: Submission, form: Form, texts: Texts): RichText[] {
  const { revocableUntil } = submission
  const targets = pendingDeliveries(submission).filter(({ reason }) => reason === undefined).flatMap(
    ({ kind }) => targetsOf(kind, form),
  )
  if (revocableUntil === undefined || targets.length === 0) return targetNotes('card.beingSentTo', targets, texts)
  return [texts('card.goesToAt', { targets: joinNames(targets, texts), at: exactTime(revocableUntil) })]
}

/** Returns notes on failed deliveries that will be retried, with the time of the next attempt. */
export function retryNotes(submission: Submission, texts: Texts): RichText[] {
  const failing = pendingDeliveries(submission).filter(({ reason }) => reason !== undefined)
  const endAt = Math.max(0, ...failing.map(work => work.endAt ?? 0))
  return [
    ...failing.map(({ kind, attempts, reason = '', dueAt }) => {
      const delivery = deliveryName(kind, texts)
      return attempts === 0
        ? texts('card.waitsInLine', { delivery })
        : texts('card.failedNext', { delivery, reason, at: dateTime(dueAt) })
    }),
    ...endAt > submission.expiresAt ? [texts('card.triedUntil', { at: dateTime(endAt) })] : [],
  ]
}

/** Returns notes after deliveries were given up: the failures, the successes, and the effect of another decision. */
export function reopenedNotes(submission: Submission, form: Form, texts: Texts): RichText[] {
  const { failures, delivered } = submission
  if (failures.length === 0) return []
  const remainingDeliveries = leftOf(submission, form)
  const isSplit = delivered.length > 0 && remainingDeliveries.length > 0
  const restKey = canSendAgain(submission) ? 'card.sendRest' : 'card.forwardRest'
  return [
    ...failureNotes(failures, texts),
    ...sentNotes(submission, texts),
    ...twiceNotes(submission, texts),
    ...receiptNotes(submission, texts),
    isSplit
      ? texts(restKey, {
          missing: deliveryNames(remainingDeliveries, texts), delivered: deliveryNames(delivered, texts),
          receivers: texts(deliveriesOf(form, submission).length > 2 ? 'card.list.all' : 'card.list.both'),
        })
      : texts('card.decideAgain'),
    ...failures.filter(({ reason }) => reason === FILE_LOST).map(
      ({ delivery }) => texts('card.withoutFile', { delivery: deliveryNames([delivery], texts) }),
    ),
  ]
}

/** Message below the cards about deliveries that were given up; empty if somebody has decided since. */
export function failureNews({ state, failures }: Submission, texts = english): string {
  if (state !== 'open' || failures.length === 0) return ''
  return [...failureNotes(failures, texts), texts('card.alert.decideAgain')].join(' ')
}

/** Returns the label of the forward button if some deliveries have succeeded before. */
export function retryLabel(submission: Submission, form: Form, texts = english): string | undefined {
  const remainingDeliveries = leftOf(submission, form)
  return submission.delivered.length > 0 && remainingDeliveries.length > 0
    ? texts('card.retry', { deliveries: deliveryNames(remainingDeliveries, texts) })
    : undefined
}

/** Returns notes on deliveries made before somebody changed the decision, or before other deliveries failed. */
export function sentNotes(submission: Submission, texts: Texts): RichText[] {
  const { sent = [], delivered } = submission
  return [...sent].sort(byOrder(({ delivery }) => delivery)).map((each) => {
    const key = isLost(each)
      ? 'card.sentBounced'
      : delivered.includes(each.delivery) || isPartial(each, submission) ? 'card.sentToAt' : 'card.sentChanged'
    return texts(key, { targets: joinNames(each.to, texts), at: dateTime(each.at) })
  })
}

/** Returns notes on emails that mail servers may have taken twice, because an answer was lost. */
function twiceNotes({ sent = [] }: Submission, texts: Texts): string[] {
  return sent.filter(({ mayBeTwice }) => mayBeTwice).map(
    ({ delivery }) => texts('card.mayBeTwice', { delivery: deliveryName(delivery, texts) }),
  )
}

function pendingDeliveries({ work }: Submission): (Work & { kind: Delivery })[] {
  return work.filter((item): item is Work & { kind: Delivery } => isDelivery(item.kind)).sort(byOrder(({ kind }) => (
    kind
  )))
}

function failureNotes(failures: readonly DeliveryFailure[], texts: Texts): string[] {
  return failures.map(({ delivery, reason }) => (
    texts('card.failed', { delivery: deliveryName(delivery, texts), reason })
  ))
}

function targetNotes(key: 'card.sentTo' | 'card.beingSentTo', targets: readonly string[], texts: Texts): string[] {
  return targets.length > 0 ? [texts(key, { targets: joinNames(targets, texts) })] : []
}
