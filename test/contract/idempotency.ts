import { createHash, randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { KeyReused, type SubmissionStore } from '../../server/ports/store'
import { decided, line, over, submission, work } from '../fixtures/submissions'

interface Harness {
  store: SubmissionStore
  /** Another process on the same store; the same one where there can be only one. */
  other: SubmissionStore
}

/** An idempotency key as the domain makes them. */
export const keyOf = (text: string = randomUUID()) => createHash('sha256').update(text).digest('hex')

/** What `create` does with idempotency keys, in every `SubmissionStore`. */
export function idempotencyContract(name: string, open: () => Promise<Harness>): void {
  describe(`${name} store, idempotency keys`, () => {
    let harness: Harness
    let store: SubmissionStore

    beforeEach(async () => {
      harness = await open()
      store = harness.store
    })

    test('a key answers with the first submission and stores no second, whatever that holds', async () => {
      const due = [work(Date.now() - 1)]
      const [first, second, key] = [
        submission({ work: due }), submission({ data: { name: 'Eve' }, work: due }), keyOf(),
      ]
      expect((await store.create(first, { idempotencyKey: key })).id).toBe(first.id)
      expect((await store.create(second, { idempotencyKey: key })).id).toBe(first.id)
      expect((await harness.other.create(second, { idempotencyKey: key })).id).toBe(first.id)
      expect(await store.get(second.id)).toBeNull()
      expect(await store.listPending({ limit: 10 })).toEqual({ submissions: [first], total: 1, cursor: null })
      expect(await store.lease(1000, 10)).toEqual([first.id])
    })

    test('a key is of one form: with another fingerprint nothing is stored', async () => {
      const [first, key] = [submission(), keyOf()]
      await store.create(first, { idempotencyKey: key, fingerprint: '0123abcd' })
      for (const each of [store, harness.other]) {
        const send = (fingerprint: string) => each.create(submission(), { idempotencyKey: key, fingerprint })
        await expect(send('ffff0000')).rejects.toThrow(KeyReused)
        expect((await send('0123abcd')).id).toBe(first.id)
      }
      expect((await store.listPending({ limit: 10 })).total).toBe(1)
    })

    test('a key that an earlier version stored, without a fingerprint, is of any form', async () => {
      const [first, key] = [submission(), keyOf()]
      await store.create(first, { idempotencyKey: key })
      expect((await store.create(submission(), { idempotencyKey: key, fingerprint: '0123abcd' })).id).toBe(first.id)
    })

    test('without a key, and with another, every submission is a new one', async () => {
      const all = Array.from({ length: 4 }, () => submission())
      const keys = [undefined, undefined, keyOf(), keyOf()]
      expect(
        await Promise.all(all.map((each, index) => store.create(each, { idempotencyKey: keys[index] }))),
      ).toMatchObject(all.map(({ id }) => ({ id })))
      expect((await store.listPending({ limit: 10 })).total).toBe(4)
    })

    test('fifty at once with one key are one submission, on two processes', async () => {
      const [all, key] = [Array.from({ length: 50 }, () => submission()), keyOf()]
      const answers = await Promise.all(
        all.map((each, index) => (index % 2 ? store : harness.other).create(each, { idempotencyKey: key })),
      )
      expect(new Set(answers.map(({ id }) => id)).size).toBe(1)
      expect((await store.listPending({ limit: 10 })).submissions.map(({ id }) => id)).toEqual([answers[0]!.id])
    })

    test('a key is held after the submission is over', async () => {
      const [first, key] = [submission(), keyOf()]
      await store.create(first, { idempotencyKey: key })
      const claimed = decided(first)
      await store.replace(first, claimed)
      await store.replace(claimed, over(claimed), line(first.id))
      expect((await store.create(submission(), { idempotencyKey: key })).id).toBe(first.id)
      expect((await store.listPending({ limit: 10 })).total).toBe(0)
    })

    test('a submission that could not be created holds no key', async () => {
      const [taken, key] = [submission(), keyOf()]
      await store.create(taken)
      await expect(store.create(taken, { idempotencyKey: keyOf() })).rejects.toThrow('exists already')
      const next = submission()
      expect((await store.create(next, { idempotencyKey: key })).id).toBe(next.id)
    })
  })
}
