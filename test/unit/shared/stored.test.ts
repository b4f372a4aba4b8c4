import { expect, test } from 'vitest'
import { noteStored, untilStored } from '../../../shared/stored'

test('an event is stored when its handler says so, and until then not', async () => {
  const [stored, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()]
  let isSettled = false
  const handling = untilStored(async () => {
    await stored.promise
    noteStored()
    await end.promise
  }).then(() => { isSettled = true })
  await new Promise(resolve => setImmediate(resolve))
  expect(isSettled).toBe(false)
  stored.resolve(undefined)
  await handling
  end.resolve(undefined)
})

test('an event whose handler says nothing is stored at its end, and is not if that is an error', async () => {
  await expect(untilStored(async () => {})).resolves.toBeUndefined()
  await expect(untilStored(async () => { throw new Error('No store') })).rejects.toThrow('No store')
})

test('nobody has to listen', () => {
  expect(noteStored).not.toThrow()
})
