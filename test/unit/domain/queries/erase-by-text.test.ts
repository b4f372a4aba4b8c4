import { beforeEach, expect, test } from 'vitest'
import { InvalidRequest } from '../../../../server/domain/errors'
import { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import { Quarantine } from '../../../../server/domain/review/quarantine'
import { UnreadableRecord } from '../../../../server/ports/store'
import type { AuditLine } from '../../../../server/ports/submission'
import { ADA, openTriage, storeWaiting, type Triage } from '../../../fakes/triage'
import { submission } from '../../../fixtures/submissions'

const SEARCHED = 'Data that was forwarded and then deleted here was not searched. It still exists where it was sent, and perhaps on chat cards.'

let triage: Triage
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage({ revocableMs: { forward: 0, spam: 3_600_000 } })
  submissions = new OpsSubmissions(triage)
})
const forget = async (body: object) => {
  const forgotten = await submissions.eraseAll(body, ADA)
  await triage.runtime.drain()
  return forgotten
}
const state = async (id: string) => (await triage.store.get(id))?.state

test('whatever contains an address is erased, wherever it is, with a line of who did, and nothing else', async () => {
  const address = 'Ada@Example.com'
  const waiting = await triage.post({ order: { contact: [`<${address}>`] } })
  const held = await triage.receive({ note: `write to ${address}.` }, { held: true })
  const spam = await triage.post({ email: address })
  await triage.decide({ id: spam, action: 'spam' })
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  const kept = await triage.post({ [address]: 'yes' })
  await triage.decide({ id: kept, action: 'forward' })
  const others = [
    await triage.post({ email: 'canada@example.com' }), await triage.post({ email: 'ada@example.com.au' }),
    await triage.post({ email: 'ada@example-com' }),
  ]
  await triage.runtime.drain()
  expect(await forget({ email: 'ada@example.COM' })).toEqual({
    erased: 4, forbidden: 0, unreadable: [], before: null, unreachable: [
      'The email of 1 of them went to team@example.com.', 'The data of 1 of them went to downstream.example.com.',
      SEARCHED,
    ],
  })
  for (const id of [waiting, held, spam, kept]) expect(await triage.store.get(id)).toMatchObject({
    state: 'erased', data: null, erased: { reviewer: { id: ADA.id } },
  })
  expect(await Promise.all(others.map(state))).toEqual(['open', 'open', 'open'])
  const lines = (await triage.store.audit(10)).filter(({ outcome }) => outcome === 'erased')
  expect(lines.map(({ id, reviewer }) => [id, reviewer?.id]).sort()).toEqual(
    [waiting, held, spam, kept].sort().map(id => [id, ADA.id]),
  )
  expect(await forget({ email: 'ada@example.com' })).toEqual({
    erased: 0, forbidden: 0, unreadable: [], before: null, unreachable: [SEARCHED],
  })
})

test.each([
  ['ada@bücher.example', ['ada@bücher.example', 'ADA@BÜCHER.example', 'ada@xn--bcher-kva.example']],
  ['ada@xn--bcher-kva.example', ['<ada@bu\u0308cher.example>', 'ada@xn--bcher-kva.example']],
  ['ada@почта.рф', ['ada@почта.рф', 'ada@xn--80a1acny.xn--p1ai']],
  ['ada@xn--80a1acny.xn--p1ai', ['ada@почта.рф']],
])('%s is one address, whether its domain is written in its own letters or in ASCII', async (email, written) => {
  const ids = [await triage.post({ email: `canada${email.slice(3)}` })]
  for (const each of written) ids.push(await triage.post({ email: each }))
  expect(await forget({ email })).toMatchObject({ erased: written.length })
  expect(await Promise.all(ids.map(state))).toEqual(['open', ...written.map(() => 'erased')])
})

test('a text is found within values and keys, whatever its case and spaces', async () => {
  const found = [
    await triage.post({ who: 'the E\u0301LODIE\n Martin of old' }), await triage.post({ 'élodie martin': 1 }),
  ]
  const other = await triage.post({ who: 'Elodie', surname: 'Martin' })
  expect(await forget({ text: ' Élodie Martin ' })).toMatchObject({ erased: 2 })
  expect(await Promise.all([...found, other].map(state))).toEqual(['erased', 'erased', 'open'])
})

test('what was there before an edit counts, what came beside the form, and where it is to be confirmed', async () => {
  const ids = await storeWaiting(triage, [
    { data: { name: 'Grace' }, before: { name: 'Ada Lovelace' }, edited: ['name'] },
    { data: { name: 'Grace' }, envelope: { replyTo: 'ada+lovelace@example.com' } },
    { data: { name: 'Grace' }, confirmation: { to: 'ada+lovelace@example.com' } },
    { data: { name: 'Grace' } },
  ])
  expect(await forget({ email: 'ada+lovelace@example.com' })).toMatchObject({ erased: 2 })
  expect(await forget({ text: 'lovelace' })).toMatchObject({ erased: 1 })
  expect(await Promise.all(ids.map(state))).toEqual(['erased', 'erased', 'erased', 'open'])
})

test('a forward that could still be taken back has gone nowhere', async () => {
  const revocableUntil = triage.runtime.now() + 60_000
  const [id] = await storeWaiting(triage, [{
    data: { name: 'Ada Lovelace' }, state: 'settling', revocableUntil,
    decision: { action: 'forward', reviewer: ADA, at: triage.runtime.now() },
    work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: revocableUntil }],
  }])
  expect(await forget({ text: 'lovelace' })).toMatchObject({ erased: 1, unreachable: [SEARCHED] })
  expect(await triage.store.get(id!)).toMatchObject({ state: 'erased', work: [] })
  expect(triage.mailer.calls).toEqual([])
})

test('what is being sent counts among what went out', async () => {
  const sending = Promise.withResolvers<{ ok: true, value: undefined }>()
  triage.mailer.answers.push(sending.promise)
  const id = await triage.post({ name: 'Ada Lovelace' })
  await triage.decide({ id, action: 'forward' })
  const forgotten = await submissions.eraseAll({ text: 'lovelace' }, ADA)
  expect(forgotten.unreachable[0]).toBe('The email of 1 of them went to team@example.com.')
  sending.resolve({ ok: true, value: undefined })
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toMatchObject({ state: 'erased', sent: expect.arrayContaining([
    expect.objectContaining({ delivery: 'email', to: ['team@example.com'], content: '' }),
  ]) })
})

test('what somebody may not decide stays, and is counted', async () => {
  const id = await triage.post({ name: 'Ada Lovelace' })
  triage.presentation.forms.of(undefined).reviewers = ['slack:U2']
  expect(await forget({ text: 'Lovelace' })).toMatchObject({ erased: 0, forbidden: 1 })
  expect(await state(id)).toBe('open')
})

test('one of which nobody can read whose form it is, is erased by who may decide all forms', async () => {
  const forgotten: unknown[] = []
  const store = Object.assign(Object.create(triage.store) as Triage['store'], {
    get: async (id: string) => { throw new UnreadableRecord(id) },
    forget: async (...asked: unknown[]) => void forgotten.push(asked),
  })
  const erase = () => new Quarantine({ ...triage, store }).decide('erase', 'spoilt', ADA)
  triage.presentation.forms.of(undefined).reviewers = ['slack:U2']
  await expect(erase()).rejects.toMatchObject({ code: 'NOT_A_REVIEWER' })
  expect(forgotten).toEqual([])
  triage.presentation.forms.of(undefined).reviewers = undefined
  await erase()
  expect(forgotten).toEqual([['spoilt', { reviewer: ADA, at: triage.runtime.now() }]])
})

test('so much is looked through at once, and the next request goes on from there', async () => {
  const asked: (string | undefined)[] = []
  submissions = new OpsSubmissions({
    ...triage, store: Object.assign(Object.create(triage.store) as Triage['store'], {
      listPending: async ({ before, only }: { before?: string, only?: string }) => {
        asked.push(before)
        const page = Number(before?.split('-')[0] ?? 0) + 1
        return {
          submissions: only ? [] : [submission({ data: { name: 'Grace' } })], total: 0,
          cursor: only || page === 120 ? null : `${page}-x`,
        }
      },
    }),
  })
  const first = await forget({ text: 'Lovelace' })
  expect([first.erased, first.before, asked.length]).toEqual([0, 'pending 99-x', 100])
  expect(await forget({ text: 'Lovelace', before: first.before })).toMatchObject({ before: null })
  expect(asked.slice(100, 102)).toEqual(['99-x', '100-x'])
})

test('what was delivered and is kept is found, however many ended since', async () => {
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  const kept = await triage.post({ email: 'ada@example.com' })
  await triage.forward(kept)
  const [{ at, receivedAt }] = await triage.store.audit(1) as [AuditLine]
  // Same time for all, so that only the ids tell where a page begins.
  const since = Array.from({ length: 5200 }, (_, position): AuditLine => (
    { id: `z-${9999 - position}`, outcome: 'spam', at, reviewer: ADA, receivedAt }
  ))
  submissions = new OpsSubmissions({
    ...triage, store: Object.assign(Object.create(triage.store) as Triage['store'], {
      audit: async (limit: number, from = -Infinity) => (
        [...since, ...await triage.store.audit(limit)].filter(line => line.at >= from).slice(0, limit)
      ),
    }),
  })
  const first = await forget({ email: 'ada@example.com' })
  expect(first).toMatchObject({ erased: 0, before: expect.stringMatching(/^over \d+-z-5150$/) as string })
  expect(await forget({ email: 'ada@example.com', before: first.before })).toMatchObject({ erased: 1, before: null })
  expect(await state(kept)).toBe('erased')
})

test('what was forwarded on its last day is found while it is kept', async () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const id = await triage.post({ email: 'ada@example.com' })
  triage.runtime.time += 6.9 * DAY_MS
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  await triage.forward(id)
  triage.runtime.time += DAY_MS / 48
  expect(await forget({ email: 'ada@example.com' })).toMatchObject({ erased: 1 })
})

test('two who forget the same at once erase each of them once', async () => {
  const ids = await storeWaiting(triage, Array.from({ length: 5 }, () => ({ data: { email: 'ada@example.com' } })))
  const [one, other] = await Promise.all([forget({ email: 'ada@example.com' }), forget({ text: 'ada@example' })])
  expect([one!.erased + other!.erased, one!.before, other!.before]).toEqual([5, null, null])
  expect(new Set(await Promise.all(ids.map(state)))).toEqual(new Set(['erased']))
})

const SHAPE = 'Send {"email":"ada@example.com"} or {"text":"Ada Lovelace"}'

test.each([
  [{}, SHAPE], [null, SHAPE], ['Ada', SHAPE], [{ email: 'ada@example.com', text: 'Ada' }, SHAPE],
  [{ text: 'ab' }, 'text: must have at least 3 characters.'],
  [{ text: '  a   ' }, 'text: must have at least 3 characters.'],
  [{ email: 'ada' }, 'email: must be an email address.'],
  [{ text: 'Ada', before: 'elsewhere 1-a' }, 'before: must be the cursor from the previous answer.'],
])('%j is refused, and told what to send', async (body, message) => {
  const asked = async () => submissions.eraseAll(body, ADA)
  await expect(asked).rejects.toThrow(InvalidRequest)
  await expect(asked).rejects.toThrow(message)
})
