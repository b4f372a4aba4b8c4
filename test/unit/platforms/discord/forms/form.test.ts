import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  createForm, currentFields, formModal, withValues, type OpenModal,
} from '../../../../../server/platforms/discord/forms/form'
import { privately, REPLY, type Reply } from '../../../../../server/platforms/discord/interactions'
import { pickedModal, pickerMessage, takeEdits } from '../../../../../server/platforms/discord/forms/picker'
import { editModal } from '../../../../../server/adapters/chat/modals'
import { editForm } from '../../../../../server/domain/cards/card-view'
import type { SubmissionData } from '../../../../../server/ports/submission'
import { formData, hostileText } from '../../../../fixtures/form-data'
import { manyFields, PRESENTATION, submissionOf } from '../../../../fixtures/views'
import { describing } from '../../../../support/discord/described'
import { shownText } from '../../../../support/discord/markdown'
import { validateModal } from '../../../../support/discord/modal'
import { validateMessage } from '../../../../support/discord/validate'
import { runs } from '../../../../support/properties'

const CONTEXT = '00000000-0000-4000-8000-000000000000'
const formOf = (data: SubmissionData): OpenModal => createForm(
  CONTEXT, editModal(editForm(submissionOf(data), PRESENTATION), 'discord')!,
)

/** Returns the form as it is after the SDK has stored and loaded it. */
const storeAndLoad = (form: OpenModal): OpenModal => JSON.parse(JSON.stringify(form)) as OpenModal

const findMistakes = await describing()

function check(reply: Reply): void {
  expect(findMistakes('POST /interactions/:id/:token/callback', reply)).toEqual([])
  if (reply.type === REPLY.modal) validateModal(reply.data)
  else if ('data' in reply) validateMessage(reply.data as object)
}

/** Checks every page of the field picker, and the modal for each field on it. */
function checkPicker(form: OpenModal): void {
  for (let page = 0; page * 100 < Math.max(1, form.fields.length); page++) {
    const { content, components } = pickerMessage(form, page, 'Not sent: **name**: Please fill this in.')
    check(privately(content, components))
    expect(content.length).toBeLessThanOrEqual(2000)
  }
  for (const [position] of form.fields.slice(0, 30).entries()) {
    check(pickedModal(form, [position]))
    check(pickedModal(
      form, [position, form.fields.length - 1].filter((picked, index, list) => list.indexOf(picked) === index),
    ))
  }
}

describe('the edit form', () => {
  test('of any submission, as it is and with anything typed, is one that Discord takes, step by step', () => {
    fc.assert(fc.property(formData, hostileText, (data, text) => {
      const form = formOf(data)
      const values = Object.fromEntries(form.fields.map(({ id }) => [id, text.toWellFormed().slice(0, 4000)]))
      for (const each of [form, withValues(form, values)].map(storeAndLoad)) {
        checkPicker({ ...each, mode: 'picker' })
        if (each.mode === 'native') check(formModal(each))
      }
    }), { numRuns: runs(100) })
  })

  test('offers every field of 2,000, and names the rest as kept', () => {
    const form = formOf(manyFields(2010))
    expect(form.fields).toHaveLength(2000)
    checkPicker(form)
    expect(pickerMessage(form).content).toContain('Page 1 of 20')
    expect(pickerMessage(form).content).toContain('“key 2000”')
  })

  test('says nothing in private that has an effect, but the link to the submission', () => {
    fc.assert(fc.property(formData, (data) => {
      const form = formOf(data)
      const editedForm = takeEdits(form, form.fields.map((_, position) => position), Object.fromEntries(
        form.fields.map((_, position) => [`i${position}`, 'x']),
      ))
      const { content } = pickerMessage(editedForm)
      const effects = shownText(content.replace(/https:\/\/forms\.example\.com\/\S+/, '')).effects
      expect(effects).toEqual(['strong'])
    }), { numRuns: runs(200) })
  })

  test('whose values outgrow one modal goes on in the picker', () => {
    const form = formOf({ a: 'x'.repeat(11_000), b: '', c: '' })
    expect(form.mode).toBe('native')
    const grownForm = withValues(form, { f0: 'x'.repeat(12_000), f1: 'new', f2: '' })
    expect(grownForm.mode).toBe('picker')
    expect(currentFields(grownForm).map(({ value }) => value.length)).toEqual([12_000, 3, 0])
  })
})
