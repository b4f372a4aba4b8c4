import fc from 'fast-check'
import { expect, test } from 'vitest'
import { renderCard } from '../../../../server/adapters/chat/cards'
import { editModal, noticeModal } from '../../../../server/adapters/chat/modals'
import { teams } from '../../../../server/platforms/teams/definition'
import { adaptiveCard, dialogCard } from '../../../../server/platforms/teams/cards'
import { printable } from '../../../../server/platforms/shared/text'
import { editForm } from '../../../../server/domain/cards/card-view'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formData } from '../../../fixtures/form-data'
import { anyFields, anyView, largestView, openView, PRESENTATION, submissionOf } from '../../../fixtures/views'
import { adaptiveCardProblems, adaptiveCardText, type Json } from '../../../support/adaptive-card'
import { runs } from '../../../support/properties'

const cardOf = (view: Parameters<typeof renderCard>[0]) => adaptiveCard(renderCard(view, teams).card)
const dialogOf = (data: SubmissionData, errors?: Record<string, string>) => dialogCard(
  editModal(editForm(submissionOf(data), PRESENTATION), 'teams')!, 'context', errors,
)

test('Teams takes the card of any form', () => {
  fc.assert(fc.property(anyView, (view) => {
    expect(adaptiveCardProblems(cardOf(view))).toEqual([])
  }), { numRuns: runs(300) })
})

test.each(['a', 'é', '界', '👍', '"', '\n', '{{DATE(', '\u0001'])('Teams takes the largest card of %j', (unit) => {
  for (const size of [1, 20, 100, 3000]) expect(adaptiveCardProblems(cardOf(largestView(unit, size)))).toEqual([])
})

test('every field appears as it was typed, up to the length that is shown', () => {
  fc.assert(fc.property(anyFields, (data) => {
    const text = adaptiveCardText(cardOf(openView(data)))
    for (const [label, value] of Object.entries(data)) if (label.trim()) {
      expect(text).toContain(`${printable(label)}\n${printable(value) || '—'}`)
    }
  }))
})

test('what the client would replace with a date reads the same', () => {
  const value = '{{DATE(2026-11-21T00:00:00Z,SHORT)}} {{time(x)}} {{{x}}}'
  const card = cardOf(openView({ value }))
  expect(adaptiveCardProblems(card)).toEqual([])
  expect(adaptiveCardText(card).replaceAll('\u2060', '')).toContain(value)
})

test('only the edit button asks for a dialog', () => {
  const sets = cardOf(openView({ a: 'b' })).body.filter(({ type }) => type === 'ActionSet') as Json[]
  expect(sets.map(({ actions }) => (actions as Json[]).map(({ title, style, data }) => [title, style, data]))).toEqual([
    [['Forward Submission', 'positive', { actionId: 'forward', value: 'one' }], [
      'Edit & Forward', 'positive', { actionId: 'edit', value: 'one', msteams: { type: 'task/fetch' } },
    ]],
    [['Mark as Spam', 'destructive', { actionId: 'spam', value: 'one' }]],
  ])
})

test('Teams takes the dialog of any form, also with errors', () => {
  fc.assert(fc.property(formData, fc.string(), (data, error) => {
    expect(adaptiveCardProblems(dialogOf(data))).toEqual([])
    expect(adaptiveCardProblems(dialogOf(data, { f0: error, form: error }))).toEqual([])
  }), { numRuns: runs(300) })
})

test('an error stands above its input, one of no input at the top', () => {
  const { body } = dialogOf({ a: '1', b: '2' }, { f1: 'Not so.', form: 'Try again.' }) as Json
  expect(body.map((element: Json) => element.id ?? element.inlines[0].text)).toEqual([
    'Try again.', 'f0', 'Not so.', 'f1',
  ])
})

test('a notice is a dialog without inputs', () => {
  const card = dialogCard(noticeModal('Marked as spam by *Ada*.'), 'context')
  expect(adaptiveCardProblems(card)).toEqual([])
  expect(adaptiveCardText(card)).toBe('Marked as spam by *Ada*.')
})
