import { memoryState } from '../../../../support/sqlite'
import type { StateAdapter } from 'chat'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Lease } from '../../../../../server/platforms/shared/listener/lease'
import { until } from '../../../../support/until'

const LEASE_MS = 300
const forever = new AbortController().signal
let state: StateAdapter

beforeEach(async () => {
  // Fixed clock: no lease expires while a machine is busy.
  vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  state = memoryState()
  await state.connect()
})

afterEach(() => void vi.useRealTimers())

const lease = () => new Lease(state, 'gateway', LEASE_MS)

/** An owner, and a newcomer that has asked for its lease. */
async function claim(signal = forever) {
  const [owner, newcomer] = [lease(), lease()]
  await owner.take('claim', forever)
  const takeover = newcomer.take('claim', signal)
  await until('the claim', () => owner.isClaimed())
  return { owner, newcomer, takeover }
}

test('a newcomer asks the owner, waits, and takes over', async () => {
  const { owner, newcomer, takeover } = await claim()
  expect(newcomer.isHeld).toBe(false)
  await owner.release()
  expect(owner.isHeld).toBe(false)
  expect(await takeover).toBe(true)
  expect(await newcomer.isClaimed()).toBe(false)
  expect(await owner.renew()).toBe(false)
})

test('who stands by disturbs nobody and steps in when the owner is gone', async () => {
  const [owner, reserve] = [lease(), lease()]
  await owner.take('claim', forever)
  const takeover = reserve.take('stand by', forever)
  expect(await owner.isClaimed()).toBe(false)
  // The owner crashes: its lease is not released.
  const from = Date.now()
  setTimeout(() => vi.setSystemTime(from + LEASE_MS), LEASE_MS / 3)
  expect(await takeover).toBe(true)
  expect(Date.now()).toBe(from + LEASE_MS)
  expect(owner.isHeld).toBe(false)
  expect(await reserve.isClaimed()).toBe(false)
})

test('a lease that is asked for is left to the newcomer by those who stand by', async () => {
  const { owner, newcomer, takeover } = await claim()
  const reserveResult = lease().take('stand by', forever)
  await owner.release()
  expect(await takeover).toBe(true)
  expect(await newcomer.isClaimed()).toBe(false)
  await newcomer.release()
  expect(await reserveResult).toBe(true)
})

test('a claim ends with its maker: a third of the lease later others take it', async () => {
  const stop = new AbortController()
  const { owner, takeover } = await claim(stop.signal)
  stop.abort()
  expect(await takeover).toBe(false)
  await owner.release()
  const ownerResult = owner.take('if free', forever)
  const from = Date.now()
  setTimeout(() => vi.setSystemTime(from + LEASE_MS / 3), LEASE_MS / 3)
  expect(await ownerResult).toBe(true)
  expect(Date.now()).toBe(from + LEASE_MS / 3)
})

test('who yielded takes the lease back only if it is free', async () => {
  const [owner, newcomer] = [lease(), lease()]
  await newcomer.take('claim', forever)
  expect(await owner.take('if free', forever)).toBe(false)
  await newcomer.release()
  expect(await owner.take('if free', forever)).toBe(true)
  expect(await owner.isClaimed()).toBe(false)
})

test('a later newcomer wins also over one that has waited for long', async () => {
  const [owner, firstNewcomer, secondNewcomer] = [lease(), lease(), lease()]
  await owner.take('claim', forever)
  const read = state.get.bind(state)
  let lookCount = 0
  state.get = (key) => {
    lookCount++
    return read(key)
  }
  const firstResult = firstNewcomer.take('claim', forever)
  await until('several looks', () => lookCount > 2)
  const secondResult = secondNewcomer.take('claim', forever)
  expect(await firstResult).toBe(false)
  await owner.release()
  expect(await secondResult).toBe(true)
})

test('it lasts from when it was asked for, however late the store answers', async () => {
  const owner = lease()
  const addDelay = <Args extends unknown[], Answer>(call: (...args: Args) => Promise<Answer>) =>
    async (...args: Args) => {
      const answer = await call.apply(state, args)
      vi.setSystemTime(Date.now() + 100)
      return answer
    }

  state.acquireLock = addDelay(state.acquireLock)
  state.extendLock = addDelay(state.extendLock)
  await owner.take('stand by', forever)
  vi.setSystemTime(Date.now() + LEASE_MS - 101)
  expect(owner.isHeld).toBe(true)
  await owner.renew()
  vi.setSystemTime(Date.now() + LEASE_MS - 101)
  expect(owner.isHeld).toBe(true)
  vi.setSystemTime(Date.now() + 1)
  expect(owner.isHeld).toBe(false)
})

test('a clock that is put back makes it last no longer, renewing does', async () => {
  const owner = lease()
  await owner.take('claim', forever)
  vi.setSystemTime(Date.now() - 3_600_000)
  expect([owner.isDue, owner.isHeld]).toEqual([false, true])
  vi.advanceTimersByTime(LEASE_MS / 2)
  expect([owner.isDue, owner.isHeld]).toEqual([true, true])
  expect(await owner.renew()).toBe(true)
  expect([owner.isDue, owner.isHeld]).toEqual([false, true])
  vi.advanceTimersByTime(LEASE_MS)
  expect(owner.isHeld).toBe(false)
})

test('waiting ends with the signal, and survives a store that is away', async () => {
  const stop = new AbortController()
  const [owner, newcomer] = [lease(), lease()]
  await owner.take('claim', forever)
  const result = newcomer.take('stand by', stop.signal)
  await state.disconnect()
  setTimeout(() => stop.abort(), LEASE_MS * 2)
  expect(await result).toBe(false)
})
