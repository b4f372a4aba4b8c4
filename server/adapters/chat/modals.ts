import {
  Modal, CardText, DateInput, NumberInput, RadioSelect, Select, SelectOption, TextInput,
  type ModalChild, type ModalElement,
} from 'chat'
import { ACTIONS } from '../../../shared/actions'
import { fieldTypeOf } from '../../../shared/field-types/field-types'
import type { RichText } from '../../../shared/types/line'
import { english, formTitle, type Texts } from '../../../shared/texts'
import { richParts } from '../../../shared/utils/line'
import {
  MAX_NEW_ADDRESSES, type EditForm, type EditInput, type SendAgainForm, type ShownInput,
} from '../../ports/board'
import { platformByName } from '../../platforms/registry'
import { lineElement, type ChoicesInput, type KindInput, type LanguageModal } from '../../platforms/shared/elements'
import type { ModalLimits, Platform } from '../../platforms/traits'
import { cut } from '../../../shared/utils/text'
import { fieldName } from '../../platforms/shared/text'

/** Max characters of a value in a single-line input. */
const LONG_LINE = 80

/** Max number of names in the list of fields that cannot be edited. */
const MAX_NAMES = 10

const NOTICE_LENGTH = 1000

/**
 * Max radio buttons of a group: https://docs.slack.dev/reference/block-kit/block-elements/radio-button-group-element
 */
const MAX_RADIOS = 10

/** Max bytes of JSON that platforms add to an option. */
const OPTION_BYTES = 80

/** Matches numbers that keep all digits when the SDK passes them as JavaScript numbers. */
const PLAIN_NUMBER = /^-?\d{1,15}(?:\.\d{1,6})?$/

/**
 * Builds the form of Edit & Forward: one prefilled input per field, and a note that names the fields that cannot be
 * edited here. Its metadata contains id and mark of each value shown: `f0.1a2b3c4d f2.…`.
 */
export function editModal(form: EditForm, platformKey: string, texts = english): ModalElement | null {
  const platform = platformByName(platformKey)
  if (!platform?.modal) return null
  const { offeredInputs, keptInputs } = fitInputs(form.inputs, platform.modal, texts)
  const children: ModalChild[] = [
    ...keptInputs.length > 0 ? [CardText(describeKept(keptInputs, form.url, platform, texts))] : [],
    ...offeredInputs.map(input => inputOf(input, platform.modal!, texts)),
    ...form.inputs.length === 0 ? [CardText(texts('card.modal.emptyForm'))] : [],
  ]
  return inLanguage(texts, Modal({
    callbackId: ACTIONS.edit.card!.id, title: formTitle('edit', texts), submitLabel: texts('card.modal.forward'),
    closeLabel: texts('card.modal.cancel'),
    privateMetadata: offeredInputs.map(({ id, mark }) => `${id}.${mark}`).join(' '), children,
  }))
}

/** Builds the form for the new address of an email that bounced. Returns null if the platform has no modals. */
export function sendAgainModal({ to }: SendAgainForm, platformKey: string, texts = english): ModalElement | null {
  const modal = platformByName(platformKey)?.modal
  if (!modal) return null
  const currentAddresses = to.join(', ')
  const canPrefill = currentAddresses.length <= modal.value
  return inLanguage(texts, Modal({
    callbackId: ACTIONS.resend.card!.id, title: formTitle('resend', texts), submitLabel: texts('card.modal.send'),
    closeLabel: texts('card.modal.cancel'),
    children: [
      ...canPrefill ? [] : [CardText(texts('card.modal.sameAddresses', { count: to.length }))],
      TextInput({
        id: 'to', label: texts('card.modal.addresses', { count: MAX_NEW_ADDRESSES }),
        initialValue: canPrefill ? currentAddresses : '', optional: !canPrefill, maxLength: modal.value,
      }),
    ],
  }))
}

function inLanguage({ language }: Texts, modal: ModalElement): LanguageModal {
  return language === 'en' ? modal : { ...modal, language }
}

/** Builds a modal that only shows a message. */
export function noticeModal(message: RichText, title = ACTIONS.edit.label, texts = english): ModalElement {
  const [submitLabel, closeLabel] = [texts('card.modal.ok'), texts('card.modal.close')]
  return Modal({ callbackId: 'notice', title, submitLabel, closeLabel, children: [
    lineElement(richParts(message).map(part => typeof part === 'string' ? cut(part, NOTICE_LENGTH) : part)),
  ] })
}

/** Returns the SDK's input for the type of the field, or a text input if there is none. */
function inputOf({ id, label, value, rule = {} }: EditInput, limits: ModalLimits, texts: Texts): ModalChild {
  // A required field that arrived empty may stay empty, so that people can edit other fields without filling it in.
  const optional = !rule.required || value.trim() === ''
  const input = { id, label: fieldName(label, limits.label, texts), optional }
  const initialOption = value || undefined
  const { input: asked } = fieldTypeOf(rule)
  switch (asked.kind) {
    case 'tick': return RadioSelect({
      ...input, options: Object.entries(asked.words(texts)).map(([key, word]) => (
        SelectOption({ label: word, value: key })
      )),
      initialOption,
    })
    case 'choice': {
      const options = rule.options!.map(option => SelectOption({ label: option, value: option }))
      const createInput = asked.radios && options.length > 1 && options.length <= MAX_RADIOS ? RadioSelect : Select
      return createInput({ ...input, options, initialOption })
    }
    case 'day': return DateInput({ ...input, initialValue: value.trim() || undefined })
    case 'number': return NumberInput({
      ...input, initialValue: numberIn(value), min: numberIn(rule.min), max: numberIn(rule.max),
      decimal: asked.decimal,
    })
    default: {
      const isLines = asked.kind === 'lines' || asked.kind === 'choices'
      const multiline = isLines || value.length > LONG_LINE || value.includes('\n')
      const kind = asked.kind === 'line' && asked.text
      const choices = asked.kind === 'choices' && rule.options
      return {
        ...TextInput({ ...input, initialValue: value, multiline, maxLength: limits.value }), ...kind && { kind },
        ...choices && { choices },
      } satisfies KindInput & ChoicesInput
    }
  }
}

/** Returns undefined if there is no number, or if the form would send the number back changed. */
function numberIn(value: unknown): number | undefined {
  const text = String(value ?? '')
  return PLAIN_NUMBER.test(text) && String(Number(text)) === text ? Number(text) : undefined
}

/** True if the SDK and the platform have an input for this type that shows the value unchanged. */
function isTyped({ value, rule = {} }: EditInput, { choices }: ModalLimits): boolean {
  const { kind } = fieldTypeOf(rule).input
  if (kind === 'choice' || kind === 'choices') return rule.options!.length <= choices
  return kind !== 'number' || value === '' || numberIn(value) !== undefined
}

function fitInputs(
  inputs: readonly ShownInput[], limits: ModalLimits, texts: Texts,
): { offeredInputs: ShownInput[], keptInputs: ShownInput[] } {
  let remainingBytes = limits.bytes
  const offeredInputs: ShownInput[] = []
  const keptInputs: ShownInput[] = []
  for (const input of inputs) {
    const candidates = isTyped(input, limits) ? [input, removeType(input)] : [removeType(input)]
    const fittingInput = candidates.find(each => sizeOf(each, limits, texts) <= remainingBytes)
    const canOffer = fittingInput && input.value.length <= limits.value && offeredInputs.length < limits.inputs
    if (canOffer) remainingBytes -= sizeOf(fittingInput, limits, texts)
    if (canOffer) offeredInputs.push(fittingInput)
    else keptInputs.push(input)
  }
  return { offeredInputs, keptInputs }
}

function removeType({ rule: _, ...input }: ShownInput): ShownInput {
  return input
}

function sizeOf({ label, value, rule }: EditInput, limits: ModalLimits, texts: Texts): number {
  const options = rule?.options ?? []
  // Each option is sent twice, as label and as value.
  const optionBytes = options.reduce(
    (sum, option) => sum + 2 * Buffer.byteLength(JSON.stringify(option)) + OPTION_BYTES, 0,
  )
  return Buffer.byteLength(JSON.stringify(fieldName(label, limits.label, texts) + value)) + optionBytes
}

function describeKept(
  keptInputs: readonly EditInput[], url: string | null, platform: Platform, texts: Texts,
): string {
  const listedNames = keptInputs.slice(0, MAX_NAMES).map(
    ({ label }) => `“${platform.escape(fieldName(label, 60, texts))}”`,
  ).join(', ')
  const moreCount = keptInputs.length - MAX_NAMES
  const names = moreCount > 0
    ? texts('card.list.more', { some: listedNames, count: String(moreCount) })
    : listedNames
  return url === null ? texts('card.modal.kept', { names }) : texts('card.modal.keptLink', { names, url })
}
