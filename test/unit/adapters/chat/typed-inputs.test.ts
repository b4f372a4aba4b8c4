import type { ModalElement } from 'chat'
import { describe, expect, test } from 'vitest'
import { editModal } from '../../../../server/adapters/chat/modals'
import { applyEdits, editInputs } from '../../../../server/domain/fields/edits'
import type { Edit } from '../../../../server/domain/lifecycle/events'
import { typed } from '../../../../server/domain/fields/rules'
import { editForm } from '../../../../server/domain/cards/card-view'
import { fieldsOf, modalInputs, readInputs } from '../../../../server/platforms/discord/forms/fields'
import { typedInputs } from '../../../../server/platforms/discord/interactions'
import { platforms } from '../../../../server/platforms/registry'
import { modalView } from '../../../../server/platforms/slack/blocks'
import { dialogCard, inputsOf, inputValue, refilled } from '../../../../server/platforms/teams/cards'
import type { FieldRule } from '../../../../server/ports/field-rules'
import type { SubmissionData } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { submissionOf } from '../../../fixtures/views'
import { adaptiveCardProblems, type Json } from '../../../support/adaptive-card'
import { viewProblems } from '../../../support/block-kit'
import { modalInput, submittedComponents, validateModal } from '../../../support/discord/modal'
import { viewSubmission, type Block } from '../../../support/slack'

const RULES: Record<string, FieldRule> = {
  email: { type: 'email', required: true }, site: { type: 'url' }, seats: { type: 'integer', min: 1, max: 9 },
  price: { type: 'number', min: 0.5 }, day: { type: 'date' }, size: { type: 'select', options: ['S', 'L & <b>'] },
  terms: { type: 'checkbox', required: true }, notes: { type: 'textarea' },
}
const DATA = {
  email: 'ada@example.com', site: 'https://example.com', seats: 2, price: 1.25, day: '2026-11-22', size: 'S',
  terms: true, notes: 'x', more: 'y',
}
const modalOf = (platform: string, data: SubmissionData = DATA, fields = RULES) => editModal(
  editForm(submissionOf(data), { siteUrl: null, forms: formsOf({ fields }) }), platform,
)!
const slackInputs = (data: SubmissionData, fields = RULES) => (
  (modalView(modalOf('slack', data, fields), 'c') as Block).blocks as Block[]
).map(({ element }) => element as Block)

test('Slack has an input for everything that a field may take, with the value in it', () => {
  const view = modalView(modalOf('slack'), 'c') as Block
  expect(viewProblems(view)).toEqual([])
  const inputs = (view.blocks as Block[]).map(({ element: { action_id: _, ...element } }) => element)
  expect(inputs).toMatchObject([
    { type: 'email_text_input', initial_value: 'ada@example.com' },
    { type: 'url_text_input', initial_value: 'https://example.com' },
    { type: 'number_input', is_decimal_allowed: false, initial_value: '2', min_value: '1', max_value: '9' },
    { type: 'number_input', is_decimal_allowed: true, initial_value: '1.25', min_value: '0.5' },
    { type: 'datepicker', initial_date: '2026-11-22' },
    { type: 'static_select', initial_option: { value: 'S' }, options: [{}, { text: { text: 'L & <b>' } }] },
    { type: 'radio_buttons', initial_option: { text: { text: 'Yes' } }, options: [{}, { text: { text: 'No' } }] },
    { type: 'plain_text_input', multiline: true }, { type: 'plain_text_input', multiline: false },
  ])
})

const CHOICES: Record<string, FieldRule> = {
  size: { type: 'radio', options: ['S', 'L'] },
  extras: { type: 'checkboxes', required: true, options: ['Gift, wrapped', 'Card', 'L & <b>'] },
  only: { type: 'radio', options: ['One'] }, day: { type: 'radio', options: Array.from('abcdefghijk') },
  none: { type: 'checkboxes', options: ['a'] },
}
const CHOSEN = { size: 'S', extras: ['L & <b>', 'Gift, wrapped'], only: 'One', day: 'k', none: [] }

describe('several choices', () => {
  const sent = { f1: 'Card\nGift, wrapped', f4: 'a' }
  const changed = { ...CHOSEN, extras: ['Card', 'Gift, wrapped'], none: ['a'] }

  /** Marks that a platform's form sends back */
  const marksOf = ({ privateMetadata = '' }: ModalElement) => (
    new Map(privateMetadata.split(' ').map(word => word.split('.') as [string, string]))
  )
  const submit = (platform: string, read: (modal: ModalElement, picked: Record<string, string>) => object) => (
    [{}, sent].map((picked) => {
      const modal = modalOf(platform, CHOSEN, CHOICES)
      const values = read(modal, picked) as Record<string, string>
      return (applyEdits(CHOSEN, values, { fields: CHOICES }, marksOf(modal)) as Edit).data
    })
  )

  test('are a list on Slack, and few options are radio buttons', () => {
    const inputs = slackInputs(CHOSEN, CHOICES)
    expect(inputs).toMatchObject([
      { type: 'radio_buttons', initial_option: { value: 'S' } },
      { type: 'multi_static_select', initial_options: [{ value: 'Gift, wrapped' }, { value: 'L & <b>' }] },
      { type: 'static_select' }, { type: 'static_select', initial_option: { value: 'k' } },
      { type: 'multi_static_select', options: [{ value: 'a' }] },
    ])
    expect(inputs.at(-1)).not.toHaveProperty('initial_options')
    expect(viewProblems(modalView(modalOf('slack', CHOSEN, CHOICES), 'c') as Block)).toEqual([])
  })

  test('are a list on Discord, whose values come back', () => {
    expect(submit('discord', (modal, picked) => {
      const fields = fieldsOf(modal)
      const positions = fields.map((_, position) => position)
      const opened = { modal: { title: 'Edit', custom_id: 'edit', components: modalInputs(fields, positions) } }
      validateModal(opened.modal)
      expect(modalInput(opened, 'i1')).toMatchObject({ type: 3, value: 'Gift, wrapped\nL & <b>', required: true })
      const values = Object.fromEntries(Object.entries(picked).map(([id, value]) => [id.replace('f', 'i'), value]))
      return readInputs(fields, positions, typedInputs(
        { data: { components: submittedComponents(opened as never, values) } } as never,
      ))
    })).toEqual([CHOSEN, changed])
  })

  test('are boxes on Teams, which sends positions with commas between them', () => {
    expect(submit('teams', (modal, picked) => {
      const card = dialogCard(modal, 'c')
      expect(adaptiveCardProblems(card as Json)).toEqual([])
      expect(card.body[1]).toMatchObject({ type: 'Input.ChoiceSet', isMultiSelect: true, value: '0,2' })
      const sentValues = Object.fromEntries(card.body.map(({ id, value }) => [id, value]))
      const positions = { ...sentValues, ...Object.keys(picked).length > 0 && { f1: '1,0', f4: '0' } }
      return Object.fromEntries(inputsOf(modal).map(
        input => [input.id, inputValue(input, positions[input.id as keyof typeof positions])],
      ))
    })).toEqual([CHOSEN, changed])
    const [, extras] = inputsOf(modalOf('teams', CHOSEN, CHOICES))
    for (const odd of ['', ',', '3', '-1', '0.5', '__proto__', null, {}]) expect(inputValue(extras!, odd)).toBe('')
    const refilledCard = dialogCard(refilled(modalOf('teams', CHOSEN, CHOICES), { f1: 'Card' }), 'c')
    expect(refilledCard.body[1]).toMatchObject({ value: '1' })
  })

  test('are typed one a line where there is no such list', () => {
    const { children } = modalOf('sandbox', CHOSEN, CHOICES)
    expect(children[1]).toMatchObject({ type: 'text_input', multiline: true, initialValue: 'Gift, wrapped\nL & <b>' })
    expect(applyEdits(CHOSEN, { f1: 'Card\r\n\nL & <b> ' }, { fields: CHOICES })).toMatchObject(
      { data: { ...CHOSEN, extras: ['Card', 'L & <b>'] } },
    )
    expect(applyEdits(CHOSEN, { f1: 'Bow' }, { fields: CHOICES })).toEqual(
      { errors: { f1: 'Please choose only from the options.' } },
    )
    expect(applyEdits(CHOSEN, { f1: ' ' }, { fields: CHOICES })).toEqual({ errors: { f1: 'Please fill this in.' } })
  })

  test('are edited as a whole where one was sent, at whatever path', () => {
    for (const data of [{ extras: ['Card'] }, { extras: 'Card' }]) {
      expect(applyEdits(data, { f0: 'Card' }, { fields: CHOICES })).toEqual({ data, edited: [] })
      expect(applyEdits(data, { f0: 'Card\nL & <b>' }, { fields: CHOICES })).toEqual(
        { data: { extras: ['Card', 'L & <b>'] }, edited: ['extras'] },
      )
    }
    const nested = { event: 'submit', payload: { id: '1', data: { extras: ['Card'] } } }
    const fields = { 'payload.data.extras': CHOICES.extras! }
    const form = { ...formsOf().of(undefined), fields }
    expect(typed(nested, form)).toEqual(nested)
    expect(typed({ ...nested, payload: { id: '1', data: { extras: 'Card' } } }, form)).toEqual(nested)
    const input = editInputs(nested, { fields }).find(({ key }) => key === 'payload.data.extras')
    expect(applyEdits(nested, { [input!.id]: 'L & <b>\nCard' }, { fields })).toMatchObject(
      { data: { ...nested, payload: { id: '1', data: { extras: ['L & <b>', 'Card'] } } } },
    )
  })
})

test('what nobody touched in an input comes back as it was', () => {
  const view = modalView(modalOf('slack'), 'c') as Block
  const { values } = viewSubmission(view, {}, { id: 'U1', username: 'ada' } as never).view.state
  const sentValues = Object.values(values as Record<string, Block>).flatMap(each => Object.values(each)).map(
    ({ value, selected_date: date, selected_option: option }) => value ?? date ?? option.value,
  )
  expect(sentValues).toEqual(Object.values(DATA).map(String))
})

test('what the form has to have is required in the forms of chat, too, unless it came without', () => {
  const requiredOn = {
    slack: (modal: ModalElement) => (modalView(modal, 'c') as Block).blocks.map(({ optional }: Block) => !optional),
    teams: (modal: ModalElement) => dialogCard(modal, 'c').body.map(input => input.isRequired === true),
    discord: (modal: ModalElement) => fieldsOf(modal).map((_, position) => (
      modalInputs(fieldsOf(modal), [position])[0] as { component: { required: boolean } }
    ).component.required),
  }
  for (const [platform, required] of Object.entries(requiredOn)) {
    const isRequired = Object.keys(DATA).map(key => RULES[key]?.required === true)
    expect(required(modalOf(platform)), platform).toEqual(isRequired)
    expect(required(modalOf(platform, { email: ' ', terms: '', more: '' })), platform).toEqual([false, false, false])
  }
  expect(dialogCard(modalOf('teams'), 'c').body[0]).toMatchObject({ errorMessage: 'Please fill this in.' })
})

test('a value that an input cannot show is edited as text', () => {
  const odd = { seats: 12, day: 'soon', size: 'XL', terms: 'maybe', email: 'ada', site: 'example.com' }
  expect(slackInputs(odd).map(({ type }) => type)).toEqual(Array(6).fill('plain_text_input'))
  // JavaScript cannot represent this number exactly.
  const long = slackInputs({ price: 1234567890.1234567 })[0]!
  expect([long.type, long.initial_value]).toEqual(['plain_text_input', '1234567890.1234567'])
  const empty = { seats: '', day: '', size: '', terms: '', email: '', site: '' }
  expect(slackInputs(empty).map(({ type }) => type)).toEqual([
    'number_input', 'datepicker', 'static_select', 'radio_buttons', 'email_text_input', 'url_text_input',
  ])
})

test('a field in which somebody left blanks is one in which nothing is chosen', () => {
  const blank = { day: ' ', size: '\n', terms: ' ' }
  expect(viewProblems(modalView(modalOf('slack', blank), 'c') as Block)).toEqual([])
  expect(slackInputs(blank).map(({ initial_date, initial_option }) => initial_date ?? initial_option)).toEqual(
    [undefined, undefined, undefined],
  )
})

test.each([
  ['on', 'true'], ['yes', 'true'], ['1', 'true'], [1, 'true'], ['True', 'true'], ['off', 'false'], ['no', 'false'],
])('a checkbox that was stored as %j opens as what it means, and stays as it is when nobody touches it', (terms, expected) => {
  const data = { terms, name: 'Ada' }
  for (const { key, modal } of platforms) {
    if (!modal) continue
    const [radio] = modalOf(key, data).children
    expect(radio, key).toMatchObject({ type: 'radio_select', initialOption: expected })
  }
  expect(applyEdits(data, { f0: expected, f1: 'Grace' }, { fields: RULES })).toEqual({
    data: { terms, name: 'Grace' }, edited: ['name'],
  })
  const otherValue = expected === 'false'
  expect(applyEdits(data, { f0: String(otherValue), f1: 'Ada' }, { fields: { terms: { type: 'checkbox' } } })).toEqual({
    data: { terms: otherValue, name: 'Ada' }, edited: ['terms'],
  })
})

test('lists of options that are too long for a form are typed, and every platform takes it', () => {
  const options = Array.from({ length: 100 }, (_, index) => `${index} ${'x'.repeat(70)}`)
  const keys = Array.from({ length: 12 }, (_, index) => `key ${index}`)
  const fields = Object.fromEntries(keys.map((key): [string, FieldRule] => [key, { type: 'select', options }]))
  const data = Object.fromEntries(keys.map(key => [key, options[0]]))
  for (const { key, modal } of platforms) {
    if (!modal) continue
    const { children } = modalOf(key, data, fields)
    expect(children).toHaveLength(12)
    expect(children.at(-1)!.type, key).toBe(key === 'sandbox' ? 'select' : 'text_input')
  }
  expect(viewProblems(modalView(modalOf('slack', data, fields), 'c') as Block)).toEqual([])
  expect(adaptiveCardProblems(dialogCard(modalOf('teams', data, fields), 'c') as Json)).toEqual([])
})

test('Discord has lists and radio buttons, and says how the rest is typed', () => {
  const fields = fieldsOf(modalOf('discord'))
  const opened = (positions: number[]) => {
    const modal = { title: 'Edit', custom_id: 'edit', components: modalInputs(fields, positions) }
    validateModal(modal)
    return { modal } as never
  }
  const firstForm = opened([2, 3, 4, 5, 6])
  expect(['i2', 'i3', 'i4', 'i5', 'i6'].map(id => modalInput(firstForm, id))).toMatchObject([
    { type: 4, value: '2', description: 'A whole number from 1 to 9' },
    { type: 4, value: '1.25', description: 'A number, at least 0.5' },
    { type: 4, value: '2026-11-22', description: 'A date such as 2026-11-22' },
    { type: 3, value: 'S', required: false, options: [{ label: 'S', default: true }, { label: 'L & <b>' }] },
    { type: 21, value: 'true', required: true, options: [{ label: 'Yes' }, { label: 'No' }] },
  ])
  const readValues = (values: Record<string, string>) => readInputs(fields, [2, 3, 4, 5, 6], typedInputs(
    { data: { components: submittedComponents(firstForm, values) } } as never,
  ))
  const initialValues = { f2: '2', f3: '1.25', f4: '2026-11-22', f5: 'S', f6: 'true' }
  expect(readValues({})).toEqual(initialValues)
  expect(readValues({ i5: 'L & <b>', i6: 'false' })).toEqual({ ...initialValues, f5: 'L & <b>', f6: 'false' })
  expect(readValues({ i5: '' })).toEqual({ ...initialValues, f5: '' })
})

test('Teams has an input for everything that a field may take, which keeps what was filled in', () => {
  const modal = modalOf('teams')
  const card = dialogCard(modal, 'c')
  expect(adaptiveCardProblems(card as Json)).toEqual([])
  expect(card.body).toMatchObject([
    { type: 'Input.Text', style: 'Email' }, { type: 'Input.Text', style: 'Url' },
    { type: 'Input.Number', value: 2, min: 1, max: 9 }, { type: 'Input.Number', value: 1.25, min: 0.5 },
    { type: 'Input.Date', value: '2026-11-22' },
    { type: 'Input.ChoiceSet', style: 'compact', value: 'S', choices: [{}, { title: 'L & <b>' }] },
    { type: 'Input.ChoiceSet', style: 'expanded', value: 'true', choices: [{ title: 'Yes' }, { title: 'No' }] },
    { type: 'Input.Text', isMultiline: true }, { type: 'Input.Text' },
  ])
  const typed = { f2: '3', f4: '', f5: 'L & <b>', f6: 'false', f0: 'x' }
  const secondCard = dialogCard(refilled(modal, typed), 'c', { f0: 'No address.' })
  expect(secondCard.body.filter(({ id }) => typeof id === 'string' && id in typed).map(({ value }) => value)).toEqual([
    'x', 3, '', 'L & <b>', 'false',
  ])
})
