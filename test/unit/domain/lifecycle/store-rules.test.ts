import { expect, test } from 'vitest'
import { storeRules } from '../../../../server/domain/lifecycle/record'
import type { Submission } from '../../../../server/ports/submission'
import { decided, submission } from '../../../fixtures/submissions'

const { needsPerson, dataLivesUntil } = storeRules
const FAILURES = [{ delivery: 'email' as const, reason: 'Refused.' }]

test.each<[boolean, string, Partial<Submission>]>([
  [true, 'opened again by a failure', { failures: FAILURES }],
  [true, 'refused as a card', { work: [{ key: 'post:slack', kind: 'post', attempts: 1, dueAt: 1, refused: true }] }],
  [false, 'decided again, and keeps why it failed before', { state: 'settling', failures: FAILURES }],
  [false, 'waiting for its first decision', {}],
])('that somebody is needed is %s for what is %s', (isNeeded, _, changes) => {
  expect(needsPerson(submission(changes))).toBe(isNeeded)
})

test('form data that is kept for a receipt is kept until all cards have followed, too', () => {
  const decision = { ...decided(submission()).decision!, at: 1 }
  const keptSubmission = submission({ state: 'settled', decision, keptUntil: 5, work: [] })
  const card = { platform: 'slack', threadId: 'slack:C1', messageId: '1' }
  const work = [{ key: 'update', kind: 'update' as const, card, attempts: 1, dueAt: 1 }]
  const updatingSubmission = { ...keptSubmission, work }
  expect([dataLivesUntil(keptSubmission), dataLivesUntil(updatingSubmission)]).toEqual([5, keptSubmission.expiresAt])
})
