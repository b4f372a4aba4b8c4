import { stat } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { fullNameOf, reviewerOf } from '../../../server/handlers/review'

type Sent = Parameters<typeof fullNameOf>[0]

const sentBy = (getUser: () => Promise<{ fullName: string }>): Sent => (
  { adapter: { getUser }, user: { userId: 'U1', fullName: 'ada' } } as unknown as Sent
)

test('who clicked has their full name, also when the process was too busy to read it', async () => {
  const name = fullNameOf(sentBy(() => stat('.').then(() => ({ fullName: 'Ada Lovelace' }))))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900)
  expect(await name).toBe('Ada Lovelace')
})

test('whose full name is not told has the name that came with the click', async () => {
  expect(await fullNameOf(sentBy(() => Promise.reject(new Error('away'))))).toBe('ada')
  expect(await fullNameOf(sentBy(() => new Promise(() => {})))).toBe('ada')
})

test.each([undefined, null, '', {}])('a click of nobody (%j) has no reviewer, though it was signed', async (userId) => {
  const { adapter, user } = sentBy(async () => ({ fullName: 'Ada' }))
  const click = { adapter, user: { ...user, userId } } as never
  await expect(reviewerOf(click, { platformLabel: key => key, known: () => ({}) })).rejects.toThrow('who clicked')
})
