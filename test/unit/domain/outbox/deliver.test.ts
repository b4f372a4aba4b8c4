import { beforeEach, expect, test } from 'vitest'
import { deliver } from '../../../../server/domain/outbox/deliver'
import type { MailSender } from '../../../../server/ports/delivery'
import { isOver } from '../../../../server/domain/lifecycle/record'

import { testContext } from '../../../fakes/context'
import { FakeEndpoint, FakeMailer } from '../../../fakes/deliveries'
import { formsOf, type WrittenForm } from '../../../fakes/forms'
import { openTriage, type Triage } from '../../../fakes/triage'
import { submissionOf } from '../../../fixtures/views'

let triage: Triage

beforeEach(async () => { triage = await openTriage() })

test('an email that others keep waiting is put off, and no attempt is counted', async () => {
  triage.mailer.answers.push({ ok: false, reason: 'Others go first.', permanent: false, busy: true })
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  expect((await triage.store.get(id))!.work.find(({ kind }) => kind === 'email')).toMatchObject({ attempts: 0 })
  await triage.sweepAfter(60_000)
  expect(triage.mailer.calls).toHaveLength(2)
  expect(await triage.store.get(id)).toSatisfy(isOver)
})

test('to other receivers, or from another sender, is another delivery; the same again is the same one', async () => {
  const [mailer, endpoint] = [new FakeMailer(), new FakeEndpoint()]
  const send = async (kind: 'email' | 'endpoint', form: WrittenForm = {}, mail: Partial<MailSender> = {}) => {
    const outcome = await deliver(kind, submissionOf({ name: 'Ada' }), testContext({
      mailer, forms: formsOf({ endpoint, ...form }),
      mail: { fromAddress: 'forms@example.com', fromName: 'Formbot', to: [], ...mail },
    }))
    expect(outcome).toMatchObject({ ok: true })
  }
  const otherEndpoint = Object.assign(Object.create(endpoint) as FakeEndpoint, { url: 'https://other.example/inbox' })
  for (const form of [{}, { to: ['grace@example.com'] }, { to: ['team@example.com', 'grace@example.com'] }, {}]) {
    await send('email', form)
  }
  for (const mail of [{ fromAddress: 'other@example.com' }, { fromName: 'Forms' }]) await send('email', {}, mail)
  for (const form of [{}, { endpoint: otherEndpoint }, {}]) await send('endpoint', form)
  const emailKeys = mailer.calls.map(({ key }) => key)
  expect(emailKeys[3]).toBe(emailKeys[0])
  expect(new Set(emailKeys).size).toBe(5)
  const endpointKeys = endpoint.calls.map(({ key }) => key)
  expect([endpointKeys[2] === endpointKeys[0], new Set(endpointKeys).size]).toEqual([true, 2])
})
