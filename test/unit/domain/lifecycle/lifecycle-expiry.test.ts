import { SUBMISSION_TTL_MS } from '../../../../shared/lifetimes'
import { describe, expect, test } from 'vitest'
import { claimed, finish, kinds, NOW, posted, refusal, REVIEWER, step } from '../../../fixtures/lifecycle'

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

  test('refuses claims from then on, before and after a sweep noticed', () => {
    expect(refusal(posted(), claimed(), expiry - 1)).toBeNull()
    expect(refusal(posted(), claimed(), expiry)).toBe('expired')
    expect(refusal({ ...posted(), data: null }, claimed(), expiry - 1)).toBe('expired')
    expect(refusal(step(posted(), { type: 'expired' }, expiry).next, claimed(), expiry)).toBe('decided')
  })

  test('lets nobody take it from then on, whether a sweep noticed or not', () => {
    const takeEvent = { type: 'taken', person: REVIEWER, forMs: 1000, listed: false } as const
    expect(refusal(posted(), takeEvent, expiry - 1)).toBeNull()
    expect(refusal(posted(), takeEvent, expiry)).toBe('expired')
  })

  test('does not touch what was decided in time', () => {
    expect(refusal(step(posted(), claimed(), expiry - 1).next, { type: 'expired' }, expiry)).toBe('not-due')
  })
})
