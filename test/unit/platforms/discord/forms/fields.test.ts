import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { printable } from '../../../../../server/platforms/shared/text'
import {
  INPUT_LENGTH, INPUTS_PER_MODAL, inputsNeeded, modalInputs, inputParts, readInputs, type FormField,
} from '../../../../../server/platforms/discord/forms/fields'
import { createForm, currentFields, type OpenModal } from '../../../../../server/platforms/discord/forms/form'
import { pickedModal, pickerMessage, takeEdits } from '../../../../../server/platforms/discord/forms/picker'
import { hostileText } from '../../../../fixtures/form-data'
import { validateModal } from '../../../../support/discord/modal'
import type { Json } from '../../../../support/discord/types'
import { runs } from '../../../../support/properties'

const fieldOf = (value: string, position = 0, label = `key ${position}`): FormField => ({
  id: `f${position}`, label, value, optional: true, multiline: false, maxLength: 20_000,
})

/** Values as a client submits them: trimmed, without control characters. */
const toSentValues = (inputs: readonly object[]) => Object.fromEntries(
  (inputs as Json[]).map(({ component }) => [component.custom_id, printable(String(component.value ?? '')).trim()]),
)

const longText = fc.array(
  fc.oneof(hostileText, fc.constantFrom('word ', '\n', 'x'.repeat(3999), '👍'.repeat(1000))), { maxLength: 60 },
).map(parts => parts.join('').slice(0, 20_000).toWellFormed())

describe('a value of any length', () => {
  test('is cut into parts of one input each, and comes back unchanged when nothing was typed, although Discord trims it', () => {
    fc.assert(fc.property(longText, (value) => {
      const field = fieldOf(value)
      const parts = inputParts(field)
      expect(parts.map(({ text, glue }) => text + glue).join('')).toBe(value)
      expect(parts.every(({ text }) => text.length <= INPUT_LENGTH && text.isWellFormed())).toBe(true)
      fc.pre(inputsNeeded(field) <= 5)
      const components = modalInputs([field], [0])
      expect(() => validateModal({ title: 'Edit', custom_id: 'edit', components })).not.toThrow()
      expect(readInputs([field], [0], toSentValues(components))).toEqual({ f0: value })
    }))
  })

  test('up to 20,000 characters takes at most five inputs', () => {
    for (const value of [
      'x'.repeat(20_000), 'a line\n'.repeat(2857), 'two words '.repeat(2000),
    ]) expect(inputsNeeded(fieldOf(value))).toBeLessThanOrEqual(5)
  })

  test('changed in one part keeps the others, white space at the cuts included', () => {
    const value = `${'one '.repeat(1000)}\n\n${'two '.repeat(1000)}`
    const field = fieldOf(value)
    const sentValues = toSentValues(modalInputs([field], [0]))
    const [firstId = ''] = Object.keys(sentValues)
    expect(readInputs([field], [0], { ...sentValues, [firstId]: 'new' })).toEqual({
      f0: `new${inputParts(field)[0]!.glue}${inputParts(field).slice(1).map(({ text, glue }) => text + glue).join('')}`,
    })
  })

  test('emptied in all parts must not be empty; whose input is missing is kept', () => {
    const sentValues = { 'i0.0': '', 'i0.1': '', 'i0.2': '' }
    expect(readInputs([fieldOf('x'.repeat(9000))], [0], sentValues)).toEqual({ f0: '' })
    expect(readInputs([fieldOf('a')], [0], {})).toEqual({ f0: 'a' })
  })
})

describe('a form of many fields', () => {
  const fieldsOf = (entries: readonly (readonly [string, string])[]) => (
    entries.map(([label, value], position) => fieldOf(value, position, label))
  )
  const anyFields = fc.array(fc.tuple(
    fc.oneof(hostileText, fc.constantFrom('a', 'a ', 'a:', 'a (2)', '\\a', 'name')),
    fc.oneof(hostileText, fc.constantFrom('a: b', 'x\na: b', 'x\n\\a: b', '\n\n', ' name: x\nname: y')),
  ), { minLength: 6, maxLength: 20 }).map(fieldsOf)
  const formOf = (fields: FormField[]): OpenModal => ({
    ...createForm('id', { type: 'modal', callbackId: 'edit', title: 'Edit', children: [] }), mode: 'picker', fields,
  })
  const positions = ({ fields }: OpenModal) => fields.map((_, position) => position)
  /** Picks each field in turn and enters its value from `texts`; submits all other inputs as Discord does. */
  const pickAll = (
    form: OpenModal, texts: Readonly<Record<number, string>> = {},
  ) => positions(form).reduce((editedForm, position) => {
    if (inputsNeeded(editedForm.fields[position]!) > INPUTS_PER_MODAL) return editedForm
    const { data } = pickedModal(editedForm, [position]) as { data: { components: object[] } }
    return takeEdits(editedForm, [position], {
      ...toSentValues(data.components), ...position in texts ? { [`i${position}`]: texts[position]! } : {},
    })
  }, form)
  const valuesOf = (form: OpenModal) => currentFields(form).map(({ value }) => value)

  test('is picked, and comes back unchanged when nothing was typed', () => {
    fc.assert(fc.property(anyFields, (fields) => {
      const form = formOf(fields)
      expect(valuesOf(pickAll(form))).toEqual(valuesOf(form))
      expect(pickAll(form).edits).toEqual({})
    }), { numRuns: runs(500) })
  })

  test('takes lines that look like the label of another field as they were typed', () => {
    const form = formOf(fieldsOf([['name', 'Ada'], ['city', 'London']]))
    expect(valuesOf(pickAll(form, { 0: 'a\ncity: b\nname: c' }))).toEqual(['a\ncity: b\nname: c', 'London'])
  })

  test('tells equal labels apart', () => {
    const form = formOf(fieldsOf([['a', '1'], ['a:', '2'], ['a', '3']]))
    expect(valuesOf(pickAll(form, { 2: 'new' }))).toEqual(['1', '2', 'new'])
    const offeredOptions = pickerMessage(form).components.flatMap(({ components }) => (
      (components as { options?: { value: string }[] }[]).flatMap(({ options = [] }) => options)
    ))
    expect(offeredOptions.map(({ value }) => value)).toEqual(['0', '1', '2'])
  })
})
