import type { ModalChild, RadioSelectElement, SelectElement } from 'chat'
import type { ChoicesInput, LanguageModal } from '../../shared/elements'
import type { Texts } from '../../../../shared/texts'
import { beginning, cut } from '../../../../shared/utils/text'
import { textsOf } from '../../shared/elements'
import { printable } from '../../shared/text'

/** https://discord.com/developers/docs/components/reference#text-input */
export const INPUT_LENGTH = 4000

/** https://discord.com/developers/docs/components/reference (modal: 1 to 5 components) */
export const INPUTS_PER_MODAL = 5

/** Characters kept free in each part of a long value, so that people can add text */
const SPARE_LENGTH = 200

/** https://discord.com/developers/docs/components/reference#label */
const LABEL_LENGTH = 45
const HINT_LENGTH = 100

/** Approximate width of Discord's single-line inputs, in characters */
const LONG_LINE_LENGTH = 100

/** Input of a modal, stored as JSON */
export interface FormField {
  id: string
  label: string
  value: string
  optional: boolean
  multiline: boolean
  maxLength?: number
  /** Shown below the label */
  hint?: string
  /** Options to choose from; with `several`, the value holds one choice per line */
  choices?: { type: typeof LIST | typeof RADIO, several?: true, options: readonly { label: string, value: string }[] }
}

/** https://discord.com/developers/docs/components/reference#component-object-component-types */
const [LIST, RADIO] = [3, 21] as const

/** Returns the inputs of a modal. @throws TypeError if Discord has no input for an element */
export function fieldsOf(modal: LanguageModal): FormField[] {
  return modal.children.filter(({ type }) => type !== 'text').map(child => fieldOf(child, textsOf(modal)))
}

/** Converts an input. Discord has none for dates and numbers: people type them, and we check them on submit. */
function fieldOf(child: ModalChild, texts: Texts): FormField {
  switch (child.type) {
    case 'text_input': return toTextField(child)
    case 'select': return toChoiceField(child, LIST)
    case 'radio_select': return toChoiceField(child, RADIO)
    case 'date_input': return { ...toTextField({ ...child, type: 'text_input' }), hint: texts('card.form.date') }
    case 'number_input': return {
      ...toTextField({ ...child, type: 'text_input', initialValue: child.initialValue?.toString() }),
      hint: texts(child.decimal ? 'card.form.number' : 'card.form.wholeNumber', { range: rangeOf(child, texts) }),
    }
    default: throw new TypeError(`A modal on Discord has no ${child.type}.`)
  }
}

function rangeOf({ min, max }: { min?: number, max?: number }, texts: Texts): string {
  if (min !== undefined && max !== undefined) return texts('card.form.fromTo', { min: String(min), max: String(max) })
  if (min !== undefined) return texts('card.form.atLeast', { min: String(min) })
  return max === undefined ? '' : texts('card.form.atMost', { max: String(max) })
}

function toChoiceField(
  { id, label, initialOption: value = '', optional = false, options }: SelectElement | RadioSelectElement,
  type: typeof LIST | typeof RADIO,
): FormField {
  const choiceOptions = options.map(({ label, value }) => ({ label, value }))
  return { id, label, value, optional, multiline: false, choices: { type, options: choiceOptions } }
}

/** Returns the value as people read it. */
export function shownValue({ value, choices }: FormField): string {
  return choices?.options.find(option => option.value === value)?.label ?? value
}

function toTextField({ id, label, initialValue: value = '', ...settings }: ChoicesInput): FormField {
  const { optional = false, multiline = false, maxLength, choices } = settings
  const options = choices?.map(choice => ({ label: choice, value: choice }))
  return {
    id, label, value, optional, multiline, maxLength,
    ...options && { choices: { type: LIST, several: true, options } },
  }
}

/** Returns text on one line, without characters that Discord removes. */
export function singleLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** True if the texts differ only by Discord's changes: trimmed, without control characters, with `\n` as line end. */
function isSameText(text: string, otherText: string): boolean {
  return printable(text).trim() === printable(otherText).trim()
}

interface Part {
  text: string
  /** Separator between this part and the next */
  glue: string
}

/** Splits a value into parts of one input each, at the end of a line or at a space if that wastes little. */
export function inputParts({ value }: Pick<FormField, 'value'>): Part[] {
  if (value.length <= INPUT_LENGTH) return [{ text: value, glue: '' }]
  const roomyParts = split(value, INPUT_LENGTH - SPARE_LENGTH, true)
  return roomyParts.length <= INPUTS_PER_MODAL ? roomyParts : split(value, INPUT_LENGTH, false)
}

function split(value: string, size: number, atSpaces: boolean): Part[] {
  const parts: Part[] = []
  let rest = value
  while (rest.length > size) {
    const gap = atSpaces ? Math.max(rest.lastIndexOf('\n', size - 1), rest.lastIndexOf(' ', size - 1)) : -1
    const isEarly = gap < size * 0.9
    const end = isEarly ? beginning(rest, size).length : gap
    parts.push({ text: rest.slice(0, end), glue: isEarly ? '' : rest.charAt(gap) })
    rest = rest.slice(isEarly ? end : end + 1)
  }
  return [...parts, { text: rest, glue: '' }]
}

/** Joins the parts. An unchanged part keeps what Discord trims from it; an emptied part also loses its separator. */
function join(parts: readonly Part[], texts: readonly string[]): string {
  let value = ''
  let glue = ''
  parts.forEach((part, index) => {
    const text = isSameText(texts[index] ?? '', part.text) ? part.text : texts[index] ?? ''
    if (text === '') return
    value += (value ? glue : '') + text
    glue = part.glue
  })
  return value
}

/** Returns the modal inputs of the fields at these positions of the form. */
export function modalInputs(fields: readonly FormField[], positions: readonly number[]): object[] {
  return positions.flatMap((position) => {
    const field = fields[position]!
    if (field.choices) return wrapInLabel(field.label, choiceInput(field, inputId(position, 0, 1)))
    const parts = inputParts(field)
    const isWhole = parts.length === 1
    const maxLength = isWhole ? field.maxLength ?? INPUT_LENGTH : INPUT_LENGTH
    return parts.map(({ text }, index) => {
      const suffix = ` (${index + 1}/${parts.length})`
      return wrapInLabel(isWhole ? field.label : cut(singleLine(field.label), LABEL_LENGTH - 8) + suffix, {
        type: 4, custom_id: inputId(position, index, parts.length),
        style: field.multiline || !isWhole || text.length > LONG_LINE_LENGTH || /[\r\n]/.test(text) ? 2 : 1,
        required: !field.optional && isWhole,
        max_length: Math.min(INPUT_LENGTH, Math.max(text.length, maxLength)),
        ...printable(text) ? { value: printable(text) } : {},
      }, field.hint)
    })
  })
}

/** https://discord.com/developers/docs/components/reference#radio-group */
function choiceInput({ choices, value, optional }: FormField, customId: string): object {
  const { type, several, options } = choices!
  const chosen = several ? value.split('\n') : [value]
  return {
    type, custom_id: customId, required: !optional,
    ...several && { min_values: optional ? 0 : 1, max_values: options.length },
    options: options.map(option => chosen.includes(option.value) ? { ...option, default: true } : option),
  }
}

export function inputsNeeded(field: FormField): number {
  return inputParts(field).length
}

/** Texts by custom id, or by field id. */
export type FieldTexts = Readonly<Record<string, string>>

/** Returns values by field id; the original if it is unchanged or its input is missing. */
export function readInputs(fields: readonly FormField[], positions: readonly number[], texts: FieldTexts): FieldTexts {
  return Object.fromEntries(positions.map((position) => {
    const field = fields[position]!
    const parts = inputParts(field)
    const value = join(parts, parts.map(({ text }, index) => texts[inputId(position, index, parts.length)] ?? text))
    return [field.id, isSameText(value, field.value) ? field.value : value]
  }))
}

function inputId(position: number, part: number, parts: number): string {
  return parts > 1 ? `i${position}.${part}` : `i${position}`
}

/** @param hint shown below the label, unless the rest of a long label is shown there */
function wrapInLabel(text: string, component: object, hint?: string): object {
  const name = singleLine(text) || '—'
  const detail = name.length > LABEL_LENGTH ? name : hint
  const description = detail ? { description: cut(detail, HINT_LENGTH) } : {}
  return { type: 18, label: cut(name, LABEL_LENGTH), ...description, component }
}
