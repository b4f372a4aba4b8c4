import { expect, test } from 'vitest'
import { messagesOf, textsIn } from '../../../../shared/texts'
import { plainText } from '../../../../shared/utils/line'
import { cardView } from '../../../../server/domain/cards/card-view'
import {
  byOrder, DELIVERIES, deliveriesOf, deliveryName, deliveryNames, targetsOf, vendorOf, wayOf,
} from '../../../../server/domain/deliveries/registry'
import { historyLine } from '../../../../server/domain/queries/details'
import { deliveryProblem } from '../../../../server/domain/queries/rows'
import type { Decision } from '../../../../server/ports/submission'
import { completeForm, formsOf, type WrittenForm } from '../../../fakes/forms'
import { ADA, openTriage } from '../../../fakes/triage'
import { waiting } from '../../../support/seed'

const HOUR = 60 * 60 * 1000

/** Submission stored by a different version of the service, which has a delivery that this version lacks */
function leftBehind(now: number) {
  const decision: Decision = { action: 'forward', reviewer: ADA, at: now }
  return waiting({
    receivedAt: now, state: 'settling', decision, delivered: ['email'],
    sent: [{ delivery: 'email', content: 'x', to: ['team@example.com'], at: now }],
    work: [{ key: 'fax#2', kind: 'fax', attempts: 1, reason: 'Busy.', dueAt: now }],
  })
}

test('deliveries have the keys and labels that are stored and shown, the email first', () => {
  expect(DELIVERIES.map(({ key, label }) => [key, label])).toEqual([
    ['email', 'Email'], ['endpoint', 'Endpoint'], ['channel', 'Channel copy'],
  ])
})

test.each(['en', 'de'])('each delivery has its name in the file of %s', (language) => {
  for (const { key } of DELIVERIES) {
    for (const place of ['delivery', 'deliveryInText']) {
      expect(messagesOf(language)).toHaveProperty([`card.${place}.${key}`])
    }
  }
})

test('names of deliveries are in the language of the cards, and in the words of their row in English', () => {
  expect(deliveryNames(['email', 'endpoint'], textsIn('de'))).toBe('E-Mail und Endpunkt')
  expect(DELIVERIES.map(({ key }) => deliveryName(key))).toEqual(DELIVERIES.map(({ label }) => label))
  expect(deliveryNames(['email', 'endpoint'])).toBe('email and endpoint')
  expect(deliveryName('fax', textsIn('de'))).toBe('fax')
})

test('a form has the deliveries that have targets; one that is not configured any more has the email', () => {
  const listed = (form: WrittenForm) => deliveriesOf(completeForm(form), waiting())
  expect(listed({})).toEqual(['email', 'endpoint'])
  expect(listed({ to: [] })).toEqual(['endpoint'])
  expect(listed({ endpoint: null })).toEqual(['email'])
  expect(deliveriesOf(formsOf().of('removed'), waiting())).toEqual(['email'])
})

test('a confirmation goes over the email provider, and an erasure to the endpoint', () => {
  expect([wayOf('confirm'), wayOf('erasure'), wayOf('email'), wayOf('endpoint')]).toEqual([
    'email', 'endpoint', 'email', 'endpoint',
  ])
  expect(vendorOf({ kind: 'post', room: 'discord/1' })).toBe('discord')
})

test('a delivery that only another version has keeps its key as a name, comes last, and has no targets', () => {
  expect(['fax', 'endpoint', 'email'].sort(byOrder(each => each))).toEqual(['email', 'endpoint', 'fax'])
  expect([deliveryName('fax'), targetsOf('fax', formsOf().all[0]!)]).toEqual(['fax', []])
})

test('a submission with a delivery that this version does not have is shown', () => {
  const submission = leftBehind(Date.now())
  const { notes } = cardView(submission, { siteUrl: null, forms: formsOf() })
  expect(notes.map(note => plainText(note)).join('\n')).toMatch(/Sent to team@example.com\nfax failed: Busy. Next attempt on/)
  expect(deliveryProblem(submission, room => room)).toMatchObject({ what: 'fax', reason: 'Busy.' })
  expect(historyLine({ at: 1, event: 'delivered', delivery: 'fax' }, room => room).text).toBe('fax delivered')
})

test('work of a delivery that this version does not have waits an hour for one that has it, then a person decides', async () => {
  const triage = await openTriage()
  const { store, runtime, mailer, endpoint } = triage
  const { id, ...submission } = leftBehind(runtime.now())
  await store.create({ id, ...submission })
  await triage.sweepAfter()
  expect(await store.get(id)).toMatchObject({ state: 'settling', work: [{ kind: 'fax', attempts: 1 }] })
  await triage.sweepAfter(HOUR)
  expect(await store.get(id)).toMatchObject({
    state: 'open', decision: null, failures: [{ delivery: 'fax', reason: 'fax is not configured any more.' }],
  })
  await triage.forward(id)
  expect([mailer.calls.length, endpoint.calls.length]).toEqual([1, 1])
  expect(await store.get(id)).toMatchObject({ state: 'settled' })
})
