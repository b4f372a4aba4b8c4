import { REMINDER_LEAD_MS, SETTLING_GRACE_MS, SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import { describe, expect, test } from 'vitest'
import { dataLivesUntil, nextAttention } from '../../../../server/domain/lifecycle/record'
import {
  claimed, DATA, DISCORD, finish, giveUp, kinds, LEASE, NOW, posted, received, refusal, REVIEWER, SLACK, spam, step,
} from '../../../fixtures/lifecycle'

describe('received', () => {
  test('is open for exactly 7 days, with a card to post on each platform', () => {
    const { next, added, finished } = step(
      null, { type: 'received', id: 'one', data: DATA, rooms: ['slack', 'discord'] },
    )
    expect(next).toMatchObject({
      id: 'one', version: 1, state: 'open', data: DATA, receivedAt: NOW, expiresAt: NOW + 7 * 24 * 3600 * 1000,
      decision: null,
    })
    expect(added).toEqual(next.work)
    expect(next.work.map(({ kind, room, dueAt }) => [kind, room, dueAt])).toEqual([
      ['post', 'slack', NOW + LEASE], ['post', 'discord', NOW + LEASE],
    ])
    expect(finished).toBe(false)
  })

  test('needs attention at its reminder and at its expiry once its cards are posted', () => {
    expect(nextAttention(received())).toBe(NOW + LEASE)
    expect(nextAttention(posted())).toBe(NOW + SUBMISSION_TTL_MS - REMINDER_LEAD_MS)
    expect(nextAttention({ ...posted(), reminded: true })).toBe(NOW + SUBMISSION_TTL_MS)
  })
})

describe('forward', () => {
  test('claims, with every card, the email and the POST outstanding, the cards first', () => {
    const { next, added, finished } = step(posted(), claimed())
    expect(next).toMatchObject({
      state: 'settling', decision: { action: 'forward', reviewer: REVIEWER, at: NOW }, data: DATA,
    })
    expect(kinds(next)).toEqual(['update slack', 'update discord', 'email', 'endpoint'])
    expect([added, finished]).toEqual([next.work, false])
    expect(next.work.every(({ dueAt, attempts }) => dueAt === NOW + LEASE && attempts === 0)).toBe(true)
  })

  test('takes up the clicked card when its post was not on record yet', () => {
    const { next } = step(received(['slack']), claimed({ card: SLACK }))
    expect(next.cards).toEqual([SLACK])
    expect(kinds(next)).toEqual(['update slack', 'email', 'endpoint'])
    expect(step(posted(), claimed({ card: SLACK })).next.cards).toEqual([SLACK, DISCORD])
  })

  test('keeps the data for the deliveries, also past the 7 days, and no longer than the grace', () => {
    const late = NOW + SUBMISSION_TTL_MS - 1
    expect(dataLivesUntil(step(posted(), claimed(), late).next)).toBe(late + SETTLING_GRACE_MS)
    expect(dataLivesUntil(step(posted(), claimed()).next)).toBe(NOW + SUBMISSION_TTL_MS)
  })
})

describe('spam', () => {
  test('is finished at once when no card is known', () => {
    expect(step(received(), spam)).toMatchObject({ finished: true, added: [] })
  })
})

describe('settling', () => {
  test('is finished when the last outstanding work is done, and not before', () => {
    let current = step(posted(), claimed()).next
    for (const kind of ['email', 'endpoint', 'update']) {
      const result = finish(current, kind)
      expect(result.finished).toBe(false)
      current = result.next
    }
    expect(current).toMatchObject({ state: 'settled', delivered: ['email', 'endpoint'] })
    expect(finish(current, 'update')).toMatchObject({ finished: true, next: { work: [] } })
  })

  test('a failed piece of work waits for its next attempt, and what was done stays done', () => {
    const half = finish(step(posted(), claimed()).next, 'endpoint').next
    const { key } = half.work.find(({ kind }) => kind === 'email')!
    const { next, added } = step(half, { type: 'failed', key, reason: 'Down.', retryAt: NOW + 5000 })
    expect(next).toMatchObject({ state: 'settling', delivered: ['endpoint'], failures: [] })
    expect(next.work.find(work => work.key === key)).toMatchObject({ attempts: 1, dueAt: NOW + 5000 })
    expect(added).toEqual([])
    expect(kinds(next)).not.toContain('endpoint')
  })

  test('a card update that is given up does not keep the record', () => {
    const current = step(posted(), spam).next
    expect(giveUp(giveUp(current, 'update').next, 'update')).toMatchObject({ finished: true })
  })

  test('attempts used up open it again, say what failed, and offer the buttons on every card', () => {
    const half = finish(step(posted(), claimed()).next, 'endpoint').next
    const { next, added, finished } = giveUp(half, 'email')
    expect(next).toMatchObject({
      state: 'open', decision: null, data: DATA, failures: [{ delivery: 'email', reason: 'Refused.' }],
    })
    expect(kinds(next)).toEqual(['update slack', 'update discord'])
    // No new edits: the outstanding card edits of the decision will show this too.
    expect([added, finished]).toEqual([[], false])
    const later = half.work.reduce(
      (current, { key, kind }) => kind === 'update' ? step(current, { type: 'done', key }).next : current, half,
    )
    expect(kinds(giveUp(later, 'email').next)).toEqual(['update slack', 'update discord'])
    expect(giveUp(later, 'email').added).toHaveLength(2)
  })

  test('stays decided while another delivery is still being tried', () => {
    const { next } = giveUp(step(posted(), claimed()).next, 'email')
    expect(next).toMatchObject({ state: 'settling', failures: [{ delivery: 'email' }] })
    expect(finish(next, 'endpoint').next).toMatchObject({ state: 'open', decision: null, delivered: ['endpoint'] })
  })

  test('a new forward after that does only what is left', () => {
    const reopened = giveUp(finish(step(posted(), claimed()).next, 'endpoint').next, 'email').next
    const { next } = step(reopened, claimed())
    expect(kinds(next)).toEqual(['update slack', 'update discord', 'email'])
    expect(next.failures).toEqual([])
    expect(next.work.some(({ key }) => reopened.work.some(work => work.key === key))).toBe(false)
  })

  test('a post in flight that reports after the claim gets an update of its card', () => {
    const current = step(received(['slack']), claimed()).next
    const { next, added } = step(current, { type: 'done', key: 'post:slack', card: SLACK })
    expect(next.cards).toEqual([SLACK])
    expect(added).toMatchObject([{ kind: 'update', card: SLACK, dueAt: NOW + LEASE }])
    expect(next.work).toEqual([...current.work.filter(({ kind }) => kind !== 'post'), ...added])
  })
})

test('work that has to wait its turn counts no attempt', () => {
  const { next, added } = step(received(['slack']), { type: 'put-off', key: 'post:slack', until: NOW + 1000 })
  expect(next.work).toMatchObject([{ key: 'post:slack', attempts: 0, dueAt: NOW + 1000 }])
  expect(added).toEqual([])
  expect(refusal(next, { type: 'put-off', key: 'none', until: NOW })).toBe('unknown-work')
})

test('every card is reminded of once, a day before the expiry and only while it is open', () => {
  const day = NOW + SUBMISSION_TTL_MS - REMINDER_LEAD_MS
  expect(refusal(posted(), { type: 'expiring' }, day - 1)).toBe('not-due')
  const { next, added } = step(posted(), { type: 'expiring' }, day)
  expect(added.map(({ kind, card }) => [kind, card])).toEqual([['remind', SLACK], ['remind', DISCORD]])
  expect(refusal(next, { type: 'expiring' }, day)).toBe('not-due')
  expect(refusal(step(posted(), claimed()).next, { type: 'expiring' }, day)).toBe('not-due')
})

describe('leased', () => {
  const key = 'post:slack'

  test('hands out what is due, for one lease, and nothing twice', () => {
    const due = NOW + LEASE
    const { next, added } = step(received(), { type: 'leased', keys: [key] }, due)
    expect(added.map(work => [work.key, work.dueAt])).toEqual([[key, due + LEASE]])
    expect(refusal(next, { type: 'leased', keys: [key] }, due)).toBe('not-due')
    expect(refusal(next, { type: 'leased', keys: [key] }, due + LEASE - 1)).toBe('not-due')
    expect(refusal(next, { type: 'leased', keys: [key] }, due + LEASE)).toBeNull()
  })

  test('is refused while the maker of the work still has it', () => {
    expect(refusal(received(), { type: 'leased', keys: [key] }, NOW + LEASE - 1)).toBe('not-due')
  })

  test('what is delivered at the second attempt says so in the history', () => {
    const { next, added } = step(posted(), claimed())
    const email = added.find(({ kind }) => kind === 'email')!.key
    const late = step(next, { type: 'failed', key: email, reason: 'away', retryAt: NOW + 1 }).next
    const { next: done } = step(late, { type: 'done', key: email })
    expect(done.history.at(-1)).toMatchObject({ event: 'delivered', attempt: 2 })
  })

  test('a card that was refused is not handed out once more while somebody tries it again', () => {
    const retryAt = NOW + 60_000
    const late = step(received(), { type: 'failed', key, reason: 'no', retryAt, refused: true }).next
    expect(step(late, { type: 'post-again' }).added.map(({ key }) => key)).toEqual([key])
    const leased = step(late, { type: 'leased', keys: [key] }, retryAt).next
    expect(refusal(leased, { type: 'post-again' }, retryAt)).toBe('not-due')
  })

  test('for a card that is clicked hands out the edit that failed, before its time, and none that is being made', () => {
    const clicked = { type: 'leased', keys: [], card: SLACK } as const
    const edited = step(posted(), claimed()).next
    expect(refusal(edited, clicked)).toBe('not-due')
    const [edit] = edited.work.filter(({ card }) => card?.messageId === SLACK.messageId)
    const late = step(edited, { type: 'failed', key: edit!.key, reason: 'away', retryAt: NOW + 60_000 }).next
    expect(step(late, clicked).added.map(({ key }) => key)).toEqual([edit!.key])
  })

  test('fifty clicks on a card that cannot be edited put its next attempt off no further than the first', () => {
    const clicked = { type: 'leased', keys: [], card: SLACK } as const
    const edited = step(posted(), claimed()).next
    const { key } = edited.work.find(({ card }) => card?.messageId === SLACK.messageId)!
    const away = { type: 'failed', key, reason: 'away', retryAt: NOW + 60_000 } as const
    let behind = step(edited, away).next
    const attempts = () => behind.work.find(work => work.key === key)!.attempts
    const first = attempts()
    for (let click = 0; click < 50; click++) behind = step(step(behind, clicked).next, away).next
    expect([first, attempts()]).toEqual([1, 1])
  })
})

describe('expired', () => {
  const expiry = NOW + SUBMISSION_TTL_MS

  test('happens at exactly 7 days and not 1 ms before', () => {
    expect(refusal(posted(), { type: 'expired' }, expiry - 1)).toBe('not-due')
    const { next, finished } = step(posted(), { type: 'expired' }, expiry)
    expect(next).toMatchObject({ state: 'expired', data: null })
    expect(kinds(next)).toEqual(['update slack', 'update discord'])
    expect(finished).toBe(false)
    expect(finish(finish(next, 'update').next, 'update').finished).toBe(true)
  })

  test('keeps where it was sent before, and nothing of what', () => {
    const sent = [{ delivery: 'email' as const, content: 'digest', to: ['a@example.com'], at: NOW }]
    expect(step({ ...posted(), sent }, { type: 'expired' }, expiry).next.sent).toEqual([{ ...sent[0], content: '' }])
  })
})
