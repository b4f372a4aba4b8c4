import { beforeEach, expect, test } from 'vitest'
import { InvalidRequest } from '../../../../server/domain/errors'
import type { OpsSubmissions } from '../../../../server/domain/queries/ops-submissions'
import { Quarantine } from '../../../../server/domain/review/quarantine'
import { UnreadableRecord } from '../../../../server/ports/store'
import type { AuditLine } from '../../../../server/ports/submission'
import { ADA, openTriage, storeWaiting, type Triage, submissionsIn } from '../../../fakes/triage'
import { submission } from '../../../fixtures/submissions'

const SEARCHED = 'Data that was forwarded and then deleted here was not searched. It still exists where it was sent, and perhaps on chat cards.'

let triage: Triage
let submissions: OpsSubmissions
beforeEach(async () => {
  triage = await openTriage({ revocableMs: { forward: 0, spam: 3_600_000 } })
  submissions = submissionsIn(triage)
})
const eraseByText = (body: object) => triage.settle(submissions.eraseAll(body, ADA))
const state = async (id: string) => (await triage.store.get(id))?.state

test('whatever contains an address is erased, wherever it is, with a line of who did, and nothing else', async () => {
  const address = 'Ada@Example.com'
  const waitingId = await triage.post({ order: { contact: [`<${address}>`] } })
  const quarantinedId = await triage.receive({ note: `write to ${address}.` }, { held: true })
  const spamId = await triage.post({ email: address })
  await triage.decide({ id: spamId, action: 'spam' })
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  const keptId = await triage.post({ [address]: 'yes' })
  await triage.decide({ id: keptId, action: 'forward' })
  const otherIds = [
    await triage.post({ email: 'canada@example.com' }), await triage.post({ email: 'ada@example.com.au' }),
    await triage.post({ email: 'ada@example-com' }),
  ]
  await triage.runtime.drain()
  expect(await eraseByText({ email: 'ada@example.COM' })).toEqual({
    erased: 4, forbidden: 0, unreadable: [], before: null, unreachable: [
      'The email of 1 of them went to team@example.com.', 'The data of 1 of them went to downstream.example.com.',
      SEARCHED,
    ],
  })
  for (const id of [waitingId, quarantinedId, spamId, keptId]) expect(await triage.store.get(id)).toMatchObject({
    state: 'erased', data: null, erased: { reviewer: { id: ADA.id } },
  })
  expect(await Promise.all(otherIds.map(state))).toEqual(['open', 'open', 'open'])
  const lines = (await triage.store.audit(10)).filter(({ outcome }) => outcome === 'erased')
  expect(lines.map(({ id, reviewer }) => [id, reviewer?.id]).sort()).toEqual(
    [waitingId, quarantinedId, spamId, keptId].sort().map(id => [id, ADA.id]),
  )
  expect(await eraseByText({ email: 'ada@example.com' })).toEqual({
    erased: 0, forbidden: 0, unreadable: [], before: null, unreachable: [SEARCHED],
  })
})

test.each<[string, object]>([
  ['in JSON that came as a text', { note: '{"name":"J\\u00fcrgen Groß"}' }],
  ['as the text of a choice', {
    event_id: '1', event_type: 'x',
    data: { fields: [{ label: 'Who', value: 'o1', options: [{ id: 'o1', text: 'Jürgen' }] }] },
  }],
])('a text is found %s', async (_where, data) => {
  await triage.post(data)
  expect(await eraseByText({ text: 'jürgen' })).toMatchObject({ erased: 1 })
})

test.each([
  ['ada@bücher.example', ['ada@bücher.example', 'ADA@BÜCHER.example', 'ada@xn--bcher-kva.example']],
  ['ada@xn--bcher-kva.example', ['<ada@bu\u0308cher.example>', 'ada@xn--bcher-kva.example']],
  ['ada@почта.рф', ['ada@почта.рф', 'ada@xn--80a1acny.xn--p1ai']],
  ['ada@xn--80a1acny.xn--p1ai', ['ada@почта.рф']],
])('%s is one address, whether its domain is written in its own letters or in ASCII', async (email, writtenEmail) => {
  const ids = [await triage.post({ email: `canada${email.slice(3)}` })]
  for (const each of writtenEmail) ids.push(await triage.post({ email: each }))
  expect(await eraseByText({ email })).toMatchObject({ erased: writtenEmail.length })
  expect(await Promise.all(ids.map(state))).toEqual(['open', ...writtenEmail.map(() => 'erased')])
})

test('a text is found within values and keys, whatever its case and spaces', async () => {
  const matchingIds = [
    await triage.post({ who: 'the E\u0301LODIE\n Martin of old' }), await triage.post({ 'élodie martin': 1 }),
  ]
  const otherId = await triage.post({ who: 'Elodie', surname: 'Martin' })
  expect(await eraseByText({ text: ' Élodie Martin ' })).toMatchObject({ erased: 2 })
  expect(await Promise.all([...matchingIds, otherId].map(state))).toEqual(['erased', 'erased', 'open'])
})

test('what was there before an edit counts, what came beside the form, and where it is to be confirmed', async () => {
  const ids = await storeWaiting(triage, [
    { data: { name: 'Grace' }, before: { name: 'Ada Lovelace' }, edited: ['name'] },
    { data: { name: 'Grace' }, envelope: { replyTo: 'ada+lovelace@example.com' } },
    { data: { name: 'Grace' }, confirmation: { to: 'ada+lovelace@example.com' } },
    { data: { name: 'Grace' } },
  ])
  expect(await eraseByText({ email: 'ada+lovelace@example.com' })).toMatchObject({ erased: 2 })
  expect(await eraseByText({ text: 'lovelace' })).toMatchObject({ erased: 1 })
  expect(await Promise.all(ids.map(state))).toEqual(['erased', 'erased', 'erased', 'open'])
})

test('a forward that could still be taken back has gone nowhere', async () => {
  const revocableUntil = triage.runtime.now() + 60_000
  const [id] = await storeWaiting(triage, [{
    data: { name: 'Ada Lovelace' }, state: 'settling', revocableUntil,
    decision: { action: 'forward', reviewer: ADA, at: triage.runtime.now() },
    work: [{ key: 'email#2', kind: 'email', attempts: 0, dueAt: revocableUntil }],
  }])
  expect(await eraseByText({ text: 'lovelace' })).toMatchObject({ erased: 1, unreachable: [SEARCHED] })
  expect(await triage.store.get(id!)).toMatchObject({ state: 'erased', work: [] })
  expect(triage.mailer.calls).toEqual([])
})

test('what is being sent counts among what went out', async () => {
  const pendingSend = Promise.withResolvers<{ ok: true, value: undefined }>()
  triage.mailer.answers.push(pendingSend.promise)
  const id = await triage.post({ name: 'Ada Lovelace' })
  await triage.decide({ id, action: 'forward' })
  const forgotten = await submissions.eraseAll({ text: 'lovelace' }, ADA)
  expect(forgotten.unreachable[0]).toBe('The email of 1 of them went to team@example.com.')
  pendingSend.resolve({ ok: true, value: undefined })
  await triage.runtime.drain()
  expect(await triage.store.get(id)).toMatchObject({ state: 'erased', sent: expect.arrayContaining([
    expect.objectContaining({ delivery: 'email', to: ['team@example.com'], content: '' }),
  ]) })
})

test('what somebody may not decide stays, and is counted', async () => {
  const id = await triage.post({ name: 'Ada Lovelace' })
  triage.forms.of(undefined).reviewers = ['slack:U2']
  expect(await eraseByText({ text: 'Lovelace' })).toMatchObject({ erased: 0, forbidden: 1 })
  expect(await state(id)).toBe('open')
})

test('one of which nobody can read whose form it is, is erased by who may decide all forms', async () => {
  const forgotten: unknown[] = []
  const store = Object.assign(Object.create(triage.store) as Triage['store'], {
    get: async (id: string) => { throw new UnreadableRecord(id) },
    forget: async (...args: unknown[]) => void forgotten.push(args),
  })
  const quarantine = new Quarantine({ ...triage, store }, triage.outbox, triage.reviewers)
  const eraseSpoilt = () => quarantine.decide('erase', 'spoilt', ADA)
  triage.forms.of(undefined).reviewers = ['slack:U2']
  await expect(eraseSpoilt()).rejects.toMatchObject({ code: 'NOT_A_REVIEWER' })
  expect(forgotten).toEqual([])
  triage.forms.of(undefined).reviewers = undefined
  await eraseSpoilt()
  expect(forgotten).toEqual([['spoilt', { reviewer: ADA, at: triage.runtime.now() }]])
})

test('so much is looked through at once, and the next request goes on from there', async () => {
  const cursors: (string | undefined)[] = []
  submissions = submissionsIn({
    ...triage, store: Object.assign(Object.create(triage.store) as Triage['store'], {
      listPending: async ({ before, only }: { before?: string, only?: string }) => {
        cursors.push(before)
        const page = Number(before?.split('-')[0] ?? 0) + 1
        return {
          submissions: only ? [] : [submission({ data: { name: 'Grace' } })], total: 0,
          cursor: only || page === 120 ? null : `${page}-x`,
        }
      },
    }),
  })
  const firstAnswer = await eraseByText({ text: 'Lovelace' })
  expect([firstAnswer.erased, firstAnswer.before, cursors.length]).toEqual([0, 'pending 99-x', 100])
  expect(await eraseByText({ text: 'Lovelace', before: firstAnswer.before })).toMatchObject({ before: null })
  expect(cursors.slice(100, 102)).toEqual(['99-x', '100-x'])
})

test('what was delivered and is kept is found, however many ended since', async () => {
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  const keptId = await triage.post({ email: 'ada@example.com' })
  await triage.forward(keptId)
  const [{ at, receivedAt }] = await triage.store.audit(1) as [AuditLine]
  // All lines have the same time, so only their ids separate the pages.
  const newerLines = Array.from({ length: 5200 }, (_, position): AuditLine => (
    { id: `z-${9999 - position}`, outcome: 'spam', at, reviewer: ADA, receivedAt }
  ))
  submissions = submissionsIn({
    ...triage, store: Object.assign(Object.create(triage.store) as Triage['store'], {
      audit: async (limit: number, sinceAt = -Infinity) => (
        [...newerLines, ...await triage.store.audit(limit)].filter(line => line.at >= sinceAt).slice(0, limit)
      ),
    }),
  })
  const firstAnswer = await eraseByText({ email: 'ada@example.com' })
  expect(firstAnswer).toMatchObject({ erased: 0, before: expect.stringMatching(/^over \d+-z-5150$/) as string })
  const nextAnswer = await eraseByText({ email: 'ada@example.com', before: firstAnswer.before })
  expect(nextAnswer).toMatchObject({ erased: 1, before: null })
  expect(await state(keptId)).toBe('erased')
})

test('what was forwarded on its last day is found while it is kept', async () => {
  const DAY_MS = 24 * 60 * 60 * 1000
  const id = await triage.post({ email: 'ada@example.com' })
  triage.runtime.time += 6.9 * DAY_MS
  triage.mailer.answers.push({ ok: true, value: 'm1' })
  await triage.forward(id)
  triage.runtime.time += DAY_MS / 48
  expect(await eraseByText({ email: 'ada@example.com' })).toMatchObject({ erased: 1 })
})

test('two who forget the same at once erase each of them once', async () => {
  const ids = await storeWaiting(triage, Array.from({ length: 5 }, () => ({ data: { email: 'ada@example.com' } })))
  const [emailAnswer, textAnswer] = await Promise.all([
    eraseByText({ email: 'ada@example.com' }), eraseByText({ text: 'ada@example' }),
  ])
  expect([emailAnswer!.erased + textAnswer!.erased, emailAnswer!.before, textAnswer!.before]).toEqual([5, null, null])
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
  const eraseAll = async () => submissions.eraseAll(body, ADA)
  await expect(eraseAll).rejects.toThrow(InvalidRequest)
  await expect(eraseAll).rejects.toThrow(message)
})
