import type { ModalElement, SelectElement, SelectOptionElement, TextInputElement } from 'chat'
import { cut, printable } from '../shared/text'

/** https://discord.com/developers/docs/components/reference#text-input */
export const INPUT_LENGTH = 4000

/** https://discord.com/developers/docs/components/reference (modal: 1 to 5 components) */
export const INPUTS_PER_MODAL = 5

/** Free characters in the parts of a long value, so that something can be added. */
const ROOM = 200

/** https://discord.com/developers/docs/components/reference#label */
const LABEL_LENGTH = 45
const HINT_LENGTH = 100

/** Discord's single-line inputs are about this wide. */
const LONG_LINE = 100

/** An input of a modal, in a shape that JSON keeps. */
export interface FormField {
  id: string
  label: string
  value: string
  optional: boolean
  multiline: boolean
  maxLength?: number
  placeholder?: string
  /** Those of a select. */
  options?: SelectOptionElement[]
}

type Choice = Pick<SelectElement, 'id' | 'label' | 'initialOption' | 'optional' | 'options'>

/** The inputs of a modal. @throws TypeError for a kind that Discord has no equivalent of */
export function fieldsOf({ children }: ModalElement): FormField[] {
  return children.filter(({ type }) => type !== 'text' && type !== 'fields').map((child) => {
    switch (child.type) {
      case 'text_input': return textField(child)
      case 'select': case 'radio_select': return selectField(child)
      default: throw new TypeError(`A modal on Discord has no ${child.type}.`)
    }
  })
}

function textField({ id, label, initialValue: value = '', optional = false, ...more }: TextInputElement): FormField {
  const { multiline = false, maxLength, placeholder } = more
  return { id, label, value, optional, multiline, maxLength, placeholder }
}

function selectField({ id, label, initialOption: value = '', optional = false, options }: Choice): FormField {
  return { id, label, value, optional, multiline: false, options: options.slice(0, 25) }
}

/** Text on one line, without what Discord takes out of it. */
export function oneLine(text: string): string {
  return text.replace(/[\s\p{Cc}]+/gu, ' ').trim()
}

/** Discord trims what is typed, drops control characters and sends `\n`: that is not a change. */
function sameText(one: string, other: string): boolean {
  return printable(one).trim() === printable(other).trim()
}

interface Part {
  text: string
  /** What stood between this part and the next. */
  glue: string
}

/** Parts that fill one input each. Cut at the end of a line or at a space where that costs little. */
export function partsOf({ value, options }: Pick<FormField, 'value' | 'options'>): Part[] {
  if (options || value.length <= INPUT_LENGTH) return [{ text: value, glue: '' }]
  const roomy = split(value, INPUT_LENGTH - ROOM, true)
  return roomy.length <= INPUTS_PER_MODAL ? roomy : split(value, INPUT_LENGTH, false)
}

function split(value: string, size: number, atSpaces: boolean): Part[] {
  const parts: Part[] = []
  let left = value
  while (left.length > size) {
    const gap = atSpaces ? Math.max(left.lastIndexOf('\n', size - 1), left.lastIndexOf(' ', size - 1)) : -1
    const early = gap < size * 0.9
    const end = !early ? gap : /[\uD800-\uDBFF]/.test(left.charAt(size - 1)) ? size - 1 : size
    parts.push({ text: left.slice(0, end), glue: early ? '' : left.charAt(gap) })
    left = left.slice(early ? end : end + 1)
  }
  return [...parts, { text: left, glue: '' }]
}

/** A part that was not touched keeps what Discord trims; an emptied part takes its glue with it. */
function join(parts: readonly Part[], typed: readonly string[]): string {
  let joined = ''
  let glue = ''
  parts.forEach((part, index) => {
    const text = sameText(typed[index] ?? '', part.text) ? part.text : typed[index] ?? ''
    if (text === '') return
    joined += (joined ? glue : '') + text
    glue = part.glue
  })
  return joined
}

/** The modal inputs of these fields, by their positions in the form. */
export function modalInputs(fields: readonly FormField[], positions: readonly number[]): object[] {
  return positions.flatMap((position) => {
    const field = fields[position]!
    const parts = partsOf(field)
    if (field.options) return [labelled(field.label, select(field, position))]
    const isWhole = parts.length === 1
    const maxLength = isWhole ? field.maxLength ?? INPUT_LENGTH : INPUT_LENGTH
    return parts.map(({ text }, index) => {
      const part = ` (${index + 1}/${parts.length})`
      return labelled(isWhole ? field.label : cut(oneLine(field.label), LABEL_LENGTH - 8) + part, {
        type: 4, custom_id: inputId(position, index, parts.length),
        style: field.multiline || !isWhole || text.length > LONG_LINE || /[\r\n]/.test(text) ? 2 : 1,
        required: !field.optional && isWhole,
        max_length: Math.min(INPUT_LENGTH, Math.max(text.length, maxLength)),
        ...printable(text) ? { value: printable(text) } : {},
        ...field.placeholder ? { placeholder: cut(field.placeholder, 100) } : {},
      })
    })
  })
}

/** Modal inputs that a field takes; a select takes one. */
export function inputsNeeded(field: FormField): number {
  return partsOf(field).length
}

/** Texts by custom id, or by field id. */
export type Values = Readonly<Record<string, string>>

/** Values by field id; the original where nothing was changed or the input is missing. */
export function readInputs(fields: readonly FormField[], positions: readonly number[], typed: Values): Values {
  return Object.fromEntries(positions.map((position) => {
    const field = fields[position]!
    const parts = partsOf(field)
    const value = join(parts, parts.map(({ text }, index) => typed[inputId(position, index, parts.length)] ?? text))
    return [field.id, sameText(value, field.value) ? field.value : value]
  }))
}

function inputId(position: number, part: number, parts: number): string {
  return parts > 1 ? `i${position}.${part}` : `i${position}`
}

function labelled(text: string, component: object): object {
  const name = oneLine(text) || '—'
  const description = name.length > LABEL_LENGTH ? { description: cut(name, HINT_LENGTH) } : {}
  return { type: 18, label: cut(name, LABEL_LENGTH), ...description, component }
}

function select({ value, optional, placeholder, options = [] }: FormField, position: number): object {
  return {
    type: 3, custom_id: inputId(position, 0, 1), required: !optional, min_values: optional ? 0 : 1, max_values: 1,
    ...placeholder ? { placeholder: cut(placeholder, 150) } : {},
    options: options.map(option => ({
      label: cut(option.label, 100), value: option.value, default: option.value === value,
      ...option.description ? { description: cut(option.description, 100) } : {},
    })),
  }
}
