import { beforeEach, expect, test, vi } from 'vitest'
import { DeliveryFailed } from '../../../../../server/platforms/discord/gateway/events'
import { Lease } from '../../../../../server/platforms/shared/listener/lease'
import type { Checkpoint } from '../../../../../server/platforms/discord/gateway/progress'
import { silentLog } from '../../../../fakes/runtime'
import { LONG_MS, Owning } from '../../../../support/discord/active'
import { endAfterTest } from '../../../../support/lifetime'
import { until } from '../../../../support/until'

/** Leases with which the listener checks every 100 ms, or every second. Only a test moves the clock of `Date`. */
const [SHORT_MS, EACH_SECOND_MS] = [1500, 15_000]
/** Lease longer than a minute: after one minute without a connection, the listener starts a new one. */
const OVER_A_MINUTE_MS = 62_000

let harness: Owning
let deliveredIds: (string | undefined)[]
/** Promise that a delivery waits for */
let deliveryGate: Promise<unknown> | undefined

beforeEach(async () => {
  harness = endAfterTest(await Owning.open())
  ;[deliveredIds, deliveryGate] = [[], undefined]
})

const owner = (leaseMs: number, checkpoint: Checkpoint | null = null) => ({
  leaseMs, known: checkpoint, deliver: async ({ id }: { id?: string }) => {
    deliveredIds.push(id)
    await deliveryGate
  },
})
const start = (...args: Parameters<typeof owner>) => harness.start(owner(...args))

const goAway = async () => { throw new Error('The store is away.') }

/** Emits a message whose delivery waits for `resolve`. */
async function sayAtGate() {
  const { promise, resolve } = Promise.withResolvers<null>()
  deliveryGate = promise
  const id = harness.say()
  await until('the delivery', () => deliveredIds.length > 0)
  return { id, resolve }
}

test('a process that slept until another one had its lease takes nothing any more, and writes nothing over it', async () => {
  const { state, store } = harness
  await start(SHORT_MS)
  const { id, resolve } = await sayAtGate()
  harness.pass(SHORT_MS + 1)
  const successor = new Lease(state, store.key, SHORT_MS)
  expect(await successor.take('if free', harness.signal)).toBe(true)
  const session = { sessionId: 'theirs', resumeURL: 'ws://x' }
  const checkpoint = { session, sequence: 7, lastMessageId: null, backfill: null }
  await store.save(checkpoint)
  // If this delivery still counted, the listener would store it.
  resolve(null)
  expect(await harness.running).toMatch(/^(?:handover|lost)$/)
  harness.say()
  expect(deliveredIds).toEqual([id])
  expect(await store.load()).toEqual(checkpoint)
  expect(await successor.renew()).toBe(true)
})

test('a session is stored and counted, and its owner keeps the lease while nothing happens, and leaves it free', async () => {
  const { state, store } = harness
  const { lease } = await start(SHORT_MS)
  const connectedSince = Date.now()
  const { session } = await until('the checkpoint', () => store.load())
  expect(session).toMatchObject({ sessionId: expect.any(String) as string })
  harness.pass(SHORT_MS * 2 / 3)
  await until('a longer lease', () => !lease.isDue)
  expect(await store.status()).toMatchObject({ owner: 'this one', identifiesInDay: 1, connectedSince })
  harness.end()
  expect(await harness.running).toBe('over')
  expect(await store.status()).toMatchObject({ owner: null, connectedSince: null })
  expect(await new Lease(state, store.key, SHORT_MS).take('if free', new AbortController().signal)).toBe(true)
})

test('an owner that ends keeps its lease while it delivers, and what it delivered then is in its checkpoint', async () => {
  const { lease } = await start(SHORT_MS)
  const { id, resolve } = await sayAtGate()
  harness.end()
  harness.pass(SHORT_MS / 2)
  expect(lease.isDue).toBe(true)
  await until('a longer lease', () => !lease.isDue)
  resolve(null)
  expect(await harness.running).toBe('over')
  expect(await harness.store.load()).toMatchObject({ lastMessageId: id })
})

test('a checkpoint that the store did not take is written again', async () => {
  const { state, store } = harness
  const save = state.set.bind(state)
  let refusalCount = 0
  state.set = async (key, ...args) => {
    if (key.endsWith(':session') && refusalCount++ < 2) throw new Error('The store is away.')
    return save(key, ...args)
  }
  await start(SHORT_MS)
  expect(await until('the checkpoint', () => store.load())).toMatchObject({ sequence: expect.any(Number) as number })
})

test.each([true, false])('an owner whose store is away until its lease is over leaves (once it has begun: %s)', async (hasBegun) => {
  const { state, store, discord } = harness
  if (!hasBegun) store.load = goAway
  await (hasBegun ? start(SHORT_MS) : harness.begin(owner(SHORT_MS)))
  state.get = goAway
  harness.pass(SHORT_MS + 1)
  expect(await harness.running).toBe('lost')
  expect(discord.gateway.identifies).toBe(hasBegun ? 1 : 0)
})

test('an owner that is told to end before it has begun connects to nothing', async () => {
  const { discord } = harness
  harness.end()
  await harness.begin(owner(SHORT_MS))
  expect(await harness.running).toBe('over')
  expect(discord.gateway.identifies).toBe(0)
})

test('who comes next resumes what the store has, else what it remembers itself, and goes on counting', async () => {
  const { state, store, discord } = harness
  await start(LONG_MS)
  harness.say()
  await until('the delivery', () => deliveredIds.length > 0)
  await harness.handOver()
  const session = { sessionId: 'of before', resumeURL: discord.gateway.url }
  const { listener } = await start(LONG_MS, { session, sequence: 1, lastMessageId: null, backfill: null })
  await harness.handOver()
  await state.delete(`${store.key}:session`)
  await start(LONG_MS, listener.checkpoint)
  await until('the count', async () => (await store.status()).resumes === 2)
  expect(await store.status()).toMatchObject({ lastEventAt: Date.now() })
  expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 2 })
})

test('a session that Discord ended is followed by another one, and resumed by no number of the old one', async () => {
  const { store, discord } = harness
  const { gateway } = discord
  await start(EACH_SECOND_MS)
  const save = store.save.bind(store)
  const [firstWrite, laterWrites] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()]
  let writes = 0
  store.save = async checkpoint => await (writes++ === 0 ? firstWrite : laterWrites).promise ?? save(checkpoint)
  for (let index = 0; index < 5; index++) harness.say()
  await until('a checkpoint that is written slowly', () => writes)
  harness.pass(6000)
  gateway.invalidate(false)
  await until('the next session', () => harness.said.filter(event => event === 'identified').length === 2)
  firstWrite.resolve(null)
  gateway.dropAll()
  const id = harness.say()
  const losses = () => harness.said.filter(event => event === 'session-lost').length
  await until('the message, or another loss', () => deliveredIds.includes(id) || losses() > 1)
  laterWrites.resolve(null)
  expect([gateway.identifies, gateway.resumes, losses()]).toEqual([2, 1, 1])
})

test('what is not connected for a minute is begun anew, and says meanwhile that it is not connected', async () => {
  const { store, discord } = harness
  const { gateway } = discord
  const { listener } = await start(OVER_A_MINUTE_MS)
  const oldSocket = listener['socket']
  gateway.refuse = true
  gateway.dropAll()
  await until('the loss', () => harness.said.includes('detached'))
  harness.pass(61_000)
  await until('a new socket', () => harness.said.includes('stalled'))
  expect(await store.status()).toMatchObject({ owner: 'this one', connectedSince: null })
  gateway.refuse = false
  await until('the resume', () => harness.said.includes('resumed'))
  expect(gateway.identifies).toBe(1)
  // If the old socket stayed open, it would take the session back.
  expect(oldSocket['isClosed']).toBe(true)
})

test('a socket that waits for leave to begin a session is left to it', async () => {
  const { state, store, discord } = harness
  const { gateway } = discord
  await start(OVER_A_MINUTE_MS)
  const identifies = `${store.key}:identifies`
  // After this many sessions in a day, the next one has to wait for two minutes.
  await state.set(identifies, { since: Date.now(), count: 100, last: Date.now() })
  const read = state.get.bind(state)
  let isAsked = false
  state.get = (key) => {
    isAsked ||= key === identifies
    return read(key)
  }
  gateway.invalidate(false)
  await until('the wait', () => isAsked)
  harness.pass(61_000)
  await until('the next look', async () => (await store.record())?.connectedSince === null)
  expect(harness.said).not.toContain('stalled')
})

test('what Discord refuses is on record for whoever is on duty', async () => {
  const { store, discord } = harness
  await start(LONG_MS)
  discord.gateway.closeWith(4014)
  expect(await harness.running).toBe('refused')
  expect(await store.status()).toMatchObject({
    connectedSince: null, refusal: expect.stringContaining('Message Content intent') as string,
  })
})

test('what cannot be read ends nothing', async () => {
  (await start(LONG_MS)).listener['take']({ t: 'MESSAGE_CREATE', s: 1000, d: null })
  expect(harness.said).not.toContain('ended')
})

type Begun = Pick<Owning, 'store'> & { lease: Lease }

test.each<[string, (begun: Begun, mayGoOn: () => boolean) => void]>([
  ['it cannot be counted', ({ store }, mayGoOn) => {
    const count = store.countIdentify.bind(store)
    store.countIdentify = () => mayGoOn() ? count() : goAway()
  }],
  ['the store cannot tell when the last one was', ({ store }, mayGoOn) => {
    const read = store.identifyWaitMs.bind(store)
    store.identifyWaitMs = () => mayGoOn() ? read() : goAway()
  }],
  ['its owner has no lease', ({ lease }, mayGoOn) => {
    const renew = lease.renew.bind(lease)
    lease.renew = async () => mayGoOn() && renew()
  }],
])('no session is begun while %s', async (_, prevent) => {
  const { store, discord } = harness
  const { lease } = await harness.start()
  await until('the checkpoint', () => store.load())
  const identifies: number[] = []
  prevent({ store, lease }, () => identifies.push(discord.gateway.identifies) > 2)
  // Let time pass: a new session must not start too soon after the last one.
  harness.pass(6000)
  discord.gateway.invalidate(false)
  await until('the next session', () => discord.gateway.identifies === 2)
  expect(identifies.slice(0, 3)).toEqual([1, 1, 1])
})

test('what is queued when the lease is lost is left to who has it now', async () => {
  const { listener } = await start(LONG_MS)
  const { id, resolve } = await sayAtGate()
  harness.say()
  harness.pass(LONG_MS + 1)
  harness.say()
  await until('the loss', () => listener.reason === 'lost')
  resolve(null)
  expect(await harness.running).toBe('lost')
  expect(deliveredIds).toEqual([id])
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
