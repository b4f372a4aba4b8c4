import {
  Modal, CardText, DateInput, NumberInput, RadioSelect, Select, SelectOption, TextInput,
  type ModalChild, type ModalElement,
} from 'chat'
import type { RichText } from '../../../shared/types/line'
import { richParts } from '../../../shared/utils/line'
import type { EditForm, EditInput, SendAgainForm, ShownInput } from '../../ports/board'
import { platformByName } from '../../platforms/registry'
import { lineElement, type KindInput } from '../../platforms/shared/elements'
import type { ModalLimits, Platform } from '../../platforms/traits'
import { cut } from '../../../shared/utils/text'
import { fieldName } from '../../platforms/shared/text'

/** Longest value in an input of one line, characters. */
const LONG_LINE = 80

/** Most names listed of fields that cannot be edited. */
const NAMED = 10

const NOTICE_LENGTH = 1000

const EDIT_CALLBACK = 'edit'

/** Most bytes of JSON that platforms add to an option. */
const OPTION_BYTES = 80

/** Matches numbers that lose no digit when the SDK passes them as JavaScript numbers. */
const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,6})?$/

const KINDS = ['email', 'url', 'tel'] as const

const YES_OR_NO = [SelectOption({ label: 'Yes', value: 'true' }), SelectOption({ label: 'No', value: 'false' })]

/**
 * Builds the form of Edit & Forward: one prefilled input per field, and a note that names the fields that cannot be
 * edited here. Its metadata contains the marks of the values shown, `f0.1a2b3c4d f2.…`.
 */
export function editModal(form: EditForm, platformKey: string): ModalElement | null {
  const platform = platformByName(platformKey)
  if (!platform?.modal) return null
  const { offered, kept } = fitInputs(form.inputs, platform.modal)
  const children: ModalChild[] = [
    ...kept.length > 0 ? [CardText(keptNote(kept, form.url, platform))] : [],
    ...offered.map(input => inputOf(input, platform.modal!)),
    ...form.inputs.length === 0
      ? [CardText('The form was empty: there is nothing to edit. Forwarding sends it as it is.')]
      : [],
  ]
  return Modal({
    callbackId: EDIT_CALLBACK, title: 'Edit & Forward', submitLabel: 'Forward', closeLabel: 'Cancel',
    privateMetadata: offered.map(({ id, mark }) => `${id}.${mark}`).join(' '), children,
  })
}

/** Builds the form for the new address of an email that bounced. Returns null if the platform has no modals. */
export function sendAgainModal({ to }: SendAgainForm, platformKey: string): ModalElement | null {
  const modal = platformByName(platformKey)?.modal
  if (!modal) return null
  const before = to.join(', ')
  const fits = before.length <= modal.value
  return Modal({
    callbackId: 'send_again', title: 'Send again', submitLabel: 'Send', closeLabel: 'Cancel',
    children: [
      ...fits ? [] : [CardText(`It goes to the same ${to.length} addresses again, unless you type others.`)],
      TextInput({
        id: 'to', label: 'Email addresses, separated by commas (at most 5 new ones)',
        initialValue: fits ? before : '', optional: !fits,
        maxLength: modal.value,
      }),
    ],
  })
}

/** Builds a modal that only shows a message. */
export function noticeModal(message: RichText, title = 'Edit & Forward'): ModalElement {
  return Modal({ callbackId: 'notice', title, submitLabel: 'OK', closeLabel: 'Close', children: [
    lineElement(richParts(message).map(part => typeof part === 'string' ? cut(part, NOTICE_LENGTH) : part)),
  ] })
}

/** Returns the SDK's input for the type of the field, or an input for any text. */
function inputOf({ id, label, value, rule = {} }: EditInput, limits: ModalLimits): ModalChild {
  // A required field that came in empty may stay empty: somebody who edits another field need not fill it in.
  const optional = !rule.required || value.trim() === ''
  const input = { id, label: fieldName(label, limits.label), optional }
  const initialOption = value || undefined
  switch (rule.type) {
    case 'checkbox': return RadioSelect({ ...input, options: YES_OR_NO, initialOption })
    case 'select': return Select({
      ...input, options: rule.options!.map(option => SelectOption({ label: option, value: option })), initialOption,
    })
    case 'date': return DateInput({ ...input, initialValue: value.trim() || undefined })
    case 'number': case 'integer': return NumberInput({
      ...input, initialValue: numberIn(value), min: numberIn(rule.min), max: numberIn(rule.max),
      decimal: rule.type === 'number',
    })
    default: {
      const multiline = rule.type === 'textarea' || value.length > LONG_LINE || value.includes('\n')
      const kind = KINDS.find(each => each === rule.type)
      return {
        ...TextInput({ ...input, initialValue: value, multiline, maxLength: limits.value }), ...kind && { kind },
      } satisfies KindInput
    }
  }
}

/** Returns undefined if there is no number, or if the number would come back changed. */
function numberIn(written: unknown): number | undefined {
  const text = String(written ?? '')
  return PLAIN_NUMBER.test(text) && String(Number(text)) === text ? Number(text) : undefined
}

/** True if the SDK and the platform have an input for this type that shows the value unchanged. */
function isTyped({ value, rule }: EditInput, { choices }: ModalLimits): boolean {
  if (rule?.type === 'select') return rule.options!.length <= choices
  const isNumber = rule?.type === 'number' || rule?.type === 'integer'
  return !isNumber || value === '' || numberIn(value) !== undefined
}

function fitInputs(
  inputs: readonly ShownInput[], limits: ModalLimits,
): { offered: ShownInput[], kept: ShownInput[] } {
  let room = limits.bytes
  const offered: ShownInput[] = []
  const kept: ShownInput[] = []
  for (const input of inputs) {
    const candidates = isTyped(input, limits) ? [input, untyped(input)] : [untyped(input)]
    const fitting = candidates.find(each => sizeOf(each, limits) <= room)
    const fits = fitting && input.value.length <= limits.value && offered.length < limits.inputs
    if (fits) room -= sizeOf(fitting, limits)
    if (fits) offered.push(fitting)
    else kept.push(input)
  }
  return { offered, kept }
}

function untyped({ rule: _, ...input }: ShownInput): ShownInput {
  return input
}

function sizeOf({ label, value, rule }: EditInput, limits: ModalLimits): number {
  const options = rule?.options ?? []
  // Each option is sent twice, as label and as value.
  const listed = options.reduce((sum, option) => sum + 2 * Buffer.byteLength(JSON.stringify(option)) + OPTION_BYTES, 0)
  return Buffer.byteLength(JSON.stringify(fieldName(label, limits.label) + value)) + listed
}

function keptNote(kept: readonly EditInput[], url: string | null, platform: Platform): string {
  const names = kept.slice(0, NAMED).map(({ label }) => `“${platform.escape(fieldName(label, 60))}”`).join(', ')
  const more = kept.length > NAMED ? ` and ${kept.length - NAMED} more` : ''
  return `Not to be edited here, kept as they are: ${names}${more}.${url === null ? '' : ` See the full submission at ${url}`}`
}
