import { afterEach, expect, test, vi } from 'vitest'
import { EventQueue, type DeadLetter } from '../../../../../server/platforms/discord/gateway/queue'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { until } from '../../../../support/until'

afterEach(() => void vi.useRealTimers())

function start(maxAgeMs = 60_000) {
  const log: string[] = []
  const buried: (DeadLetter & { reason: string })[] = []
  const store = { isAway: false }
  const queue = new EventQueue({
    maxAgeMs, onFailure: reason => void log.push(`! ${reason}`), bury: async (letter, reason) => {
      if (store.isAway) throw new Error('no store')
      buried.push({ ...letter, reason })
    },
  })
  /** Fails once for each error, then succeeds. */
  const add = (
    line: string | undefined, id: string, ...errors: unknown[]
  ) => queue.add(line, retry => retry(async () => {
    if (errors.length > 0) throw errors.shift()
    log.push(id)
  }, { id, type: 'MESSAGE_CREATE' }))
  return { queue, log, buried, store, add }
}

test('one channel is delivered in order past failures, while others go on', async () => {
  const { log, add } = start()
  const firstJob = add('a', 'a1', new DeliveryFailed('HTTP 503'), new DeliveryFailed('HTTP 503'))
  const rest = [add('a', 'a2'), add('b', 'b1'), add(undefined, 'click')]
  await Promise.all([firstJob, ...rest])
  expect(log.filter(line => !line.startsWith('!'))).toEqual(['b1', 'click', 'a1', 'a2'])
})

test('what comes when an earlier one is done waits for those in between', async () => {
  const { queue, log, add } = start()
  const gate = Promise.withResolvers<null>()
  const firstJob = add('a', 'a1')
  const middleJob = queue.add('a', () => gate.promise.then(() => void log.push('a2')))
  await firstJob
  const lastJob = add('a', 'a3')
  await add('b', 'b1')
  gate.resolve(null)
  await Promise.all([middleJob, lastJob])
  expect(log).toEqual(['a1', 'b1', 'a2', 'a3'])
})

test('what fails is tried ever more slowly', async () => {
  const { queue } = start()
  const triedAt: number[] = []
  await queue.add('a', retry => retry(async () => {
    if (triedAt.push(performance.now()) < 5) throw new DeliveryFailed('HTTP 503')
  }, { id: 'a1', type: 'MESSAGE_CREATE' }))
  // Minimum pauses: half of 100, 200, 400 and 800 ms. Timers may be 1 ms early.
  expect(triedAt[4]! - triedAt[0]!).toBeGreaterThan(740)
})

test('a mistake of ours is said, and holds up nothing', async () => {
  const { queue, log, add } = start()
  const brokenJob = queue.add('a', async () => { throw new TypeError('Not a function.') })
  expect(await Promise.all([brokenJob, add('a', 'a2')])).toEqual([true, true])
  expect(log).toEqual(['! TypeError: Not a function.', 'a2'])
})

test('what is refused for good, or for too long, is buried and holds nothing up', async () => {
  const { log, buried, add } = start(100)
  const errors = Array.from({ length: 9 }, () => new Error('HTTP 500'))
  expect(await Promise.all([
    add('a', 'a1', new DeliveryFailed('HTTP 422', { permanent: true })), add('a', 'a2', ...errors), add('a', 'a3'),
  ])).toEqual([true, true, true])
  expect(buried).toEqual([
    { id: 'a1', type: 'MESSAGE_CREATE', reason: 'HTTP 422' }, { id: 'a2', type: 'MESSAGE_CREATE', reason: 'HTTP 500' },
  ])
  expect(log.at(-1)).toBe('a3')
})

test('Retry-After is kept to, but for no longer than an event is tried', async () => {
  const limited = (retryAfterMs: number) => new DeliveryFailed('HTTP 429', { retryAfterMs })
  const [patient, hasty] = [start(), start(100)]
  const from = Date.now()
  await patient.add('a', 'a1', limited(400))
  expect(Date.now() - from).toBeGreaterThanOrEqual(395)
  expect(await hasty.add('a', 'a1', ...Array.from({ length: 9 }, () => limited(3_600_000)))).toBe(true)
  expect(hasty.buried).toMatchObject([{ id: 'a1', reason: 'HTTP 429' }])
})

test('a clock that is put forward gives nothing up', async () => {
  const { queue, log, buried } = start()
  vi.useFakeTimers({ toFake: ['Date'] })
  let tries = 0
  await queue.add('a', retry => retry(async () => {
    if (tries++ > 0) return
    vi.setSystemTime(Date.now() + 3_600_000)
    throw new DeliveryFailed('HTTP 503')
  }, { id: 'a1', type: 'MESSAGE_CREATE' }))
  expect([tries, log, buried]).toEqual([2, ['! HTTP 503'], []])
})

test('what cannot be buried is tried on', async () => {
  const { log, buried, store, add } = start(0)
  store.isAway = true
  const result = add('a', 'a1', ...Array.from({ length: 9 }, () => new Error('HTTP 500')))
  await until('a second try', () => log.length === 2)
  store.isAway = false
  expect(await result).toBe(true)
  expect([log.length, buried.map(({ id }) => id)]).toEqual([3, ['a1']])
})

test.each([true, false])('what nobody waits for any more is not tried and holds nothing up (store away: %s)', async (isAway) => {
  const { queue, log, buried, store } = start()
  store.isAway = isAway
  const triedIds = new Set<string>()
  const add = (id: string, dueAt: number) => queue.add(undefined, retry => retry(async () => {
    triedIds.add(id)
    throw new Error('HTTP 503')
  }, { id, type: 'INTERACTION_CREATE' }, dueAt))
  expect(await Promise.all([add('late', Date.now() - 1), add('in time', Date.now() + 300)])).toEqual([true, true])
  expect([...triedIds]).toEqual(['in time'])
  expect(log).toContainEqual(expect.stringMatching(/^! It came \d+ ms too late to be answered/))
  expect(buried.map(({ id }) => id)).toEqual(isAway ? [] : ['late', 'in time'])
})

test('at the end each channel stops at its first failure, nothing overtakes what was left, and nothing more begins', async () => {
  const { queue, log, buried, add } = start()
  const gate = Promise.withResolvers<null>()
  const blockedJob = queue.add('b', () => gate.promise.then(() => void log.push('b1')))
  const results = [
    add('b', 'b2'), add('a', 'a1'), add('a', 'a2', new DeliveryFailed('HTTP 503')), add('a', 'a3'), add('c', 'c1'),
  ]
  const ending = queue.end(50)
  expect(await results[2]).toBe(false)
  expect(await add('a', 'a4')).toBe(false)
  await ending
  gate.resolve(null)
  expect(await Promise.all([blockedJob, ...results])).toEqual([true, false, true, false, false, true])
  expect([log.toSorted(), buried]).toEqual([['a1', 'b1', 'c1'], []])
})

test('at the end a delivery that hangs is told to stop', async () => {
  const { queue } = start()
  const result = queue.add('a', retry => retry(
    signal => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted')))),
    { id: 'a1', type: 'X' },
  ))
  await queue.end(50)
  expect(await result).toBe(false)
})
