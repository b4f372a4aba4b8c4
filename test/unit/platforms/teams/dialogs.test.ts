import fc from 'fast-check'
import { expect, test } from 'vitest'
import { editModal, noticeModal } from '../../../../server/adapters/chat/modals'
import { editForm } from '../../../../server/domain/cards/card-view'
import { dialogCard } from '../../../../server/platforms/teams/cards'
import { readClick } from '../../../../server/platforms/teams/dialogs'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formData } from '../../../fixtures/form-data'
import { PRESENTATION, submissionOf } from '../../../fixtures/views'
import { adaptiveCardProblems, adaptiveCardText, type Json } from '../../../support/adaptive-card'
import { runs } from '../../../support/properties'

const dialogOf = (data: SubmissionData, errors?: Record<string, string>) => dialogCard(
  editModal(editForm(submissionOf(data), PRESENTATION), 'teams')!, 'context', errors,
)

test('a click is what a button of ours sends', () => {
  expect(readClick({ actionId: 'spam', value: 'one', msteams: {} })).toEqual({ actionId: 'spam', value: 'one' })
  expect(readClick({ actionId: 'hello' })).toEqual({ actionId: 'hello', value: undefined })
})

test.each([
  undefined, null, 'spam', [], {}, { value: 'one' }, { actionId: 1, value: 'one' },
  { actionId: ['spam'], value: 'one' },
  { actionId: 'spam', value: null }, { actionId: 'spam', value: 1 }, { actionId: 'spam', value: { toString: 'one' } },
])('%j, which a client may send as well, is none', data => expect(readClick(data)).toBeNull())

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
