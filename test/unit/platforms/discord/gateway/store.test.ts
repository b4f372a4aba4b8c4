import { memoryState } from '../../../../support/sqlite'
import type { StateAdapter } from 'chat'
import { beforeEach, expect, test } from 'vitest'
import { GatewayStore } from '../../../../../server/platforms/discord/gateway/store'

const NOON = Date.UTC(2026, 0, 1, 12)

let state: StateAdapter
let store: GatewayStore

beforeEach(async () => {
  state = memoryState()
  await state.connect()
  store = new GatewayStore(state, 'app')
})

test('an IDENTIFY waits 5.5 s after the last one anywhere, and for none that a wrong clock put into the future', async () => {
  expect(await store.identifyWaitMs(NOON)).toBeLessThanOrEqual(0)
  await store.countIdentify(NOON + 7_200_000)
  expect(await store.identifyWaitMs(NOON)).toBeLessThanOrEqual(0)
  await store.countIdentify(NOON)
  const other = new GatewayStore(state, 'app')
  expect([await other.identifyWaitMs(NOON + 1000), await store.identifyWaitMs(NOON + 5500)]).toEqual([4500, 0])
})

test('after a hundred in a day they come so slowly that Discord\'s 1,000 are never reached', async () => {
  let now = NOON
  let count = 0
  for (; now < NOON + 24 * 3_600_000; count++) {
    await store.countIdentify(now)
    now += Math.max(await store.identifyWaitMs(now), 0)
  }
  expect(count).toBeGreaterThan(500)
  expect(count).toBeLessThan(1000)
})

test('a day has 24 hours from the first one, wherever midnight is', async () => {
  const lateAt = Date.UTC(2026, 0, 1, 23, 59, 58)
  const dayMs = 24 * 3_600_000
  await store.countIdentify(lateAt)
  await store.countIdentify(lateAt + 6000)
  expect([
    await store.identifies(lateAt + dayMs - 1), await store.identifies(lateAt + dayMs),
  ]).toMatchObject([{ count: 2 }, { count: 0 }])
  await state.set('discord-gateway:app:identifies', { day: '2026-01-01', count: 3, last: lateAt })
  expect([await store.identifies(lateAt + dayMs - 1), await store.identifies(lateAt + dayMs)]).toMatchObject([
    { count: 3 }, { count: 0, last: lateAt },
  ])
})

test('without a listener the ops page still knows the last event and the last error', async () => {
  expect(await store.status()).toEqual({
    owner: null, connectedSince: null, refusal: null, resumes: 0, identifiesInDay: 0, lastEventAt: null,
    lastForwardError: null, nextRestartAt: null, deadLetters: 0,
  })
  const record = {
    owner: 'me', connectedSince: 1, refusal: null, resumes: 3, lastEventAt: 2, nextRestartAt: 4,
    lastForwardError: { at: 2, reason: 'HTTP 503' },
  }
  await store.saveRecord(record, 60_000)
  await store.bury({ id: 's:1', type: 'MESSAGE_CREATE' }, 'HTTP 422')
  expect(await store.status()).toEqual({ ...record, identifiesInDay: 0, deadLetters: 1 })
  await store.saveRecord(record, 0)
  expect(await store.status()).toEqual({
    ...record, owner: null, connectedSince: null, nextRestartAt: null, identifiesInDay: 0, deadLetters: 1,
  })
})

test('of the events that were given up the last 200 are kept', async () => {
  for (let event = 0; event < 201; event++) await store.bury({ id: `s:${event}`, type: 'MESSAGE_CREATE' }, 'HTTP 422')
  expect(await store.status()).toMatchObject({ deadLetters: 200 })
})
