import { describe, expect, test } from 'vitest'
import { contentHash, nextAttention } from '../../../../server/domain/lifecycle/record'
import type { LifecycleEvent } from '../../../../server/domain/lifecycle/events'
import type { Delivery, Submission } from '../../../../server/ports/submission'
import {
  claimed, DATA, finish, giveUp, kinds, LEASE, NOW, posted, received, refusal, SLACK, spam, step,
} from '../../../fixtures/lifecycle'

describe('a card', () => {
  test('an edit that was made before what the card has to show by now is made again', () => {
    const current = step(posted(), claimed()).next
    const [update] = current.work
    const sent = finish(current, 'email').next
    const { next, added } = step(sent, { type: 'done', key: update!.key, card: SLACK, version: current.version })
    expect(added).toMatchObject([{ kind: 'update', card: SLACK }])
    expect(added[0]!.key).not.toBe(update!.key)
    expect(
      kinds(step(next, { type: 'done', key: added[0]!.key, card: SLACK, version: next.version }).next),
    ).toEqual(['update discord', 'endpoint'])
  })

  test('an edit that somebody else overtook with older news is put right', () => {
    const current = step(posted(), spam).next
    const lateResult = { type: 'done', key: 'taken over', card: SLACK, version: current.version - 1 } as const
    const shown = step(current, { type: 'done', key: current.work[0]!.key, card: SLACK, version: current.version }).next
    expect(kinds(step(shown, lateResult).next)).toEqual(['update discord', 'update slack'])
    expect(refusal(shown, { ...lateResult, version: current.version })).toBe('unknown-work')
  })

  test('cards are made to follow for 7 days after the decision', () => {
    const current = step(posted(), spam).next
    const { key } = current.work[0]!
    const week = NOW + 7 * 24 * 3600 * 1000
    expect(step(current, { type: 'failed', key, reason: 'Down.', retryAt: week }, week - 1).next.work).toHaveLength(2)
    expect(
      step(current, { type: 'failed', key, reason: 'Down.', retryAt: week + 1 }, week - 1).next.work,
    ).toHaveLength(1)
  })

  test('a card that fails for days is one entry of the history', () => {
    let current = step(posted(), spam).next
    for (let round = 0; round < 100; round++) current = step(
      current, { type: 'failed', key: current.work[0]!.key, reason: 'Down.', retryAt: NOW + round },
    ).next
    expect(current.history.map(({ event }) => event)).toEqual([
      'received', 'posted', 'posted', 'claimed', 'failed', 'failed',
    ])
  })
})

describe('a card that was not posted yet', () => {
  const later = NOW + LEASE
  const decided = step(received(['slack', 'discord']), claimed({ deliveries: ['email'] })).next

  test('waits while its submission is decided, and keeps no record', () => {
    expect(nextAttention(finish(decided, 'email').next)).toBe(Number.POSITIVE_INFINITY)
    expect(refusal(decided, { type: 'leased', keys: ['post:slack'] }, later)).toBe('not-due')
    expect(finish(decided, 'email')).toMatchObject({ finished: true, next: { state: 'settled' } })
  })

  test('is posted when the submission is opened again, once it cannot be in flight any more', () => {
    expect(giveUp(decided, 'email').added).toEqual([])
    expect(kinds(giveUp(decided, 'email').next)).toEqual(['post', 'post'])
    const email = decided.work.find(({ kind }) => kind === 'email')!
    const { next, added } = step(decided, { type: 'failed', key: email.key, reason: 'Refused.', retryAt: null }, later)
    expect(added.map(({ key, dueAt }) => [key, dueAt])).toEqual([
      ['post:slack', later + LEASE], ['post:discord', later + LEASE],
    ])
    expect(next.work).toEqual(added)
  })

  test('is not posted again when it was in flight at the decision, however late it arrives', () => {
    const postResult = { type: 'done', key: 'post:slack', card: SLACK, version: 1 } as const
    expect(kinds(giveUp(step(decided, postResult).next, 'email').next)).toEqual(['post', 'update slack'])
    expect(kinds(step(giveUp(decided, 'email').next, postResult).next)).toEqual(['post', 'update slack'])
  })
})

describe('decided again after one of two deliveries', () => {
  const sent = (delivery: Delivery, data: object) => (
    { delivery, content: contentHash({ ...data }), to: ['team@example.com'] }
  )
  const edit = (name: string) => claimed({ edit: { data: { name }, edited: ['name'] } })
  const deliver = (current: Submission, kind: Delivery, data: object) => (
    step(current, {
      type: 'done', key: current.work.find(work => work.kind === kind)!.key, sent: sent(kind, data),
    }).next
  )
  const deliveries = ({ work }: Submission) => work.flatMap(({ kind }) => kind === 'email' || kind === 'endpoint'
    ? [kind]
    : [])
  /** Reopened submission: the email was sent with these values, and the endpoint refused its call. */
  const reopened = (claim: LifecycleEvent, data: object, from = posted()) => (
    giveUp(deliver(step(from, claim).next, 'email', data), 'endpoint').next
  )

  test('with other values sends them to both', () => {
    const { next } = step(reopened(claimed(), DATA), edit('Grace'))
    expect([deliveries(next), next.delivered]).toEqual([['email', 'endpoint'], []])
    expect(next.sent).toEqual([{ at: NOW, ...sent('email', DATA) }])
  })

  test('with the values that the email has sends what is left', () => {
    expect(deliveries(step(reopened(edit('Grace'), { name: 'Grace' }), edit('Grace')).next)).toEqual(['endpoint'])
    expect(deliveries(step(reopened(edit('Grace'), { name: 'Grace' }), claimed()).next)).toEqual(['endpoint'])
  })

  test('with the first values again sends the email again: it has others since', () => {
    const twice = reopened(edit('Grace'), { name: 'Grace' }, reopened(claimed(), DATA))
    expect(deliveries(step(twice, edit('Ada')).next)).toEqual(['email', 'endpoint'])
  })

  test('of a record that does not say what was sent repeats nothing, unless it is edited', () => {
    const old = { ...reopened(claimed(), DATA), sent: undefined }
    expect(deliveries(step(old, claimed()).next)).toEqual(['endpoint'])
    expect(deliveries(step(old, claimed({ edit: { data: DATA, edited: [] } })).next)).toEqual(['endpoint'])
    expect(deliveries(step(old, edit('Grace')).next)).toEqual(['email', 'endpoint'])
  })

  test('as spam keeps where it was sent, and nothing of what', () => {
    expect(step(reopened(edit('Grace'), { name: 'Grace' }), spam).next).toMatchObject({
      data: null, edited: [], sent: [{ delivery: 'email', content: '' }],
    })
  })
})
