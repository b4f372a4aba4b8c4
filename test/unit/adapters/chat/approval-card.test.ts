import type { CardElement } from 'chat'
import { expect, test } from 'vitest'
import { approvalCard } from '../../../../server/adapters/chat/approval-card'
import { platforms } from '../../../../server/platforms/registry'

const DETAILS = ['id', 'Submission: name', 'Submission: email', 'Submission: message', 'Submission: company']

const labelsOn = ({ children }: CardElement) => (
  children.flatMap(child => child.type === 'fields' ? child.children.map(({ label }) => label) : [])
)

test.each(platforms.map(platform => [platform.label, platform] as const))('a question on %s shows what it is about, and not its id alone', (_, platform) => {
  const details = DETAILS.map(label => ({ label, value: `its ${label}`, edited: false }))
  const card = approvalCard({ title: 'Forward submission', details, notes: ['Asked by Ada.'], value: 'a.0' }, platform)
  expect(labelsOn(card)).toEqual(DETAILS.map(platform.escape))
})
