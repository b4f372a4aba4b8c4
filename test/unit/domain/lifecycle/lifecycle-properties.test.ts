import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { contentHash, isDelivery, outstanding, isOver } from '../../../../server/domain/lifecycle/record'
import { transition } from '../../../../server/domain/lifecycle/lifecycle'
import type { Done, LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import type { CardRef, Delivery, Submission } from '../../../../server/ports/submission'
import { runs } from '../../../support/properties'

const LEASE = 30_000
const UNDO = 10_000
const REVIEWER = { id: 'U', name: 'U', platform: 'Slack' }

/** Returns the next event for the current submission. */
type Happening = (current: Submission) => { event: LifecycleEvent, passedMs?: number }

const card = (number: number): CardRef => ({
  platform: 'slack', threadId: `slack:C1:${number}`, messageId: `${number}`,
})
const cardKey = ({ platform, messageId }: CardRef) => `${platform}:${messageId}`
const keyAt = ({ work }: Submission, index: number) => work[index % Math.max(work.length, 1)]?.key ?? 'none'
/** Work that may be in progress. Leaves out deliveries while they can be undone, because they have not begun. */
const workAt = ({ work, revocableUntil }: Submission, index: number) => {
  const startedWork = revocableUntil === undefined ? work : work.filter(({ kind }) => !isDelivery(kind))
  return startedWork[index % Math.max(startedWork.length, 1)]
}

const decision: fc.Arbitrary<Happening> = fc.record({
  action: fc.constantFrom('forward' as const, 'spam' as const), clicked: fc.option(fc.nat(3)),
  text: fc.option(fc.oneof(fc.constantFrom('a', 'b'), fc.string())), confirms: fc.boolean(), revocable: fc.boolean(),
  deliveries: fc.subarray<Delivery>(['email', 'endpoint'], { minLength: 1 }),
}).map(({ action, clicked, text, confirms, revocable, deliveries }): Happening => () => ({
  event: {
    type: 'claimed', action, reviewer: REVIEWER, deliveries,
    revocableMs: revocable && action === 'forward' ? UNDO : 0,
    ...clicked === null ? {} : { card: card(clicked) },
    ...confirms && action === 'forward' ? { confirm: 'ada@example.com' } : {},
    ...text === null || action === 'spam' ? {} : { edit: { data: { text }, edited: ['text'] } },
  },
}))

const happening: fc.Arbitrary<Happening> = fc.oneof(
  decision,
  fc.constant<Happening>(() => ({ event: { type: 'revoked', action: 'forward', reviewer: REVIEWER } })),
  fc.record({
    index: fc.nat(9), posted: fc.nat(3), age: fc.nat(3),
  }).map(({ index, posted, age }): Happening => (current) => {
    const work = workAt(current, index)
    const version = Math.max(current.version - age, 1)
    const results: Record<string, Partial<Done>> = {
      // Each room has its own messages.
      post: { card: card(work?.room === 'discord' ? 4 + posted : posted), version },
      update: { card: work?.card, version }, remind: {}, tell: {}, erasure: {},
      confirm: age === 0 ? { skipped: 'Too many.' } : {},
      email: resultOf(current), endpoint: resultOf(current),
    }
    return { event: { type: 'done', key: work?.key ?? 'none', ...work && results[work.kind] } }
  }),
  // Late result of work that another process has taken over, based on an old version
  fc.nat(3).map((number): Happening => current => ({
    event: { type: 'done', key: 'taken over', card: card(number), version: Math.max(current.version - 2, 1) },
  })),
  fc.record({ index: fc.nat(9), again: fc.boolean() }).map(({ index, again: isRetried }): Happening => (current) => {
    const work = workAt(current, index)
    return { event: {
      type: 'failed', key: work?.key ?? 'none', reason: 'Down.', retryAt: isRetried || work?.kind === 'post' ? 1 : null,
    } }
  }),
  fc.constantFrom(0, 1, LEASE, SUBMISSION_TTL_MS).map((passedMs): Happening => current => ({
    event: { type: 'leased', keys: current.work.map(({ key }) => key) }, passedMs,
  })),
  fc.constantFrom('expired' as const, 'expiring' as const).map((type): Happening => () => ({ event: { type } })),
  fc.nat(9).map((index): Happening => current => ({
    event: { type: 'put-off', key: keyAt(current, index), until: 1 },
  })),
)

function resultOf({ data }: Submission) {
  return data ? { sent: { delivery: 'email' as const, content: contentHash(data), to: ['team@example.com'] } } : {}
}

/** Applies the happenings to a submission and passes every step to `check`. */
function playHappenings(
  happenings: readonly Happening[], check: (before: Submission, event: LifecycleEvent, after: Submission) => void,
): void {
  let now = 1000
  const start = transition(
    null, { type: 'received', id: 'one', data: { text: 'a' }, rooms: ['slack', 'discord'] }, now, LEASE,
  )
  if ('refused' in start) throw new Error('A new submission is never refused.')
  let current = start.next
  for (const next of happenings) {
    const { event, passedMs = 0 } = next(current)
    now += passedMs
    const result = transition(current, event, now, LEASE)
    if ('refused' in result) continue
    check(current, event, result.next)
    expect(isOver(result.next)).toBe(
      ['settled', 'expired'].includes(result.next.state) && outstanding(result.next).length === 0,
    )
    expect(result.added.every(work => result.next.work.includes(work))).toBe(true)
    if (isOver(result.next)) return
    current = result.next
  }
}

const sequences = fc.array(happening, { maxLength: 40 })

/** A decision, the end of its undo period, and the results of its deliveries */
const round = fc.tuple(decision, fc.boolean(), fc.boolean()).map(([claim, ...arrives]): Happening[] => [
  claim, ({ work }) => ({ event: { type: 'leased', keys: work.map(({ key }) => key) }, passedMs: LEASE }),
  ...(['email', 'endpoint'] as const).map((delivery, index): Happening => (current) => {
    const key = current.work.find(({ kind }) => kind === delivery)?.key ?? 'none'
    return { event: arrives[index]
      ? { type: 'done', key, ...resultOf(current) }
      : { type: 'failed', key, reason: 'Refused.', retryAt: null } }
  }),
])

const rounds = fc.array(fc.oneof(round, happening.map(each => [each])), { maxLength: 20 }).map(each => each.flat())

test('whatever happens, a decided submission never gets a second decision', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    playHappenings(happenings, (before, event, after) => {
      if (before.decision) expect([before.decision, null]).toContainEqual(after.decision)
      if (after.decision && !before.decision) expect([before.state, event.type]).toEqual(['open', 'claimed'])
      expect(['settling', 'settled'].includes(after.state)).toBe(after.decision !== null)
      if (before.state === 'settled') expect(after.state).toBe('settled')
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, no delivery gives the same content twice in a row, and none that was made is outstanding', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    const lastContents = new Map<Delivery, string>()
    playHappenings(happenings, (before, _event, after) => {
      for (const { delivery, content } of after.sent ?? []) {
        if (before.delivered.includes(delivery) || !after.delivered.includes(delivery)) continue
        expect(lastContents.get(delivery)).not.toBe(content)
        lastContents.set(delivery, content)
      }
      expect(new Set(after.delivered).size).toBe(after.delivered.length)
      expect(after.work.filter(({ kind }) => (after.delivered as string[]).includes(kind))).toEqual([])
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, what is opened again as failed failed in this round, and has not been delivered', () => {
  fc.assert(fc.property(rounds, (happenings) => {
    let failedDeliveries: Delivery[] = []
    playHappenings(happenings, (before, event, after) => {
      if (event.type === 'claimed') failedDeliveries = []
      const isGivenUp = event.type === 'failed' && event.retryAt === null
      const kind = isGivenUp ? before.work.find(({ key }) => key === event.key)?.kind : undefined
      if (isDelivery(kind)) failedDeliveries.push(kind)
      if (after.state !== 'open') return
      const failures = after.failures.map(({ delivery }) => delivery)
      expect(failures.filter(delivery => after.delivered.includes(delivery))).toEqual([])
      if (before.state === 'settling' && event.type !== 'revoked') expect(failures).toEqual(failedDeliveries)
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, the version grows by one and no key of work is used for two effects', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    const retiredKeys = new Set<string>()
    playHappenings(happenings, (before, _event, after) => {
      expect(after.version).toBe(before.version + 1)
      const keys = after.work.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
      expect(keys.filter(key => retiredKeys.has(key))).toEqual([])
      for (const { key } of before.work) {
        if (!keys.includes(key)) retiredKeys.add(key)
      }
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, spam and expired submissions hold no data and deliver nothing', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    playHappenings(happenings, (_before, _event, after) => {
      if (after.state !== 'expired' && after.decision?.action !== 'spam') return
      expect(after.data).toBeNull()
      expect([after.edited, outstanding(after).filter(({ kind }) => kind !== 'update')]).toEqual([[], []])
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, the record stays until every card shows what became of it, or would not', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    const shownVersions = new Map<string, number>()
    // The result of posting a card may be stored after the results of its edits.
    const noteShown = (key: string, version: number) => (
      shownVersions.set(key, Math.max(version, shownVersions.get(key) ?? 0))
    )
    playHappenings(happenings, (before, event, after) => {
      if (event.type === 'done' && event.card) noteShown(cardKey(event.card), event.version ?? 0)
      const refusedCard = event.type === 'failed' && event.retryAt === null
        ? before.work.find(({ key }) => key === event.key)?.card
        : undefined
      if (refusedCard) noteShown(cardKey(refusedCard), Number.POSITIVE_INFINITY)
      const updatedKeys = after.work.flatMap(({ kind, card: of }) => kind === 'update' ? [cardKey(of!)] : [])
      expect(new Set(updatedKeys).size).toBe(updatedKeys.length)
      for (const each of after.cards) {
        if (after.look && !updatedKeys.includes(cardKey(each))) {
          expect(shownVersions.get(cardKey(each))).toBeGreaterThanOrEqual(after.look)
        }
      }
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, every room of what waits for a decision has its card, or one to come', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    const posted = new Set<string>()
    playHappenings(happenings, (_before, event, after) => {
      if (event.type === 'done' && event.key.startsWith('post:')) posted.add(event.key)
      if (after.state === 'open') {
        expect(
          ['post:slack', 'post:discord'].filter(key => !posted.has(key) && !after.work.some(work => work.key === key)),
        ).toEqual([])
      }
    })
  }), { numRuns: runs(500) })
})

test('whatever happens, who sent it is told once at most, when all was passed on, and forgotten as soon as nobody will', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    let isTold = false
    playHappenings(happenings, (before, _event, after) => {
      const confirms = after.work.filter(({ kind }) => kind === 'confirm')
      expect(confirms.length).toBeLessThanOrEqual(1)
      if (confirms.length > 0) {
        expect([after.state, after.decision?.action, after.confirmation]).toEqual([
          'settled', 'forward', { to: 'ada@example.com' },
        ])
        expect(isTold).toBe(false)
      }
      if (after.confirmation?.to && after.state !== 'settling') expect(confirms).toHaveLength(1)
      if (before.confirmation?.at) expect(after.confirmation).toEqual(before.confirmation)
      isTold ||= after.confirmation?.at !== undefined
    })
  }), { numRuns: runs(500) })
})
