import { expect, test } from 'vitest'
import { createFallback } from '../../../../server/adapters/email/fallback'
import type { Outcome } from '../../../../server/ports/delivery'
import { plainText } from '../../../../shared/utils/line'
import { cardView } from '../../../../server/domain/cards/card-view'
import { FakeMailer } from '../../../fakes/deliveries'
import { LEASE_MS, openTriage } from '../../../fakes/triage'

const [ADDRESS_A, ADDRESS_B] = ['ada@example.com', 'bob@example.com']
const refusal = (permanent: boolean): Outcome<undefined> => ({
  ok: false, permanent, reason: 'The mail server refused a recipient (550).',
  accepted: [ADDRESS_A], refused: [ADDRESS_B],
})
const lost: Outcome<undefined> = { ok: false, permanent: false, reason: 'It may have arrived.', mayHaveArrived: true }

const open = () => openTriage({ form: { to: [ADDRESS_A, ADDRESS_B], endpoint: null } })
type Triage = Awaited<ReturnType<typeof open>>
const notesOf = async (triage: Triage, id: string) => (
  cardView((await triage.store.get(id))!, triage).notes.map(plainText).join('\n')
)
const recipients = ({ mailer }: Triage) => mailer.calls.map(({ email }) => email.to)

test('an email that one of two recipients was refused is named, and sent again to that one alone', async () => {
  const triage = await open()
  triage.mailer.answers.push(refusal(true))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  expect((await triage.store.get(id))!.state).toBe('open')
  expect(await notesOf(triage, id)).toContain('Email failed: The mail server refused a recipient (550). Refused: bob@example.com.')
  expect(await notesOf(triage, id)).toMatch(/Sent to ada@example.com on (?!.*with other values)/)
  await triage.settle(triage.decide({ id, action: 'resend' }))
  expect(recipients(triage)).toEqual([[ADDRESS_A, ADDRESS_B], [ADDRESS_B]])
  expect(triage.mailer.calls[1]!.email.subject).not.toContain('Corrected')
  expect(triage.mailer.calls[1]!.key).not.toBe(triage.mailer.calls[0]!.key)
  const submission = (await triage.store.get(id))!
  expect(submission).toMatchObject({ sent: [{ delivery: 'email', to: [ADDRESS_A, ADDRESS_B] }] })
  expect(submission.sent![0]).not.toHaveProperty('refused')
})

test('the refused recipient may be replaced by another address', async () => {
  const triage = await open()
  triage.mailer.answers.push(refusal(true))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.settle(triage.decide({ id, action: 'resend', to: 'carol@example.com' }))
  expect(recipients(triage).at(-1)).toEqual(['carol@example.com'])
})

test('marked as spam, its card still says who has the email', async () => {
  const triage = await open()
  triage.mailer.answers.push(refusal(true))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.settle(triage.decide({ id, action: 'spam' }))
  expect(triage.board.history.at(-1)!.notes.join()).toMatch(/Sent to ada@example.com on (?!.*with other values)/)
})

test('an edit goes to all recipients again', async () => {
  const triage = await open()
  triage.mailer.answers.push(refusal(true))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.settle(triage.decide({ id, action: 'edit', values: { f0: 'Grace' } } as never))
  expect(recipients(triage).at(-1)).toEqual([ADDRESS_A, ADDRESS_B])
  expect(triage.mailer.calls.at(-1)!.email.subject).toContain('Corrected')
})

test('a recipient who is refused for the moment is tried again alone, without a decision', async () => {
  const triage = await open()
  triage.mailer.answers.push(refusal(false))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  expect(await notesOf(triage, id)).toContain('Sent to ada@example.com')
  await triage.sweepAfter(LEASE_MS)
  expect(recipients(triage)).toEqual([[ADDRESS_A, ADDRESS_B], [ADDRESS_B]])
  expect((await triage.store.get(id))!.state).toBe('settled')
})

test('an email whose answer was lost is sent again under its key, and the card says that it may be twice', async () => {
  const triage = await openTriage({ form: { to: [ADDRESS_A], endpoint: null } })
  triage.mailer.answers.push(lost)
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.sweepAfter(LEASE_MS)
  const [first, second] = triage.mailer.calls
  expect(second!.key).toBe(first!.key)
  expect((await triage.store.get(id))!.sent).toMatchObject([{ to: [ADDRESS_A], mayBeTwice: true }])
  expect(triage.board.history.at(-1)!.notes.join()).toContain('Email may have arrived twice')
})

function openFallback(triage: Triage) {
  const second = new FakeMailer()
  const first = triage.mailer
  Object.assign(triage, { mailer: createFallback(first, second) })
  return { first, second }
}

test('the fallback sends what was refused for good, and only to those who lack it', async () => {
  const triage = await open()
  const { first, second } = openFallback(triage)
  first.answers.push(refusal(true))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  expect(second.calls.map(({ email }) => email.to)).toEqual([[ADDRESS_B]])
  expect((await triage.store.get(id))!.state).toBe('settled')
})

test('the fallback sends at the ninth attempt, and not before', async () => {
  const triage = await open()
  triage.policy.retryForMs = 3 * 24 * 60 * 60_000
  const { first, second } = openFallback(triage)
  first.answers.push(...Array.from({ length: 9 }, () => ({ ok: false as const, permanent: false, reason: 'Down.' })))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  for (let attempt = 2; attempt <= 9; attempt++) {
    expect(second.calls).toEqual([])
    await triage.sweepAfter(60 * 60_000)
  }
  expect([first.calls.length, second.calls.length]).toEqual([9, 1])
  expect((await triage.store.get(id))!.state).toBe('settled')
})

test('the fallback sends when the time for retries is over, if that is before the ninth attempt', async () => {
  const triage = await open()
  const { first, second } = openFallback(triage)
  first.answers.push(...Array.from({ length: 3 }, () => ({ ok: false as const, permanent: false, reason: 'Down.' })))
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.sweepAfter(20 * 60_000)
  expect([first.calls.length, second.calls.length]).toEqual([2, 0])
  await triage.sweepAfter(20 * 60_000)
  expect([first.calls.length, second.calls.length]).toEqual([3, 1])
})

test('the fallback never sends what may have arrived, also in an earlier attempt', async () => {
  const triage = await open()
  const { first, second } = openFallback(triage)
  first.answers.push(lost, { ok: false, permanent: true, reason: 'Refused.' })
  const id = await triage.post({ name: 'Ada' })
  await triage.forward(id)
  await triage.sweepAfter(LEASE_MS)
  expect([first.calls.length, second.calls.length]).toEqual([2, 0])
  expect((await triage.store.get(id))!).toMatchObject({ state: 'open', failures: [{ reason: 'Refused.' }] })
})
