import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { GatewayStore } from '../../server/platforms/discord/gateway/store'
import { startListening, type Listening } from '../support/discord/listening'
import { endAfterTest } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { until } from '../support/until'

const TEN_MINUTES = 600_000
const RESTARTS = 8
let at: Listening
beforeEach(async () => { at = endAfterTest(await startListening()) })
afterEach(() => void vi.useRealTimers())

/** Lease long enough that an owner keeps it while other processes use the processor, ms */
const LONG_LEASE_MS = 8000

const passed = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const status = () => new GatewayStore(at.state, at.discord.applicationId).status()

// The time limits here only catch hangs: these tests count, they do not measure time.
test('eight restarts, an outage of the route and two kill -9 under a message per 50 ms: nothing missed, nothing twice, in order, one session', async () => {
  const { gateway, channelId, openDm } = at.discord
  gateway.heartbeatIntervalMs = 250 // A RESUME does not replay what a heartbeat has acknowledged.
  let owner = at.listen(TEN_MINUTES)
  await owner.connected()
  const stop = at.chatter([channelId, await at.thread(), await at.thread(), openDm().id])
  for (let restart = 1; restart <= RESTARTS; restart++) {
    if (restart === 3) at.receiver.fault = () => ({ status: 503 })
    if (restart === 3) setTimeout(() => (at.receiver.fault = () => undefined), 2000)
    if (restart % 4 === 0) owner.child.kill('SIGKILL')
    owner = at.listen(TEN_MINUTES)
    await owner.connected()
    await passed(200)
  }
  stop()
  await at.allHandled()
  expect(gateway.identifies).toBe(1)
  expect(gateway.resumes).toBeGreaterThanOrEqual(RESTARTS)
  expect(gateway.live()).toBe(1)
})

test('op 7, a resumable op 9, TCP resets, a zombie and refused sockets cost nothing', async () => {
  const { gateway, channelId } = at.discord
  gateway.heartbeatIntervalMs = 400
  const owner = at.listen(TEN_MINUTES)
  await owner.connected()
  const stop = at.chatter([channelId])
  const resumed = async (what: string, interrupt: () => void) => {
    const before = gateway.resumes
    interrupt()
    await until(`a RESUME after ${what}`, () => gateway.resumes > before)
    await passed(100)
  }
  await resumed('op 7', () => gateway.reconnect())
  await resumed('op 9', () => gateway.invalidate(true))
  await resumed('a TCP reset', () => gateway.dropAll())
  await resumed('close code 4000', () => gateway.closeWith(4000))
  await resumed('silence', () => (gateway.freezeAcks = true))
  await resumed('an outage', () => {
    gateway.refuse = true
    gateway.dropAll()
    setTimeout(() => (gateway.refuse = false), 1500)
  })
  stop()
  await at.allHandled()
  expect(gateway.identifies).toBe(1)
})

test('a lost session: messages of the gap are read back in order, also when the reader dies over it', async () => {
  const { gateway, channelId } = at.discord
  const owner = at.listen(TEN_MINUTES)
  await owner.connected()
  const threads = [await at.thread(), await at.thread()]
  at.send()
  await at.allHandled()
  gateway.invalidate(false)
  // More than one page of messages, none of them in the other thread
  for (let index = 0; index < 130; index++) at.send(index % 10 ? channelId : threads[0])
  const stop = at.chatter([channelId, threads[0]!], false)
  await until('the new session', () => gateway.identifies === 2)
  const before = at.handled()
  await until('some of the gap', () => at.handled() > before + 20)
  owner.child.kill('SIGKILL')
  await at.listen(TEN_MINUTES).connected()
  stop()
  await at.allHandled()
  expect(gateway.identifies).toBe(2)
})

test('SIGTERM hands over to whoever stands by, and the ops page says who listens', async () => {
  const { gateway, channelId } = at.discord
  at.leaseMs = LONG_LEASE_MS
  const first = at.listen(undefined, 'first')
  await first.connected()
  expect(await until('the status', async () => (await status()).owner && status())).toMatchObject({
    owner: 'first', resumes: 0, identifiesInDay: 1, nextRestartAt: null, deadLetters: 0,
  })
  // A process reads the same status even if its clock is an hour ahead.
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  expect(await status()).toMatchObject({ owner: 'first', connectedSince: expect.any(Number) as number })
  vi.useRealTimers()
  const second = at.listen(undefined, 'second')
  const stop = at.chatter([channelId])
  await until('the second', () => second.has('started'))
  await passed(1500)
  expect(second.said).toEqual([expect.objectContaining({ what: 'started' })])
  first.child.kill('SIGTERM')
  await Promise.all([first.left, second.connected()])
  expect(first.said.at(-1)).toMatchObject({ what: 'left' })
  const startedAt = Date.now()
  const restarted = at.listen(TEN_MINUTES, 'by cron')
  await restarted.connected()
  stop()
  await at.allHandled()
  const now = await until('the status', async () => {
    const told = await status()
    return told.resumes === 2 && told.owner === 'by cron' && told
  })
  expect(now.identifiesInDay).toBe(1)
  expect(now.nextRestartAt).toBeGreaterThanOrEqual(startedAt + TEN_MINUTES)
  expect(now.connectedSince).toBeGreaterThanOrEqual(startedAt)
  // Events arrived during the whole test.
  expect(now.lastEventAt).toBeGreaterThan(startedAt - 30_000)
  expect(gateway.identifies).toBe(1)
})

test('an owner that was frozen until another took over harms nobody when it wakes', async () => {
  const { gateway, channelId } = at.discord
  at.leaseMs = LONG_LEASE_MS
  const frozen = at.listen(TEN_MINUTES)
  await frozen.connected()
  const stop = at.chatter([channelId])
  await passed(500)
  frozen.child.kill('SIGSTOP')
  const successor = at.listen(TEN_MINUTES)
  await successor.connected()
  await passed(500)
  frozen.child.kill('SIGCONT')
  await frozen.left
  await passed(300)
  stop()
  await at.allHandled()
  expect(gateway).toMatchObject({ identifies: 1, resumes: 1 })
  expect(successor.has('ended')).toBe(false)
})

test('a Redis that comes back empty does not cost the session', async () => {
  const { gateway } = at.discord
  const owner = at.listen(TEN_MINUTES)
  await owner.connected()
  at.send()
  await at.allHandled()
  await at.redis.stop()
  at.send()
  await passed(at.leaseMs * 1.5)
  endAfterTest(await startRedis(at.redis.port))
  at.send()
  await at.allHandled()
  await until('the session to be stored again', async () => (await status()).owner)
  expect(gateway.identifies).toBe(1)
})

test('a resume host that is gone is replaced by the general address', async () => {
  const { gateway } = at.discord
  gateway.resumeUrl = 'ws://127.0.0.1:9'
  at.leaseMs = LONG_LEASE_MS
  const first = at.listen(TEN_MINUTES)
  await first.connected()
  first.child.kill('SIGTERM')
  await first.left
  at.send()
  await at.listen(TEN_MINUTES).connected()
  await at.allHandled()
  expect(gateway).toMatchObject({ identifies: 1, resumes: 1 })
})

test('an event is enriched as the adapter expects: the thread of a message, the user of a reaction', async () => {
  const { gateway, openDm, user } = at.discord
  const first = at.listen(TEN_MINUTES)
  await first.connected()
  const thread = await at.thread()
  const inThread = at.send(thread)
  await at.allHandled()
  // The next process knows no channels yet and asks for them.
  first.child.kill('SIGTERM')
  await first.left
  at.react(inThread, '👍', thread)
  const dm = openDm().id
  at.react(at.send(dm), '🎉', dm)
  await at.listen(TEN_MINUTES).connected()
  await at.allHandled()
  const events = at.receiver.handled.map(({ data }) => data)
  expect(events.find(({ id }) => id === inThread)).toMatchObject({
    thread: { id: thread, parent_id: at.discord.channelId },
  })
  expect(events.find(({ emoji }) => emoji?.name === '👍')).toMatchObject({
    channel_type: 11, thread: { id: thread }, member: { user: { id: user.id } },
  })
  expect(events.find(({ emoji }) => emoji?.name === '🎉')).toMatchObject({
    channel_type: 1, user: { id: user.id, username: user.username },
  })
  expect(gateway.identifies).toBe(1)
})

test('a refused intent ends the listener with advice', async () => {
  at.discord.gateway.privileged = false
  const listener = at.listen(TEN_MINUTES)
  await listener.left
  expect(listener.said.find(({ what }) => what === 'failed')?.error).toContain('Message Content intent')
})
