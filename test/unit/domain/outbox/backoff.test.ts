import fc from 'fast-check'
import { expect, test } from 'vitest'
import { deliveriesEndAt, retryAt, roomPauseMs } from '../../../../server/domain/outbox/backoff'
import { FILE_LOST } from '../../../../server/ports/delivery'
import type { Work } from '../../../../server/ports/submission'
import { ADA } from '../../../fakes/triage'
import { waiting } from '../../../support/seed'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const POLICY = { baseMs: 5000, leaseMs: 30_000, retryForMs: 3 * DAY }
const NOW = 1_000_000
const END = NOW + 3 * DAY
const TEN_MINUTES = 600_000

const nextAt = (work: Work, outcome: Parameters<typeof retryAt>[1], random = 0, now = NOW) => (
  retryAt(work, outcome, POLICY, { now, random, endAt: END })
)
const work = (kind: Work['kind'], attempts: number): Work => ({ key: kind, kind, attempts, dueAt: 0 })
const delayMs = (kind: Work['kind'], attempts: number, random: number, retryAfterMs?: number) => {
  const at = nextAt(work(kind, attempts), { permanent: false, retryAfterMs }, random)
  return at === null ? null : at - NOW
}

test('pauses triple from the base: half of each is fixed, half is random', () => {
  expect([0, 1, 2].map(attempts => delayMs('email', attempts, 0))).toEqual([2500, 7500, 22_500])
  expect([0, 1, 2].map(attempts => delayMs('email', attempts, 0.5))).toEqual([3750, 11_250, 33_750])
})

test('no pause is longer than 10 minutes or shorter than half the base, however often it failed', () => {
  fc.assert(fc.property(fc.nat(5000), fc.double({
    min: 0, max: 1, maxExcluded: true, noNaN: true,
  }), (attempts, random) => {
    const pauseMs = delayMs('post', attempts, random)!
    expect(pauseMs).toBeGreaterThanOrEqual(POLICY.baseMs / 2)
    expect(pauseMs).toBeLessThanOrEqual(Math.min(POLICY.baseMs * 3 ** attempts, TEN_MINUTES))
  }))
})

test('a Retry-After that is longer than the pause is honoured, a shorter one changes nothing', () => {
  expect(delayMs('email', 0, 0, 60_000)).toBe(60_000)
  expect(delayMs('post', 0, 0, 3_600_000)).toBe(3_600_000)
  expect(delayMs('email', 0, 0, 1)).toBe(2500)
})

test('a Retry-After that is further off than an hour is an hour', () => {
  expect([1e15, Infinity].map(retryAfterMs => delayMs('post', 0, 0, retryAfterMs))).toEqual([3_600_000, 3_600_000])
})

test.each(['email', 'endpoint:CRM', 'erasure'])('%s is tried until its end, each hour at last', (kind) => {
  expect([8, 500].map(attempts => delayMs(kind, attempts, 0.999_999)! / HOUR)).toEqual([
    expect.closeTo(1, 3), expect.closeTo(1, 3),
  ])
  const last = nextAt(work(kind, 90), { permanent: false }, 0, END - 60_000)
  expect(last).toBe(END)
  expect(nextAt(work(kind, 91), { permanent: false }, 0, END)).toBeNull()
})

test('an email whose file is lost is given up after nine attempts, so that people learn of it', () => {
  const outcome = { permanent: false, reason: FILE_LOST }
  expect(nextAt(work('email', 7), outcome)).not.toBeNull()
  expect(nextAt(work('email', 8), outcome)).toBeNull()
})

test('a receiver of a delivery may ask for a pause of a day, and no longer', () => {
  expect([DAY, 2 * DAY].map(retryAfterMs => delayMs('endpoint', 0, 0, retryAfterMs))).toEqual([DAY, DAY])
})

test.each(['remind', 'confirm'])('%s is given up after nine attempts', (kind) => {
  expect(delayMs(kind, 7, 0)).toBe(TEN_MINUTES / 2)
  expect(delayMs(kind, 8, 0)).toBeNull()
  expect(delayMs(kind, 8, 0, 60_000)).toBeNull()
})

test('an email that only came too soon is not given up, however often', () => {
  expect(nextAt(work('email', 30), { permanent: false, limited: true }, 0, END + 1)).toBe(
    END + 1 + HOUR / 2,
  )
})

test.each<[string, number, number, number]>([
  ['soon after it came', 0, 3 * DAY, 3 * DAY],
  ['after a week', 7 * DAY, 9 * DAY, 10 * DAY],
  ['on the tenth day', 10 * DAY, 3 * DAY, 10 * DAY + HOUR],
  ['soon after it came, with a short RETRY_FOR', 0, 2000, 2000],
])('a forward that was decided %s is tried for its time, and until the tenth day', (_, decidedMs, retryForMs, endMs) => {
  const decision = { action: 'forward', at: NOW + decidedMs, reviewer: ADA } as const
  expect(deliveriesEndAt(waiting({ receivedAt: NOW, decision }), { ...POLICY, retryForMs }) - NOW).toBe(endMs)
})

test('nine attempts take 20 to 40 minutes, as docs/reliability.md says', () => {
  const minutes = [0, 1].map(random => [0, 1, 2, 3, 4, 5, 6, 7].reduce(
    (totalMs, attempts) => totalMs + delayMs('remind', attempts, random)!, 0,
  ) / 60_000)
  expect(minutes.map(Math.round)).toEqual([20, 40])
})

test.each(['email', 'endpoint', 'remind'] as const)('%s is given up at once when trying again cannot help', (kind) => {
  expect(nextAt(work(kind, 0), { permanent: true })).toBeNull()
})

test('an update of a card is not given up while the card is there, with pauses of at most an hour', () => {
  expect([8, 100].map(attempts => delayMs('update', attempts, 0))).toEqual([3_600_000 / 2, 3_600_000 / 2])
  expect(nextAt(work('update', 0), { permanent: true })).toBe(NOW + 2500)
})

test.each(['update', 'remind', 'tell'] as const)('%s is given up after 5 to 10 minutes of not finding its card', (kind) => {
  const outcome = { permanent: true, gone: true }
  const pausesMs = [0, 1].map(random => [0, 1, 2, 3, 4, 5].map((missed) => {
    const at = nextAt({ ...work(kind, 8), missed }, outcome, random)
    return at && at - NOW
  }))
  expect(pausesMs).toEqual([
    [2500, 7500, 22_500, 67_500, 202_500, null], [5000, 15_000, 45_000, 135_000, 405_000, null],
  ])
})

test('a post is never given up', () => {
  expect(nextAt(work('post', 0), { permanent: true })).toBe(NOW + 2500)
  expect(nextAt(work('post', 1000), { permanent: true })).toBe(NOW + TEN_MINUTES / 2)
})

test('a post that is refused for what it says is tried again every 6 hours, an edit as any other', () => {
  const retryTime = (kind: Work['kind']) => nextAt(work(kind, 3), { permanent: true, content: true })
  expect([retryTime('post'), retryTime('update')]).toEqual([NOW + 6 * 3_600_000, NOW + 67_500])
})

test.each([
  ['a Retry-After', { permanent: false, retryAfterMs: 7000 }, 7000],
  ['a Retry-After of years: an hour', { permanent: false, retryAfterMs: 1e15 }, 3_600_000],
  ['a Retry-After without end: an hour', { permanent: false, retryAfterMs: Infinity }, 3_600_000],
  ['a Retry-After that is over', { permanent: false, retryAfterMs: -5000 }, 0],
  ['a refusal of whatever is posted: a minute', { permanent: true }, 60_000],
  ['a refusal of this card', { permanent: true, content: true }, 0],
  ['an outage', { permanent: false }, 0],
] as const)('no card goes to a room after %s', (_, outcome, pauseMs) => {
  expect(roomPauseMs(outcome, POLICY)).toBe(pauseMs)
})
