import fc from 'fast-check'
import { expect, test } from 'vitest'
import { SUBMISSION_TTL_MS, transition, type LifecycleEvent } from '../../server/domain/submission/lifecycle'
import type { CardRef, Submission } from '../../server/ports/submission'

const LEASE = 30_000

/** What may happen next, given the submission as it is then. */
type Happening = (current: Submission) => { event: LifecycleEvent, passed?: number }

const card = (number: number): CardRef => ({ platform: 'slack', threadId: `slack:C1:${number}`, messageId: `${number}` })
const keyAt = ({ work }: Submission, index: number) => work[index % Math.max(work.length, 1)]?.key ?? 'none'

const happening: fc.Arbitrary<Happening> = fc.oneof(
  fc.record({ action: fc.constantFrom('forward' as const, 'spam' as const), clicked: fc.option(fc.nat(3)), text: fc.option(fc.string()) }).map(({ action, clicked, text }): Happening => () => ({
    event: {
      type: 'claimed', action, reviewer: { id: 'U', name: 'U', platform: 'Slack' }, deliveries: ['email', 'endpoint'],
      ...clicked === null ? {} : { card: card(clicked) },
      ...text === null || action === 'spam' ? {} : { edit: { data: { text }, edited: ['text'] } },
    },
  })),
  fc.record({ index: fc.nat(9), posted: fc.option(fc.nat(3)) }).map(({ index, posted }): Happening => current => ({
    event: { type: 'done', key: keyAt(current, index), ...posted === null ? {} : { card: card(posted) } },
  })),
  fc.record({ index: fc.nat(9), again: fc.boolean() }).map(({ index, again }): Happening => current => ({
    event: { type: 'failed', key: keyAt(current, index), reason: 'Down.', retryAt: again ? 1 : null },
  })),
  fc.constantFrom(0, 1, LEASE, SUBMISSION_TTL_MS).map((passed): Happening => current => ({
    event: { type: 'leased', keys: current.work.map(({ key }) => key) }, passed,
  })),
  fc.constantFrom('expired' as const, 'expiring' as const).map((type): Happening => () => ({ event: { type } })),
  fc.nat(9).map((index): Happening => current => ({ event: { type: 'put-off', key: keyAt(current, index), until: 1 } })),
)

/** Plays the happenings to a submission and hands every step to `check`. */
function play(happenings: readonly Happening[], check: (before: Submission, event: LifecycleEvent, after: Submission) => void): void {
  let now = 1000
  const start = transition(null, { type: 'received', id: 'one', data: { text: 'a' }, rooms: ['slack', 'discord'] }, now, LEASE)
  if ('refused' in start) throw new Error('A new submission is never refused.')
  let current = start.next
  for (const next of happenings) {
    const { event, passed = 0 } = next(current)
    now += passed
    const result = transition(current, event, now, LEASE)
    if ('refused' in result) continue
    check(current, event, result.next)
    expect(result.finished).toBe(result.next.state !== 'open' && result.next.work.length === 0)
    expect(result.added.every(work => result.next.work.includes(work))).toBe(true)
    if (result.finished) return
    current = result.next
  }
}

const sequences = fc.array(happening, { maxLength: 40 })

test('whatever happens, a decided submission never gets a second decision', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    play(happenings, (before, event, after) => {
      if (before.decision) expect([before.decision, null]).toContain(after.decision)
      if (after.decision && !before.decision) expect([before.state, event.type]).toEqual(['open', 'claimed'])
      expect(after.state === 'settling').toBe(after.decision !== null)
    })
  }), { numRuns: 500 })
})

test('whatever happens, a delivery that succeeded is never outstanding again', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    play(happenings, (before, _event, after) => {
      expect(new Set(after.delivered).size).toBe(after.delivered.length)
      expect(after.delivered).toEqual(expect.arrayContaining([...before.delivered]))
      expect(after.work.filter(({ kind }) => (after.delivered as string[]).includes(kind))).toEqual([])
    })
  }), { numRuns: 500 })
})

test('whatever happens, the version grows by one and no key of work is used for two effects', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    const retired = new Set<string>()
    play(happenings, (before, _event, after) => {
      expect(after.version).toBe(before.version + 1)
      const keys = after.work.map(({ key }) => key)
      expect(new Set(keys).size).toBe(keys.length)
      expect(keys.filter(key => retired.has(key))).toEqual([])
      for (const { key } of before.work) {
        if (!keys.includes(key)) retired.add(key)
      }
    })
  }), { numRuns: 500 })
})

test('whatever happens, spam and expired submissions hold no data and deliver nothing', () => {
  fc.assert(fc.property(sequences, (happenings) => {
    play(happenings, (_before, _event, after) => {
      if (after.state !== 'expired' && after.decision?.action !== 'spam') return
      expect(after.data).toBeNull()
      expect(after.work.filter(({ kind }) => kind !== 'update')).toEqual([])
    })
  }), { numRuns: 500 })
})
