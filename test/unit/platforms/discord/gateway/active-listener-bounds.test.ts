import { beforeEach, expect, test, vi } from 'vitest'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { silentLog } from '../../../../fakes/runtime'
import { LONG_MS, Owning } from '../../../../support/discord/active'
import { endAfterTest } from '../../../../support/lifetime'
import { until } from '../../../../support/until'

/** Limits of an owner: sessions that it may not begin, and events that belong to its successor. */

let owning: Owning
beforeEach(async () => { owning = endAfterTest(await Owning.open()) })

test('a session that cannot be counted is not begun', async () => {
  const { store, discord } = owning
  const [count, begun] = [store.countIdentify.bind(store), [] as number[]]
  store.countIdentify = async () => {
    begun.push(discord.gateway.identifies)
    if (begun.length < 2) throw new Error('OOM command not allowed')
    return count()
  }
  await owning.start()
  expect(begun).toEqual([0, 0])
})

test('only who holds the lease begins a session', async () => {
  const { state, store, discord } = owning
  const { lease } = await owning.start()
  await state.forceReleaseLock(store.key)
  const renew = lease.renew.bind(lease)
  let refusals = 0
  lease.renew = async () => {
    const isOurs = await renew()
    if (!isOurs) refusals++
    return isOurs
  }
  // Time passes, so that the last session was begun long enough ago.
  owning.pass(6000)
  discord.gateway.invalidate(false)
  await until('a second question', () => refusals > 1)
  expect(discord.gateway.identifies).toBe(1)
})

test('no session is begun while the store cannot tell when the last one was', async () => {
  const { store, discord } = owning
  await owning.start()
  const read = store.identifyWaitMs.bind(store)
  let questions = 0
  store.identifyWaitMs = async (...now) => {
    if (++questions < 3) throw new Error('The store is away.')
    expect(discord.gateway.identifies).toBe(1)
    return read(...now)
  }
  owning.pass(6000)
  discord.gateway.invalidate(false)
  await until('the next session', () => discord.gateway.identifies === 2)
  expect(questions).toBe(3)
})

test('what is queued when the lease is lost is left to who has it now', async () => {
  const [delivered, first] = [[] as (string | undefined)[], Promise.withResolvers<null>()]
  const { listener } = await owning.start({ deliver: async ({ id }) => {
    delivered.push(id)
    await first.promise
  } })
  const ids = [owning.say(), owning.say()]
  await until('the first', () => delivered.length > 0)
  owning.pass(LONG_MS + 1)
  owning.say()
  await until('the loss', () => listener.reason === 'lost')
  first.resolve(null)
  expect(await owning.running).toBe('lost')
  expect(delivered).toEqual(ids.slice(0, 1))
})

test('deliveries that fail are one line in the log per half minute; what was given up is kept, and a line of its own', async () => {
  const lines: string[] = []
  const note = (line: string) => void lines.push(line.replace('discord.gateway.', ''))
  let reason = 'HTTP 503'
  const failing = async () => { throw new DeliveryFailed(reason, { permanent: reason !== 'HTTP 503' }) }
  const { listener } = await owning.start({ deliver: failing, log: { ...silentLog, warn: note, error: note } })
  owning.say()
  const failed = () => listener['record'].lastForwardError
  await until('a failure', failed)
  owning.pass(10_000)
  await until('a further one', () => failed()!.at === Date.now())
  expect(lines).toEqual(['delivery-failed'])
  owning.pass(20_000)
  await until('a further line', () => lines.length > 1)
  expect(lines).toEqual(['delivery-failed', 'delivery-failed'])
  reason = 'HTTP 422'
  await until('the end', () => lines.length > 2)
  expect(lines.at(-1)).toBe('event-given-up')
  expect(await owning.store.status()).toMatchObject({ deadLetters: 1 })
  expect(failed()).toEqual({ at: Date.now(), reason })
})

test('an event is tried for five minutes', async () => {
  let tries = 0
  await owning.start({ deliver: async () => {
    tries++
    throw new Error('HTTP 503')
  } })
  owning.say()
  await until('a try', () => tries > 0)
  const deadLetters = async () => (await owning.store.status()).deadLetters
  vi.advanceTimersByTime(5 * 60_000 - 1000)
  const soFar = tries
  await until('two more', () => tries > soFar + 1)
  expect(await deadLetters()).toBe(0)
  vi.advanceTimersByTime(1000)
  await until('the end', deadLetters)
})
