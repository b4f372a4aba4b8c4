import { beforeEach, expect, test, vi } from 'vitest'
import { enter, type Entrance, Quota, idempotencyDigest } from '../../../../server/domain/intake/intake'
import { InvalidSubmission } from '../../../../server/domain/errors'
import { IncomingFiles } from '../../../../server/domain/files/incoming-files'
import type { Sender, HumanCheck } from '../../../../server/ports/sender'
import type { FileStore } from '../../../../server/ports/files'
import type { Form } from '../../../../server/ports/form'
import { LimitReached } from '../../../../server/ports/limiter'
import type { Submission } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { openTriage } from '../../../fakes/triage'
import { only } from '../../../fakes/only'
import type { SubmissionFiles } from '../../../../server/domain/files/submission-files'

const LIMIT = 2
const SENDER = { group: '203.0.113.7', client: '203.0.113.7', trusted: false, hasFiles: false }
const RULE = { max: 1, maxBytes: 1000, types: ['image/*'] }
const FORM = formsOf({ rooms: [] }).of(undefined)

let now: number
let storeCalls: number
/** Requests per client, counted by the store (`stored`) or only by the limiter (`alone`) */
let counts: { stored: Record<string, number>, alone: Record<string, number> }
let created: Submission[]
let isStopped: boolean
/** If true, the store counts but rejects writes. */
let isReadOnly: boolean
/** Idempotency key of a form that was sent before. */
let knownKey: string | undefined
let bodiesRead: number
/** Ids of submissions whose files were erased. */
let erasedIds: string[]
beforeEach(() => {
  now = 1_700_000_000_000
  storeCalls = 0
  counts = { stored: {}, alone: {} }
  created = []
  isStopped = false
  bodiesRead = 0
  erasedIds = []
  isReadOnly = false
  knownKey = undefined
})

const add = (countsByClient: Record<string, number>, client: string) => {
  countsByClient[client] = (countsByClient[client] ?? 0) + 1
}
const countOf = (client: string) => (counts.stored[client] ?? 0) + (counts.alone[client] ?? 0)

const FILES: FileStore = {
  write: async (_id, _index, content) => void await Array.fromAsync(content),
  read: () => { throw new Error('Nobody reads.') },
  erase: async id => void erasedIds.push(id), idsBefore: async () => [],
  kindOf: async () => ({ type: 'image/png', extension: 'png' }), nameOf: async name => name,
}
const picture = async function* () { yield Buffer.from('picture') }

/** Starts an intake of forms. The store and the limiter share their counts; the limit is two forms a minute. */
async function openDoor(
  { humanCheck = null, limited = true, form = FORM }:
  { humanCheck?: HumanCheck | null, limited?: boolean, form?: Form } = {},
) {
  const triage = await openTriage({ platforms: [] })
  const limiter = {
    limit: LIMIT,
    async take(client: string) {
      storeCalls++
      if (isStopped) throw new Error('no Redis')
      add(counts.alone, client)
      return countOf(client) > LIMIT ? 30_000 : 0
    },
  }
  const store: typeof triage.store = Object.create(triage.store)
  store.create = async (submission, options) => {
    storeCalls++
    if (isStopped || isReadOnly) throw new Error('no Redis')
    if (knownKey && options?.idempotencyKey === knownKey) return { id: 'the first one', places: [] }
    if (options?.client) add(counts.stored, options.client)
    if (options?.client && countOf(options.client) > LIMIT) throw new LimitReached(30_000)
    created.push(submission)
    return { id: submission.id, places: [] }
  }
  const entrance: Entrance = {
    quota: limited ? new Quota(limiter, () => now) : null,
    // Let the form take files.
    files: only<SubmissionFiles>({ incoming: (_, client) => new IncomingFiles('one', RULE, client, FILES, null) }),
    outbox: triage.outbox,
  }
  const readBody = async (body: unknown, upload: IncomingFiles | null) => {
    bodiesRead++
    await upload?.take({ field: 'photo', name: 'a.png', content: picture() })
    if (body instanceof Error) throw body
    return { body: await body, isHtmlForm: false, wantsPage: false }
  }
  return async (body: unknown, sender: Partial<Sender> = {}) => {
    const { upload, take } = await enter({ ...SENDER, ...sender }, form, { ...triage, store, humanCheck }, entrance)
    return take(readBody(body, upload))
  }
}

test.each([
  ['one that is stored', { name: 'Ada' }, { stored: { [SENDER.group]: 1 }, alone: {} }],
  ['one that cannot be read', new InvalidSubmission('no JSON'), { stored: {}, alone: { [SENDER.group]: 1 } }],
  ['one that is no object', [1], { stored: {}, alone: { [SENDER.group]: 1 } }],
  ['one that fell into the honeypot', { _gotcha: 'x' }, { stored: { [SENDER.group]: 1 }, alone: {} }],
])('%s is counted once, in one step', async (_, body, expected) => {
  const send = await openDoor()
  await send(body).catch(() => {})
  expect(counts).toEqual(expected)
  expect(storeCalls).toBe(1)
})

test('one that fell into the honeypot has values of their types, and is refused for none', async () => {
  const fields = { seats: { type: 'integer' }, terms: { type: 'checkbox' }, email: { type: 'email' } } as const
  const send = await openDoor({ form: { ...FORM, fields, extra: 'refuse' } })
  await send({ seats: '2', terms: 'on', email: 'x', other: '1', _gotcha: 'x' })
  expect(created).toMatchObject([{ state: 'held', data: { seats: 2, terms: true, email: 'x', other: '1' } }])
})

test('a form that may bring files is counted before they are stored, and not again', async () => {
  const send = await openDoor()
  await send({ name: 'Ada' }, { hasFiles: true })
  expect(counts).toEqual({ stored: {}, alone: { [SENDER.group]: 1 } })
})

test('files are kept with the form that they came with, and erased with one that is refused or was sent before', async () => {
  const send = await openDoor({ limited: false })
  expect(await send({}, { hasFiles: true })).toMatchObject({ id: 'one' })
  expect(erasedIds).toEqual([])
  await expect(send([1], { hasFiles: true })).rejects.toMatchObject({ code: 'INVALID_SUBMISSION' })
  expect(erasedIds).toEqual(['one'])
  const repeatedSender = { ...SENDER, client: 'another', hasFiles: true, idempotencyKey: 'again' }
  knownKey = idempotencyDigest(repeatedSender)
  expect(await send({}, repeatedSender)).toMatchObject({ id: 'the first one' })
  expect(erasedIds).toEqual(['one', 'one'])
})

test('a human check is asked under a key of the form, so that its token is taken by one', async () => {
  const keys: unknown[] = []
  const verify: HumanCheck['verify'] = async (_, { attemptKey }) => {
    keys.push(attemptKey)
    return { ok: true, value: undefined }
  }
  for (const key of [undefined, 'jobs', 'press', 'jobs']) {
    const send = await openDoor({ humanCheck: { field: 'token', verify }, limited: false, form: { ...FORM, key } })
    await send({ token: 't' }, { idempotencyKey: 'k' })
  }
  expect(keys).not.toContain(undefined)
  expect([new Set(keys).size, keys[1]]).toEqual([3, keys[3]])
})

test('files of a form that may be stored, although the store did not answer, are kept', async () => {
  const send = await openDoor()
  isReadOnly = true
  await expect(send({}, { hasFiles: true })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(erasedIds).toEqual([])
})

test('with a human check every form is counted before anybody is asked, and not again when it is stored', async () => {
  let verified = 0
  const verify: HumanCheck['verify'] = async () => {
    verified++
    return { ok: true, value: undefined }
  }
  const send = await openDoor({ humanCheck: { field: 'token', verify } })
  for (let count = 0; count < LIMIT; count++) await send({ token: 't' })
  await expect(send({ token: 't' })).rejects.toMatchObject({ code: 'TOO_MANY_FORMS' })
  expect(verified).toBe(LIMIT)
  expect(counts).toEqual({ stored: {}, alone: { [SENDER.group]: 3 } })
  await send({}, { trusted: true, group: '203.0.113.8' })
  expect(counts.stored).toEqual({ '203.0.113.8': 1 })
})

test('who is over the limit is refused without being read or counted, until the window ends', async () => {
  const send = await openDoor()
  for (let count = 0; count < LIMIT; count++) await send({})
  await expect(send({})).rejects.toMatchObject({ code: 'TOO_MANY_FORMS', retryAfterS: 30 })
  storeCalls = 0
  now += 29_001
  await expect(send(new Error('was read'))).rejects.toMatchObject({ code: 'TOO_MANY_FORMS', retryAfterS: 1 })
  expect(storeCalls).toBe(0)
  await send({}, { group: '203.0.113.9' })
  now += 999
  counts.stored = {}
  await send({})
  expect(counts.stored).toEqual({ [SENDER.group]: 1 })
})

test('who is over the limit by the time a form is read costs the store nothing more', async () => {
  const send = await openDoor()
  const body = Promise.withResolvers<object>()
  const slow = send(body.promise)
  for (let count = 0; count < LIMIT; count++) await send({})
  await expect(send({})).rejects.toMatchObject({ code: 'TOO_MANY_FORMS' })
  storeCalls = 0
  body.resolve({})
  await expect(slow).rejects.toMatchObject({ code: 'TOO_MANY_FORMS' })
  expect(storeCalls).toBe(0)
})

test('who has a window\'s worth of forms on their way is counted before another is read: two windows\' worth of bodies at most', async () => {
  const send = await openDoor()
  const bodies = Promise.withResolvers<object>()
  const slow = Array.from(
    { length: LIMIT + 3 }, () => send(bodies.promise).then(() => 200, (error: { code: string }) => error.code),
  )
  await vi.waitUntil(() => counts.alone[SENDER.group] === 3 && bodiesRead === 2 * LIMIT)
  bodies.resolve({})
  expect(await Promise.all(slow)).toEqual([
    ...Array.from({ length: LIMIT }, () => 'TOO_MANY_FORMS'), 200, 200, 'TOO_MANY_FORMS',
  ])
  expect(bodiesRead).toBe(2 * LIMIT)
  now += 60_000
  counts = { stored: {}, alone: {} }
  await send({})
  expect(counts).toEqual({ stored: { [SENDER.group]: 1 }, alone: {} })
})

test('an invalid form that is one too many is told so', async () => {
  const send = await openDoor()
  for (let count = 0; count < LIMIT; count++) await send({})
  await expect(send(new InvalidSubmission('no JSON'))).rejects.toMatchObject({ code: 'TOO_MANY_FORMS' })
})

test('counts that cannot be reached are the store\'s fault, not the sender\'s', async () => {
  const send = await openDoor()
  isStopped = true
  await expect(send({})).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await expect(send([])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(storeCalls).toBe(2)
})

test('without a limit nobody is counted', async () => {
  const send = await openDoor({ limited: false })
  for (let count = 0; count < 5; count++) await send({})
  await expect(send([])).rejects.toMatchObject({ code: 'INVALID_SUBMISSION' })
  expect(counts).toEqual({ stored: {}, alone: {} })
})

test('a flood from ever new addresses is remembered for 10,000 of them', async () => {
  const quota = new Quota({ limit: 1, take: async () => 60_000 }, () => now)
  for (let client = 0; client < 10_001; client++) await quota.count(`client ${client}`).catch(() => {})
  expect(() => quota.check('client 0')).not.toThrow()
  expect(() => quota.check('client 1')).toThrow()
  expect(() => quota.check('client 10000')).toThrow()
})
