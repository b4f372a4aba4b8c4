import { SETTLING_GRACE_MS, SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import { transition } from '../../../../server/domain/lifecycle/lifecycle'
import { cardView } from '../../../../server/domain/cards/card-view'
import {
  contentHash, isDelivery, dataLivesUntil, nextAttention, isOver, traceOf,
} from '../../../../server/domain/lifecycle/record'
import type { CardView } from '../../../../server/ports/board'
import type { Action, Delivery, Receipt, Submission, Work } from '../../../../server/ports/submission'
import { LEASE, NOW, posted, REVIEWER } from '../../../fixtures/lifecycle'
import { formsOf } from '../../../fakes/forms'
import { runs } from '../../../support/properties'

const KEPT_MS = 60 * 60 * 1000
const HOLD_MS = 24 * 60 * 60 * 1000
const PRESENTATION = { siteUrl: null, forms: formsOf({ claim: 'soft' }) }
const DELIVERIES: readonly Delivery[] = ['email', 'endpoint']

/** Model of the service as the lifecycle sees it: a store, a clock, people, and processes that crash. */
class World {
  now = NOW
  submission: Submission = posted()
  /** Work in progress; a crash loses it without a result. */
  runningWork: Work[] = []
  readonly shown = new Map<string, CardView>()
  /** Keys of sent emails and calls, in order. */
  readonly sent: string[] = []
  /** Keys of deliveries whose forward was undone. */
  readonly revoked = new Set<string>()
  /** Message ids of emails that bounced in time to be sent again. */
  readonly returned = new Set<string>()
  /** True if any delivery has failed for good. */
  hasFailed = false
  private heldUntil = 0
  private keptUntil = 0

  /** @param cardDataMs how long cards show the form, ms; null for always */
  constructor(readonly cardDataMs: number | null) {
    for (const { messageId } of this.submission.cards) {
      this.shown.set(messageId, cardView(this.submission, PRESENTATION))
    }
  }

  /** Reads the submission as a store does: form data expires by itself. */
  private read(): Submission {
    return this.now >= dataLivesUntil(this.submission) ? { ...this.submission, data: null } : this.submission
  }

  apply(event: LifecycleEvent): boolean {
    const current = this.read()
    const step = transition(current, event, this.now, LEASE, this.cardDataMs)
    if ('refused' in step) return false
    this.submission = isOver(step.next) ? traceOf(step.next) : step.next
    this.runningWork.push(...step.added)
    if (event.type === 'revoked' && event.action === 'forward') {
      for (const { kind, key } of current.work) if (isDelivery(kind)) this.revoked.add(key)
    }
    return true
  }

  claim(action: Action, revocableMs: number): void {
    const isApplied = this.apply({ type: 'claimed', action, reviewer: REVIEWER, deliveries: DELIVERIES, revocableMs })
    if (isApplied && action === 'spam') this.heldUntil = this.now + revocableMs
  }

  /** Reports the outcome of one email, as the mail provider does. */
  tell(index: number, receipt: Receipt): void {
    const messageId = this.sent.filter(key => key.startsWith('email'))[index]
    const wasDelivered = this.submission.delivered.includes('email')
    if (messageId === undefined || !this.apply({ type: 'receipt', messageId, receipt })) return
    if (wasDelivered && !this.submission.delivered.includes('email')) this.returned.add(messageId)
  }

  sweep(): void {
    for (const type of ['expired', 'expiring', 'forgotten', 'collapsing', 'freed'] as const) this.apply({ type })
    this.apply({ type: 'leased', keys: this.submission.work.map(({ key }) => key) })
  }

  /** Performs one piece of work; `isResultStored` is false if its result is not stored. */
  perform(index: number, isResultStored: boolean): void {
    const [work] = this.runningWork.splice(index % Math.max(this.runningWork.length, 1), 1)
    if (!work) return
    const { version } = this.submission
    if (isDelivery(work.kind)) this.sent.push(work.key)
    else if (work.kind === 'update') this.shown.set(work.card!.messageId, cardView(this.read(), PRESENTATION))
    if (!isResultStored) return
    const { kind, key, card } = work
    const content = contentHash(this.read().data ?? {})
    const sent = { delivery: 'email', content, to: ['team@example.com'], messageId: key } as const
    const isStored = this.apply({
      type: 'done', key,
      ...kind === 'update' && { card: card!, version }, ...kind === 'email' && { sent, keepMs: KEPT_MS },
    })
    if (isStored && kind === 'email') this.keptUntil = this.now + KEPT_MS
  }

  /** Fails a delivery for good, regardless of the process that makes it. */
  giveUp(index: number): void {
    const unsentWork = this.runningWork.filter(({ kind, key }) => isDelivery(kind) && !this.sent.includes(key))
    const work = unsentWork[index % Math.max(unsentWork.length, 1)]
    if (!work) return
    this.runningWork = this.runningWork.filter(({ key }) => key !== work.key)
    this.hasFailed = this.apply({ type: 'failed', key: work.key, reason: 'Refused.', retryAt: null }) || this.hasFailed
  }

  /** Runs until no work is left and nothing more happens with time. */
  settle(): void {
    for (let round = 0; round < 100 && !isOver(this.submission); round++) {
      while (this.runningWork.length > 0) this.perform(0, true)
      this.now = Math.max(this.now + 1, Math.min(nextAttention(this.submission), this.now + SUBMISSION_TTL_MS))
      this.sweep()
    }
  }

  check(): void {
    expect(this.sent.filter(key => this.revoked.has(key))).toEqual([])
    const { state, decision, expiresAt, work, holder, failures, delivered } = this.submission
    const { data } = this.read()
    if (state === 'erased') expect(data).toBeNull()
    if (state === 'open') expect(failures.filter(({ delivery }) => delivered.includes(delivery))).toEqual([])
    expect([state === 'open', Boolean(holder)]).not.toEqual([false, true])
    const isShown = [...this.shown.values()].some(({ actions }) => actions.some(({ id }) => id === 'hand_back'))
    if (!work.some(({ kind }) => kind === 'update')) expect(isShown).toBe(holder !== undefined)
    if (data && state === 'settled' && decision?.action === 'spam') expect(this.now).toBeLessThan(this.heldUntil)
    else if (data && state === 'settled' && work.length === 0) expect(this.now).toBeLessThan(this.keptUntil)
    if (data) expect(this.now).toBeLessThan(decision ? Math.max(expiresAt, decision.at + SETTLING_GRACE_MS) : expiresAt)
  }
}

const action: fc.Arbitrary<(world: World) => void> = fc.oneof(
  fc.record({ action: fc.constantFrom<Action>('forward', 'spam'), back: fc.boolean() }).map(
    ({ action, back: isRevocable }) => (world: World) => (
      world.claim(action, !isRevocable ? 0 : action === 'spam' ? HOLD_MS : 10_000)
    ),
  ),
  fc.constantFrom<Action>('forward', 'spam').map(action => (world: World) => (
    void world.apply({ type: 'revoked', action, reviewer: REVIEWER })
  )),
  fc.constant((world: World) => void world.apply({ type: 'erased', reviewer: REVIEWER })),
  fc.record({ id: fc.constantFrom('U1', 'U2'), isGiven: fc.boolean() }).map(
    ({ id, isGiven }) => (world: World) => void (
      world.apply({ type: 'taken', person: { ...REVIEWER, id }, forMs: KEPT_MS, ...isGiven && { by: REVIEWER } })
    ),
  ),
  fc.constant((world: World) => void world.apply({ type: 'returned', who: world.submission.holder?.who ?? '' })),
  fc.constant((world: World) => world.sweep()),
  fc.record({ index: fc.nat(9), isResultStored: fc.boolean() }).map(
    ({ index, isResultStored }) => (world: World) => world.perform(index, isResultStored),
  ),
  fc.nat(1).map(index => (world: World) => world.giveUp(index)),
  fc.record({
    index: fc.nat(2), verdict: fc.constantFrom('delayed' as const, 'delivered' as const, 'bounced' as const),
  }).map(({ index, verdict }) => (world: World) => world.tell(index, { verdict })),
  // All processes crash at once.
  fc.constant((world: World) => void world.runningWork.splice(0)),
  fc.constantFrom(1, 9999, 10_000, LEASE, KEPT_MS, HOLD_MS, SUBMISSION_TTL_MS - 10_000).map(
    ms => (world: World) => void (world.now += ms),
  ),
)

test('however clicks, leases, crashes, receipts, erasures, takes and time follow each other: no email after an undo, no two, no button and no data beyond its time', () => {
  const ages = fc.constantFrom(null, 0, HOLD_MS, 5 * SUBMISSION_TTL_MS)
  fc.assert(fc.property(fc.array(action, { maxLength: 30 }), ages, (actions, cardDataMs) => {
    const world = new World(cardDataMs)
    for (const act of actions) {
      act(world)
      world.check()
    }
    world.settle()
    world.check()
    expect(world.submission).toSatisfy(isOver)
    expect([...world.shown.values()].map(({ actions }) => actions)).toEqual([[], []])
    const { decision, state } = world.submission
    const isShown = state !== 'erased' && cardDataMs === null
    if (!isShown) expect([...world.shown.values()].flatMap(({ fields }) => fields)).toEqual([])
    // The mail provider sends one email per key, no matter how often we request it. So count the keys.
    for (const kind of DELIVERIES) {
      const keys = new Set(world.sent.filter(key => key.startsWith(kind) && !world.returned.has(key)))
      const isForward = decision?.action === 'forward'
      // A call cannot be undone, even if the email bounces or fails, or everything is erased.
      const isPartial = !isForward && (world.returned.size > 0 || world.hasFailed)
      if (state === 'erased' || isPartial) expect(keys.size).toBeLessThanOrEqual(1)
      else expect(keys.size).toBe(isForward ? 1 : 0)
    }
  }), { numRuns: runs(2000) })
})
