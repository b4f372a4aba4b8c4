import { once } from 'node:events'
import { expect, test } from 'vitest'
import { withTimeout, withinOrNull } from '../../../../shared/utils/time'

const late = () => new Error('late')

test('what was answered in time counts, also when the process was too busy to read it', async () => {
  const { port1, port2 } = new MessageChannel()
  // Timers run next, and then arrived messages.
  await new Promise(resolve => setImmediate(resolve))
  const answer = withTimeout(40, once(port2, 'message'), late)
  port1.postMessage('answered')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 80)
  expect(await answer).toEqual(['answered'])
  port1.close()
})

test('what takes longer is late', async () => {
  const startedAt = performance.now()
  await expect(withTimeout(40, new Promise(() => {}), late)).rejects.toThrow('late')
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39)
})

test('where null is asked for, what takes longer is null, and what fails still fails', async () => {
  expect(await withinOrNull(10, new Promise(() => {}))).toBeNull()
  expect(await withinOrNull(60_000, Promise.resolve('here'))).toBe('here')
  await expect(withinOrNull(60_000, Promise.reject(new Error('failed')))).rejects.toThrow('failed')
})
