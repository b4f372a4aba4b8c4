import { expect, test } from 'vitest'
import { decidedOf, endedOf, endLine, irrevocable } from '../../../../server/domain/cards/card-view'
import { ending } from '../../../../server/domain/queries/rows'
import type { AuditLine, DecisionOutcome } from '../../../../server/ports/submission'
import { english } from '../../../../shared/texts'
import { plainText } from '../../../../shared/utils/line'
import { claimed, finish, LEASE, NOW, posted, REVIEWER, spam, step } from '../../../fixtures/lifecycle'
import { only } from '../../../fakes/only'
import type { SubmissionStore } from '../../../../server/ports/store'

/** Audit lines of one submission, newest first. */
const auditLines = (...outcomes: DecisionOutcome[]): AuditLine[] => outcomes.map((outcome, before) => ({
  id: 'one', outcome, at: NOW - before, reviewer: REVIEWER, receivedAt: NOW - LEASE,
}))
const outcomesOf = (lines: AuditLine[]) => lines.map(({ outcome }) => outcome)
const endingError = async (...lines: AuditLine[]) => {
  const store = only<SubmissionStore>({ audit: async () => lines })
  const error = await ending('one', store, message => new Error(plainText(message)))
  return error.message
}

test('a submission ended as it ended last: what was taken back or failed before, or held, is no other end', () => {
  expect(outcomesOf(endedOf(auditLines('forwarded', 'failed', 'forwarded')))).toEqual(['forwarded'])
  expect(outcomesOf(endedOf(auditLines('erased', 'edited')))).toEqual(['erased'])
  expect(outcomesOf(endedOf(auditLines('spam', 'revoked', 'forwarded', 'released')))).toEqual(['spam'])
})

test('what was taken back, released or failed since has not ended', () => {
  const trails = [auditLines('revoked', 'spam'), auditLines('failed', 'forwarded'), auditLines('released')]
  expect(trails.flatMap(endedOf)).toEqual([])
})

test('what was decided counts as that when it is erased, too', () => {
  expect(outcomesOf(decidedOf(auditLines('erased', 'forwarded')))).toEqual(['forwarded'])
  expect(decidedOf(auditLines('erased'))).toEqual([])
})

test('of what has no record any more the audit trail tells the last end', async () => {
  const otherLine = { ...auditLines('expired')[0]!, id: 'two' }
  expect(await endingError(otherLine, ...auditLines('erased', 'forwarded'))).toMatch(/^Erased by Ada on Slack, /)
  expect(await endingError(...auditLines('failed', 'forwarded'))).toMatch(/^Forwarded by Ada on Slack, /)
  expect(await endingError(otherLine, ...auditLines('revoked'))).not.toMatch(/Expired|Taken back/)
})

test('what nobody decided expired when its time was over, whenever that was noticed', () => {
  const { expiresAt } = posted()
  const { next } = step(posted(), { type: 'expired' }, expiresAt + LEASE)
  expect(endLine(next)).toEqual(endLine({ ...next, history: [] }))
  expect(JSON.stringify(endLine(next))).toContain(String(expiresAt))
})

test('a decision that cannot be taken back says why', () => {
  const sentDelivery = { delivery: 'email' as const, content: 'x', to: ['team@example.com'], at: NOW }
  const forwardedSubmission = {
    ...finish(finish(step(posted(), claimed()).next, 'email').next, 'endpoint').next, sent: [sentDelivery],
  }
  const spamSubmission = { ...step(posted(), spam).next, sent: [sentDelivery] }
  const submissions = [posted(), step(posted(), claimed()).next, forwardedSubmission, spamSubmission, null]
  expect(submissions.map(each => plainText(irrevocable(each, english)))).toEqual([
    'It waits for a decision already.', 'Too late: it is being sent.',
    expect.stringMatching(/^Too late: it was sent on /),
    expect.stringMatching(/^Too late: its data is erased\. Marked as spam by Ada on Slack, /),
    'This submission is not kept any more.',
  ])
})
