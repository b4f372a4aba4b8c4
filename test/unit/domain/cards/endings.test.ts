import { expect, test } from 'vitest'
import { decidedOf, endedOf, endLine, irrevocable } from '../../../../server/domain/cards/card-view'
import { ending } from '../../../../server/domain/queries/rows'
import type { AuditLine, DecisionOutcome } from '../../../../server/ports/submission'
import { plainText } from '../../../../shared/utils/line'
import { claimed, finish, LEASE, NOW, posted, REVIEWER, spam, step } from '../../../fixtures/lifecycle'
import { only } from '../../../fakes/only'
import type { SubmissionStore } from '../../../../server/ports/store'

/** Audit lines of one submission, newest first. */
const trail = (...outcomes: DecisionOutcome[]): AuditLine[] => outcomes.map((outcome, before) => ({
  id: 'one', outcome, at: NOW - before, reviewer: REVIEWER, receivedAt: NOW - LEASE,
}))
const outcomes = (lines: AuditLine[]) => lines.map(({ outcome }) => outcome)
const told = async (...lines: AuditLine[]) => {
  const store = only<SubmissionStore>({ audit: async () => lines })
  const error = await ending('one', store, message => new Error(plainText(message)))
  return error.message
}

test('a submission ended as it ended last: what was taken back or failed before, or held, is no other end', () => {
  expect(outcomes(endedOf(trail('forwarded', 'failed', 'forwarded')))).toEqual(['forwarded'])
  expect(outcomes(endedOf(trail('erased', 'edited')))).toEqual(['erased'])
  expect(outcomes(endedOf(trail('spam', 'revoked', 'forwarded', 'released')))).toEqual(['spam'])
})

test('what was taken back, released or failed since has not ended', () => {
  expect([trail('revoked', 'spam'), trail('failed', 'forwarded'), trail('released')].flatMap(endedOf)).toEqual([])
})

test('what was decided counts as that when it is erased, too', () => {
  expect(outcomes(decidedOf(trail('erased', 'forwarded')))).toEqual(['forwarded'])
  expect(decidedOf(trail('erased'))).toEqual([])
})

test('of what has no record any more the audit trail tells the last end', async () => {
  const other = { ...trail('expired')[0]!, id: 'two' }
  expect(await told(other, ...trail('erased', 'forwarded'))).toMatch(/^Erased by Ada on Slack, /)
  expect(await told(...trail('failed', 'forwarded'))).toMatch(/^Forwarded by Ada on Slack, /)
  expect(await told(other, ...trail('revoked'))).not.toMatch(/Expired|Taken back/)
})

test('what nobody decided expired when its time was over, whenever that was noticed', () => {
  const { expiresAt } = posted()
  const { next } = step(posted(), { type: 'expired' }, expiresAt + LEASE)
  expect(endLine(next)).toEqual(endLine({ ...next, history: [] }))
  expect(JSON.stringify(endLine(next))).toContain(String(expiresAt))
})

test('a decision that cannot be taken back says why', () => {
  const sent = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], at: NOW }
  const forwarded = { ...finish(finish(step(posted(), claimed()).next, 'email').next, 'endpoint').next, sent: [sent] }
  const marked = { ...step(posted(), spam).next, sent: [sent] }
  const asked = [posted(), step(posted(), claimed()).next, forwarded, marked, null]
  expect(asked.map(each => plainText(irrevocable(each)))).toEqual([
    'It waits for a decision already.', 'Too late: it is being sent.',
    expect.stringMatching(/^Too late: it was sent on /),
    expect.stringMatching(/^Too late: its data is erased\. Marked as spam by Ada on Slack, /),
    'This submission is not kept any more.',
  ])
})
