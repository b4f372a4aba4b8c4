import { beforeEach, expect, test, vi } from 'vitest'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { silentLog } from '../../../../fakes/runtime'
import { LONG_MS, Owning } from '../../../../support/discord/active'
import { endAfterTest } from '../../../../support/lifetime'
import { until } from '../../../../support/until'

/** Limits of an owner: sessions that it may not begin, and events that belong to its successor. */

let harness: Owning
beforeEach(async () => { harness = endAfterTest(await Owning.open()) })

test('a session that cannot be counted is not begun', async () => {
  const { store, discord } = harness
  const [count, identifyCounts] = [store.countIdentify.bind(store), [] as number[]]
  store.countIdentify = async () => {
    identifyCounts.push(discord.gateway.identifies)
    if (identifyCounts.length < 2) throw new Error('OOM command not allowed')
    return count()
  }
  await harness.start()
  expect(identifyCounts).toEqual([0, 0])
})

test('only who holds the lease begins a session', async () => {
  const { state, store, discord } = harness
  const { lease } = await harness.start()
  await state.forceReleaseLock(store.key)
  const renew = lease.renew.bind(lease)
  let refusals = 0
  lease.renew = async () => {
    const isOurs = await renew()
    if (!isOurs) refusals++
    return isOurs
  }
  // Time passes, so that the last session was begun long enough ago.
  harness.pass(6000)
  discord.gateway.invalidate(false)
  await until('a second question', () => refusals > 1)
  expect(discord.gateway.identifies).toBe(1)
})

test('no session is begun while the store cannot tell when the last one was', async () => {
  const { store, discord } = harness
  await harness.start()
  const read = store.identifyWaitMs.bind(store)
  let questions = 0
  store.identifyWaitMs = async (...now) => {
    if (++questions < 3) throw new Error('The store is away.')
    expect(discord.gateway.identifies).toBe(1)
    return read(...now)
  }
  harness.pass(6000)
  discord.gateway.invalidate(false)
  await until('the next session', () => discord.gateway.identifies === 2)
  expect(questions).toBe(3)
})

test('what is queued when the lease is lost is left to who has it now', async () => {
  const [deliveredIds, firstDelivery] = [[] as (string | undefined)[], Promise.withResolvers<null>()]
  const { listener } = await harness.start({ deliver: async ({ id }) => {
    deliveredIds.push(id)
    await firstDelivery.promise
  } })
  const ids = [harness.say(), harness.say()]
  await until('the first', () => deliveredIds.length > 0)
  harness.pass(LONG_MS + 1)
  harness.say()
  await until('the loss', () => listener.reason === 'lost')
  firstDelivery.resolve(null)
  expect(await harness.running).toBe('lost')
  expect(deliveredIds).toEqual(ids.slice(0, 1))
})

test('deliveries that fail are one line in the log per half minute; what was given up is kept, and a line of its own', async () => {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line.replace('discord.gateway.', ''))
  let reason = 'HTTP 503'
  const failDelivery = async () => { throw new DeliveryFailed(reason, { permanent: reason !== 'HTTP 503' }) }
  const { listener } = await harness.start({ deliver: failDelivery, log: { ...silentLog, warn: note, error: note } })
  harness.say()
  const readLastError = () => listener['record'].lastForwardError
  await until('a failure', readLastError)
  harness.pass(10_000)
  await until('a further one', () => readLastError()!.at === Date.now())
  expect(lines).toEqual(['delivery-failed'])
  harness.pass(20_000)
  await until('a further line', () => lines.length > 1)
  expect(lines).toEqual(['delivery-failed', 'delivery-failed'])
  reason = 'HTTP 422'
  await until('the end', () => lines.length > 2)
  expect(lines.at(-1)).toBe('event-given-up')
  expect(await harness.store.status()).toMatchObject({ deadLetters: 1 })
  expect(readLastError()).toEqual({ at: Date.now(), reason })
})

test('an event is tried for five minutes', async () => {
  let tries = 0
  await harness.start({ deliver: async () => {
    tries++
    throw new Error('HTTP 503')
  } })
  harness.say()
  await until('a try', () => tries > 0)
  const deadLetters = async () => (await harness.store.status()).deadLetters
  vi.advanceTimersByTime(5 * 60_000 - 1000)
  const earlierTries = tries
  await until('two more', () => tries > earlierTries + 1)
  expect(await deadLetters()).toBe(0)
  vi.advanceTimersByTime(1000)
  await until('the end', deadLetters)
})
