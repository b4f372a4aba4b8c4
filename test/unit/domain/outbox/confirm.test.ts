import { beforeEach, describe, expect, test } from 'vitest'
import { forgetAll } from '../../../../server/domain/queries/erase-by-text'
import { progressNotes } from '../../../../server/domain/cards/delivery-notes'
import type { Submission } from '../../../../server/ports/submission'
import { plainText } from '../../../../shared/utils/line'
import { ADA, LEASE_MS, openTriage, type Triage } from '../../../fakes/triage'
import { claimed, finish, kinds, LEASE, NOW, posted, REVIEWER, step } from '../../../fixtures/lifecycle'

const WORDS = { subject: 'We have your message', text: 'Thank you. We answer within two days.' }
const DATA = { name: 'Grace', email: 'grace@example.com', message: 'Hello' }
const DOWN = { ok: false, reason: 'Resend answered 500.', permanent: false } as const
const REFUSED = { ok: false, reason: 'Resend refused the email (422).', permanent: true } as const
const FORWARD = { form: { confirm: WORDS } }

let t: Triage
beforeEach(async () => void (t = await openTriage(FORWARD)))
const reopen = async (options: Parameters<typeof openTriage>[0]) => { t = await openTriage({ ...FORWARD, ...options }) }
const confirmations = () => t.mailer.calls.filter(({ email }) => email.subject === WORDS.subject)
const load = async (id: string) => (await t.store.get(id))!
const contains = (submission: Submission, text: string) => JSON.stringify(submission).includes(text)

/** Progress notes of a forward. */
const progressText = async (id: string) => progressNotes(
  await load(id), t.forms.of(undefined),
).map(plainText).join('\n')

/** Sweeps until all due work has been retried. */
async function sweepLater() {
  await t.sweepAfter(30 * 60_000)
}

test('whoever sent a form is told after its forward, in the words of the form, with nothing that they wrote', async () => {
  const id = await t.post(DATA)
  expect(t.mailer.calls).toEqual([])
  await t.forward(id)
  expect(t.mailer.calls.map(({ email }) => email.to)).toEqual([['team@example.com'], ['grace@example.com']])
  expect(confirmations()).toMatchObject([{
    email: {
      from: 'Formbot <forms@example.com>', to: ['grace@example.com'], ...WORDS,
      headers: { 'Auto-Submitted': 'auto-replied' },
    },
    key: expect.stringMatching(RegExp(`^${id}-confirm-[0-9a-f]{16}$`)),
  }])
  const [{ email }] = confirmations() as [ReturnType<typeof confirmations>[number]]
  expect(email).not.toHaveProperty('replyTo')
  expect(email).not.toHaveProperty('submission')
  for (const value of ['Grace', 'Hello', id]) expect(JSON.stringify(email)).not.toContain(value)
  expect((await load(id)).confirmation).toEqual({ at: t.runtime.time })
  expect(await progressText(id)).toMatch(/Confirmed to its sender on 21 Nov 2026, \d\d:\d\d UTC/)
})

test('nobody is told of a form without such words, of spam, or where the form has no address', async () => {
  for (const data of [{ name: 'Grace' }, { email: 'grace@' }]) await t.forward(await t.post(data))
  const spamId = await t.post(DATA)
  await t.settle(t.decide({ id: spamId, action: 'spam' }))
  expect(confirmations()).toEqual([])
  await reopen({ form: {} })
  await t.forward(await t.post(DATA))
  expect(t.mailer.calls).toHaveLength(1)
})

test('an edit says where the confirmation goes, and `_replyto` before any field', async () => {
  const id = await t.post(DATA)
  await t.settle(t.decide({ id, action: 'edit', values: { f1: 'ada@example.com' } }))
  const repliedId = await t.settle(t.receive({ ...DATA, message: 'x' }, { envelope: { replyTo: 'lin@example.com' } }))
  await t.forward(repliedId)
  expect(confirmations().map(({ email }) => email.to[0])).toEqual(['ada@example.com', 'lin@example.com'])
})

test('of two addresses nobody is told, until the form says which one is its sender\'s', async () => {
  const data = { 'home email': 'ada@example.com', 'work email': 'grace@example.com' }
  await t.forward(await t.post(data))
  expect(confirmations()).toEqual([])
  await reopen({ form: { confirm: WORDS, replyTo: 'work email' } })
  await t.forward(await t.post(data))
  await t.forward(await t.post({ friend_email: 'lin@example.com', email: 'grace@example.com' }))
  expect(confirmations().map(({ email }) => email.to)).toEqual([['grace@example.com']])
})

describe('the address alone outlives the form', () => {
  test('until the confirmation is out, with a key that makes it one', async () => {
    const id = await t.post(DATA)
    t.mailer.answers.push({ ok: true, value: undefined }, DOWN)
    await t.forward(id)
    const waitingSubmission = await load(id)
    expect(waitingSubmission).toMatchObject({
      state: 'settled', data: null, confirmation: { to: DATA.email }, work: [{ kind: 'confirm', attempts: 1 }],
    })
    expect(contains(waitingSubmission, 'Grace') || contains(waitingSubmission, 'Hello')).toBe(false)
    expect(await progressText(id)).not.toContain('Confirmed')
    await sweepLater()
    const [first, second] = confirmations()
    expect([first!.key, first!.email]).toEqual([second!.key, second!.email])
    const confirmedSubmission = await load(id)
    const { confirmation, work } = confirmedSubmission
    expect([confirmation, work, contains(confirmedSubmission, DATA.email)]).toEqual([{ at: t.runtime.time }, [], false])
    await sweepLater()
    expect(confirmations()).toHaveLength(2)
  })

  test('also when the process ended before it was sent', async () => {
    const id = await t.post(DATA)
    let failDelivery = () => {}
    t.mailer.answers.push({ ok: true, value: undefined }, new Promise(resolve => failDelivery = () => resolve(DOWN)))
    await t.decide({ id, action: 'forward' })
    await t.runtime.turn()
    while (confirmations().length === 0) await t.runtime.turn()
    // The process that was sending it has crashed.
    t.runtime.time += LEASE_MS + 1
    await t.sweep()
    expect((await load(id)).confirmation?.at).toBe(t.runtime.time)
    failDelivery()
    await t.runtime.drain()
    expect(new Set(confirmations().map(({ key }) => key)).size).toBe(1)
    expect(contains(await load(id), DATA.email)).toBe(false)
  })

  test('and goes when it is refused, given up, or its form confirms nothing any more', async () => {
    const refusedId = await t.post(DATA)
    t.mailer.answers.push({ ok: true, value: undefined }, REFUSED)
    await t.forward(refusedId)
    const failedId = await t.post({ ...DATA, message: 'other' })
    t.mailer.answers.push({ ok: true, value: undefined }, ...Array<typeof DOWN>(9).fill(DOWN))
    await t.forward(failedId)
    for (let attempts = 1; attempts < 9; attempts++) await sweepLater()
    const changedId = await t.post({ ...DATA, email: 'lin@example.com' })
    t.mailer.answers.push({ ok: true, value: undefined }, DOWN)
    await t.forward(changedId)
    t.forms.of(undefined).confirm = undefined
    await sweepLater()
    for (const id of [refusedId, failedId, changedId]) {
      const { confirmation, work } = await load(id)
      expect([confirmation, work]).toEqual([undefined, []])
      for (const to of [DATA.email, 'lin@example.com']) expect(contains(await load(id), to)).toBe(false)
    }
    expect(confirmations()).toHaveLength(11)
  })

  test('and is erased with everything else', async () => {
    const ids = [await t.post(DATA), await t.post({ ...DATA, message: 'other' })]
    for (const id of ids) {
      t.mailer.answers.push({ ok: true, value: undefined }, DOWN)
      await t.forward(id)
    }
    await t.quarantine.decide('erase', ids[0]!, ADA)
    expect(await forgetAll({ email: DATA.email }, ADA, t, t.quarantine)).toMatchObject({ erased: 1 })
    await sweepLater()
    expect(confirmations()).toHaveLength(2)
    for (const id of ids) expect(contains(await load(id), DATA.email)).toBe(false)
  })
})

describe('a forward that does not stand', () => {
  test('that was undone in time is not confirmed, and forgets the address', () => {
    const undoableSubmission = step(posted(), claimed({ revocableMs: 10_000, confirm: DATA.email })).next
    expect([undoableSubmission.confirmation, kinds(undoableSubmission).includes('confirm')]).toEqual([
      { to: DATA.email }, false,
    ])
    const { next } = step(undoableSubmission, { type: 'revoked', action: 'forward', reviewer: REVIEWER }, NOW + 1)
    expect([next.confirmation, kinds(next).includes('confirm')]).toEqual([undefined, false])
    expect(finish(finish(step(undoableSubmission, {
      type: 'leased', keys: undoableSubmission.work.map(({ key }) => key),
    }, NOW + LEASE).next, 'email').next, 'endpoint').added).toMatchObject([{ kind: 'confirm' }])
  })

  test('of which a part failed is confirmed when all was sent, once', async () => {
    const id = await t.post(DATA)
    t.endpoint.answers.push({ ok: false, reason: 'Answered 400.', permanent: true })
    await t.forward(id)
    expect([(await load(id)).state, (await load(id)).confirmation, confirmations()]).toEqual(['open', undefined, []])
    await t.forward(id)
    expect(confirmations()).toHaveLength(1)
  })

  test('that came back while its confirmation was waiting is not confirmed until it is sent again', async () => {
    const id = await t.post(DATA)
    t.mailer.answers.push({ ok: true, value: 'message-1' }, DOWN)
    await t.forward(id)
    await t.outbox.apply(id, [{ type: 'receipt', messageId: 'message-1', receipt: { verdict: 'bounced' } }])
    expect(await load(id)).toMatchObject({ state: 'open', work: expect.not.arrayContaining([
      expect.objectContaining({ kind: 'confirm' }),
    ]) })
    await sweepLater()
    expect(confirmations()).toHaveLength(1)
    await t.settle(t.decide({ id, action: 'resend', to: 'boss@example.com' }))
    expect([confirmations().length, (await load(id)).confirmation?.at]).toEqual([2, t.runtime.time])
  })

  test('that came back after its confirmation is not confirmed twice', async () => {
    const id = await t.post(DATA)
    t.mailer.answers.push({ ok: true, value: 'message-1' })
    await t.forward(id)
    await t.outbox.apply(id, [{ type: 'receipt', messageId: 'message-1', receipt: { verdict: 'bounced' } }])
    await t.settle(t.decide({ id, action: 'resend', to: 'boss@example.com' }))
    expect(confirmations()).toHaveLength(1)
  })
})

test('addresses that differ in case, dots or a tag get three a day together; trying again counts once', async () => {
  for (const email of ['grace@example.com', 'Gr.ace@Example.com', 'grace+x@example.com', 'g.race+y@example.com']) {
    const id = await t.post({ email })
    t.mailer.answers.splice(0, 2, { ok: true, value: undefined }, DOWN)
    await t.forward(id)
    await sweepLater()
  }
  t.mailer.answers.length = 0
  expect(new Set(confirmations().map(({ key }) => key)).size).toBe(3)
  await t.forward(await t.post({ email: 'lin@example.com' }))
  expect(confirmations().at(-1)!.email.to).toEqual(['lin@example.com'])
})

test('a store that cannot count has it wait, and no attempt is counted', async () => {
  const id = await t.post(DATA)
  const { take } = t.confirmations
  t.confirmations.take = () => Promise.reject(new Error('away'))
  await t.forward(id)
  expect((await load(id)).work).toMatchObject([{ kind: 'confirm', attempts: 0 }])
  t.confirmations.take = take
  await sweepLater()
  expect(confirmations()).toHaveLength(1)
})
