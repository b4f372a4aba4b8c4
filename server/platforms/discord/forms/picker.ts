import { cut } from '../../../../shared/utils/text'
import { textsOf } from '../../shared/elements'
import { escapeMarkdown } from '../escape'
import type { ActionRow } from '../embeds'
import {
  INPUTS_PER_MODAL, inputsNeeded, modalInputs, singleLine, readInputs, shownValue, type FormField, type FieldTexts,
} from './fields'
import { currentFields, formId, modalReply, withValues, type OpenModal } from './form'
import { button, instead, actionRow, type Reply } from '../interactions'

/** https://discord.com/developers/docs/components/reference#string-select */
const MENU_OPTIONS = 25
const OPTION_LENGTH = 100
const PLACEHOLDER_LENGTH = 150

/** A message has five rows: four menus and the buttons. */
const PAGE_MENUS = 4
const FIELDS_PER_PAGE = PAGE_MENUS * MENU_OPTIONS

/**
 * Max lengths in a message of 2,000 characters. The note, which ends in a link, gets what the notice, the changes and
 * fixed texts leave.
 */
const NOTICE_LENGTH = 230
const CHANGES_LENGTH = 230
const NOTE_LENGTH = 1380

/** Builds the private message in which people pick fields of a large form; `page` starts at 0. */
export function pickerMessage(form: OpenModal, page = 0, notice = ''): { content: string, components: ActionRow[] } {
  const fields = currentFields(form)
  const pageCount = Math.max(1, Math.ceil(fields.length / FIELDS_PER_PAGE))
  const pageIndex = Math.min(Math.max(0, page), pageCount - 1)
  const starts = Array.from({ length: PAGE_MENUS }, (_, index) => (pageIndex * PAGE_MENUS + index) * MENU_OPTIONS)
  const menus = starts.filter(from => from < fields.length).map(from => actionRow(buildMenu(form, fields, from)))
  const pageButton = (label: string, to: number) => {
    return to >= 0 && to < pageCount ? [button(label, formId(form, 'page', String(to)))] : []
  }
  const submit = button(cut(form.submitLabel, 80), formId(form, 'save'), 3)
  const cancel = button(cut(form.closeLabel, 80), formId(form, 'cancel'))
  const buttons = actionRow(submit, cancel, ...pageButton('◀', pageIndex - 1), ...pageButton('▶', pageIndex + 1))
  return { content: describe(form, pageIndex, pageCount, notice), components: [...menus, buttons] }
}

/** Returns the modal for the picked fields, or the message again with the reason why there is none. */
export function pickedModal(form: OpenModal, positions: readonly number[]): Reply {
  const fields = currentFields(form)
  const inputCount = positions.reduce((sum, position) => sum + inputsNeeded(fields[position]!), 0)
  if (inputCount <= INPUTS_PER_MODAL) {
    return modalReply(form, 'edit', modalInputs(fields, positions), positions.join('.'))
  }
  const { content, components } = pickerMessage(form, pageNumber(positions), positions.length === 1
    ? textsOf(form)('card.form.fieldTooLong', { name: quoteName(fields[positions[0]!]!) })
    : textsOf(form)('card.form.fieldsTooLong'))
  return instead(content, components)
}

export function takeEdits(form: OpenModal, positions: readonly number[], texts: FieldTexts): OpenModal {
  return withValues(form, { ...form.edits, ...readInputs(currentFields(form), positions, texts) })
}

/** Parses positions from `1.2.3` or a menu's values; null unless there are 1 to 5, all of them in this form. */
export function positionsOf({ fields }: OpenModal, values: readonly string[]): number[] | null {
  const positions = values.map(value => /^\d{1,6}$/.test(value) ? Number(value) : -1)
  const isValidCount = positions.length > 0 && positions.length <= INPUTS_PER_MODAL
  return isValidCount && positions.every(position => position >= 0 && position < fields.length) ? positions : null
}

export function pageNumber([firstPosition = 0]: readonly number[]): number {
  return Math.floor(firstPosition / FIELDS_PER_PAGE)
}

function buildMenu(form: OpenModal, fields: readonly FormField[], from: number): object {
  const texts = textsOf(form)
  const options = fields.slice(from, from + MENU_OPTIONS)
  const names = `${nameOf(options[0]!, 50)} … ${nameOf(options.at(-1)!, 50)}`
  return {
    type: 3, custom_id: formId(form, 'pick', String(from)),
    min_values: 1, max_values: Math.min(INPUTS_PER_MODAL, options.length),
    placeholder: cut(texts('card.form.menu', {
      from: String(from + 1), to: String(from + options.length), names,
    }), PLACEHOLDER_LENGTH),
    options: options.map((field, index) => ({
      label: `${Object.hasOwn(form.edits, field.id) ? '✎ ' : ''}${nameOf(field, OPTION_LENGTH - 2)}`,
      value: String(from + index),
      description: cut(singleLine(shownValue(field)), OPTION_LENGTH) || texts('card.form.emptyValue'),
    })),
  }
}

function describe(form: OpenModal, page: number, pageCount: number, notice: string): string {
  const changedNames = form.fields.filter(({ id }) => Object.hasOwn(form.edits, id)).map(quoteName).join(', ')
  const fieldCount = form.fields.length
  const texts = textsOf(form)
  const pageNote = texts('card.form.page', { page: String(page + 1), pages: String(pageCount) })
  const pickNote = texts('card.form.pick', { count: INPUTS_PER_MODAL, all: String(fieldCount) })
  const instructions = [
    pageCount > 1 ? `${pickNote} ${pageNote}` : pickNote,
    changedNames
      ? texts('card.form.changed', { names: cut(changedNames, CHANGES_LENGTH) })
      : texts('card.form.unchanged'),
  ]
  return [
    `**${escapeMarkdown(cut(singleLine(form.title), 100))}**`,
    ...form.note ? [cut(form.note, NOTE_LENGTH)] : [],
    ...fieldCount > 0 ? instructions : [],
    ...notice ? [`⚠️ ${cut(notice, NOTICE_LENGTH)}`] : [],
  ].join('\n')
}

function nameOf({ label, id }: FormField, max: number): string {
  return cut(singleLine(label.toWellFormed()) || id, max)
}

function quoteName(field: FormField): string {
  return `“${escapeMarkdown(nameOf(field, 60))}”`
}
