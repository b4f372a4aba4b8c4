import { readFileSync } from 'node:fs'
import type { ModalElement } from 'chat'
import { describe, expect, test } from 'vitest'
import { boxesOf, choicesOf, inputTypeOf, keyboardOf, withBox, wordFor } from '../../../../app/utils/edit-input'
import { editModal } from '../../../../server/adapters/chat/modals'
import { fieldRule } from '../../../../server/config/field-rules'
import { editForm } from '../../../../server/domain/cards/card-view'
import type { InvalidFields } from '../../../../server/domain/errors'
import { applyEdits } from '../../../../server/domain/fields/edits'
import { jsonSchemaOf, typed } from '../../../../server/domain/fields/rules'
import { displayText, editText, fieldText } from '../../../../server/domain/fields/values'
import { embedded } from '../../../../server/http/pages/embed'
import { fieldsOf, modalInputs } from '../../../../server/platforms/discord/forms/fields'
import { platforms } from '../../../../server/platforms/registry'
import { modalView } from '../../../../server/platforms/slack/blocks'
import { dialogCard } from '../../../../server/platforms/teams/cards'
import type { FieldRule } from '../../../../server/ports/field-rules'
import type { SubmissionData } from '../../../../server/ports/submission'
import { FIELD_TEXTS } from '../../../../shared/field-texts'
import { textsIn, type Texts } from '../../../../shared/texts'
import { FIELD_TYPES, FIELD_TYPE_NAMES, isFileField } from '../../../../shared/field-types/field-types'
import type { FieldDetails } from '../../../../shared/types/submissions'
import { isInput } from '../../../../shared/utils/inputs'
import { formsOf } from '../../../fakes/forms'
import { submissionOf } from '../../../fixtures/views'
import { adaptiveCardProblems } from '../../../support/adaptive-card'
import { viewProblems } from '../../../support/block-kit'
import { validateModal } from '../../../support/discord/modal'
import type { Block } from '../../../support/slack'
import { httpEvent } from '../../http/event'

const LIMITS = {
  length: { minLength: 2, maxLength: 90 }, numbers: { min: 1, max: 9 }, dates: { min: '2026-01-01', max: '2026-12-31' },
  options: { options: ['Small', 'Large'] }, choices: { options: ['Small', 'Large'], min: 1, max: 2 },
}

/** Limits that each type allows in addition to its own kind of limits */
const OTHER_LIMITS: Partial<Record<keyof typeof LIMITS, string[]>> = { choices: ['options', 'numbers'] }

/** Required field of each type with all limits that the type allows, and an example of a value */
const FIELDS = FIELD_TYPE_NAMES.map((type) => {
  const { limits, example } = FIELD_TYPES[type]
  const rule: FieldRule = { type, label: 'Question', required: true, ...limits && LIMITS[limits] }
  return { type, rule, value: example?.(rule) ?? 'Ada Lovelace' }
})
const DATA_FIELDS = FIELDS.filter(({ rule }) => !isFileField(rule))
const FILE_FIELDS = FIELDS.filter(({ rule }) => isFileField(rule))

const formWith = (rule: FieldRule) => ({
  ...formsOf().of(undefined), fields: { question: rule }, files: { max: 1, maxBytes: 9, types: ['text/csv'] },
})

function problemOf(data: object, rule: FieldRule): string | null {
  try {
    typed(data, formWith(rule))
    return null
  }
  catch (error) {
    return (error as InvalidFields).problems[0]!.problem
  }
}

/** Inputs that each platform with modals makes from a modal, after they pass the platform's own check */
const INPUTS: Record<string, (modal: ModalElement) => object[]> = {
  slack: (modal) => {
    const view = modalView(modal, 'c') as Block
    expect(viewProblems(view)).toEqual([])
    return (view.blocks as Block[]).filter(({ type }) => type === 'input')
  },
  discord: (modal) => {
    const components = modalInputs(fieldsOf(modal), [0])
    validateModal({ title: 'Edit', custom_id: 'edit', components } as never)
    return components
  },
  teams: (modal) => {
    const card = dialogCard(modal, 'c')
    expect(adaptiveCardProblems(card as never)).toEqual([])
    return card.body.filter(({ type }) => String(type).startsWith('Input.'))
  },
  sandbox: modal => modal.children.filter(isInput),
}

function modalOf(platform: string, data: SubmissionData, rule: FieldRule): ModalElement {
  const presentation = { siteUrl: null, forms: formsOf({ fields: { question: rule } }) }
  return editModal(editForm(submissionOf(data), presentation), platform)!
}

function formPage(rule: FieldRule): string {
  const form = { key: 'a', honeypot: '_gotcha', fields: { question: rule }, files: { multiple: false, accept: 'a/b' } }
  return embedded(httpEvent(), form, '/api/form/a')
}

describe.each(DATA_FIELDS)('the type $type', ({ type, rule, value }) => {
  const { problem, input, limits } = FIELD_TYPES[type]
  const sentValue = Array.isArray(value) ? value : fieldText(value)
  const inputText = editText({ value })
  const isGroup = input.kind === 'choices' || ('radios' in input && input.radios)

  test('is a setting of a field, with its limits and no others', () => {
    expect(fieldRule.safeParse(rule)).toMatchObject({ success: true, data: rule })
    for (const [name, otherLimits] of Object.entries(LIMITS)) {
      const options = limits === 'options' || limits === 'choices' ? LIMITS.options : {}
      const { success } = fieldRule.safeParse({ type, ...options, ...otherLimits })
      expect(success, name).toBe(name === limits || OTHER_LIMITS[limits!]?.includes(name) === true)
    }
  })

  test('takes its example as a browser sends it, and stores the value', () => {
    expect(problemOf({ question: sentValue }, rule)).toBeNull()
    expect(typed({ question: sentValue }, formWith(rule))).toEqual({ question: value })
    expect(typed({ question: value }, formWith(rule))).toEqual({ question: value })
  })

  test('refuses no answer and a wrong one, in words', () => {
    expect(problemOf({}, rule)).toBe('required')
    expect(['text', problem]).toContain(problemOf({ question: {} }, rule))
    expect(FIELD_TEXTS[problem]).toMatch(/^[A-Z].*\.$/)
  })

  test('has a JSON Schema, which says more than that anything is accepted', () => {
    const { properties } = jsonSchemaOf(formWith(rule)) as { properties: { question: object } }
    expect(Object.keys(properties.question).length).toBeGreaterThan(1)
  })

  test('is shown to people', () => expect(displayText({ value }, rule)).toMatch(/\S/))

  test('has an input on the form page, which names the field', () => {
    const html = formPage(rule)
    if (isGroup) {
      expect(html).toContain('<legend>Question</legend>')
      expect(html.match(/<input id="a-0-\d" name="question"[^]*?<label for="a-0-\d">(?:Small|Large)</g)).toHaveLength(2)
      return
    }
    expect(html.match(/<(?:input|textarea|select) id="a-0" name="question" required/g)).toHaveLength(1)
    expect(html).toContain('<label for="a-0">Question</label>')
  })

  test.each(platforms.filter(({ modal }) => modal).map(({ key }) => key))(
    'has an input in the edit form on %s, with the value in it', (platform) => {
      const inputs = INPUTS[platform]!(modalOf(platform, { question: value } as SubmissionData, rule))
      expect(inputs).toHaveLength(1)
      const json = JSON.stringify(inputs)
      for (const line of inputText.split('\n')) expect(json).toContain(JSON.stringify(line).slice(1, -1))
    },
  )

  test('has an input on the edit page, which shows the value and whose text is taken', () => {
    const field: FieldDetails = {
      id: 'f0', key: 'question', label: 'Question', kind: 'text', value: inputText, edited: false, type,
      options: rule.options,
    }
    const choices = choicesOf(field)
    if (choices) expect(choices.map(choice => wordFor(field, choice)).every(Boolean)).toBe(true)
    expect(choices === null).toBe(input.kind !== 'choice' && input.kind !== 'tick')
    expect(boxesOf(field)).toEqual(input.kind === 'choices' ? rule.options : null)
    expect(inputTypeOf({ ...field, value: 'something else' })).toBe('text')
    expect([undefined, 'decimal', 'email', 'url', 'tel']).toContain(keyboardOf(field))
    const { required: _, ...optionalRule } = rule
    expect(applyEdits({ question: '' }, { f0: inputText }, { fields: { question: optionalRule } })).toEqual({
      data: { question: value }, edited: ['question'],
    })
  })
})

test.each(FILE_FIELDS)('the type $type has an input on the form page alone: nobody edits files', ({ rule, type }) => {
  expect(fieldRule.safeParse(rule).success).toBe(true)
  expect(formPage(rule)).toContain('<input id="a-0" name="question" required type="file" accept="a/b">')
  expect(problemOf({}, rule)).toBe(FIELD_TYPES[type].problem)
  expect(problemOf({ question: 'sample' }, rule)).toBe(FIELD_TYPES[type].problem)
  for (const platform of Object.keys(INPUTS)) {
    expect(modalOf(platform, { question: 'sample' }, rule).children, platform).toMatchObject([{ type: 'text_input' }])
  }
})

test('every platform with modals is asked', () => {
  expect(Object.keys(INPUTS).sort()).toEqual(platforms.filter(({ modal }) => modal).map(({ key }) => key).sort())
})

test('values are shown in the language of the cards, and in English by default', () => {
  const values = [[true, 'checkbox'], [false, 'checkbox'], ['2026-11-02', 'date'], [12345.5, 'number']] as const
  const shown = (texts?: Texts) => values.map(([value, type]) => displayText({ value }, { type }, texts))
  expect(shown()).toEqual(['Yes', 'No', '2 November 2026', '12,345.5'])
  expect(shown(textsIn('de'))).toEqual(['Ja', 'Nein', '2. November 2026', '12.345,5'])
})

test('a word that objects have, such as constructor, ticks no checkbox', () => {
  const fields = { question: { type: 'checkbox' } } as const
  expect(applyEdits({ question: 'no' }, { f0: 'constructor' }, { fields })).toEqual({
    errors: { f0: 'This must be yes or no.' },
  })
})

test('an option that is ticked or unticked on the edit page takes its place among the others, a former one the last', () => {
  const field: FieldDetails = {
    id: 'f0', key: 'sizes', label: 'Sizes', kind: 'text', value: 'XXL\nL', edited: false, type: 'checkboxes',
    options: ['S', 'M', 'L'],
  }
  expect(boxesOf(field)).toEqual(['S', 'M', 'L', 'XXL'])
  const ticked = withBox(field, field.value, 'S', true)
  expect(ticked).toBe('S\nL\nXXL')
  expect(withBox(field, ticked, 'L', false)).toBe('S\nXXL')
  expect(withBox(field, 'S', 'S', false)).toBe('')
  expect(boxesOf({ ...field, kind: 'tree', value: '[{}]' })).toBeNull()
})

test('docs/forms.md says what every type takes', () => {
  const page = readFileSync(new URL('../../../../docs/forms.md', import.meta.url), 'utf8')
  const [, table = ''] = page.split('| Type | Takes | Limits |')
  const firstCells = table.split('\n\n')[0]!.split('\n').map(row => row.split('|')[1] ?? '')
  for (const type of FIELD_TYPE_NAMES) expect(firstCells.join(), type).toContain(`\`${type}\``)
})
