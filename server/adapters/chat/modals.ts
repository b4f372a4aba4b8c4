import { Modal, CardText, TextInput, type ModalChild, type ModalElement } from 'chat'
import type { EditForm, EditInput } from '../../ports/board'
import { platformByName } from '../../platforms/registry'
import type { ModalLimits, Platform } from '../../platforms/traits'
import { cut, fieldName } from '../../platforms/shared/text'

/** Values from here on get an input of several lines. */
const LONG_LINE = 80

/** Names of fields listed when they cannot be edited. */
const NAMED = 10

const NOTICE_LENGTH = 1000

const EDIT_CALLBACK = 'edit'

/** The form of Edit & Forward: one prefilled input per field; what cannot be edited here is named as kept. */
export function editModal(form: EditForm, platformKey: string): ModalElement | null {
  const platform = platformByName(platformKey)
  if (!platform?.modal) return null
  const { offered, kept } = fitInputs(form.inputs, platform.modal)
  const children: ModalChild[] = [
    ...kept.length > 0 ? [CardText(keptNote(kept, form.url, platform))] : [],
    ...offered.map(input => textInput(input, platform.modal!)),
    ...form.inputs.length === 0
      ? [CardText('The form was empty: there is nothing to edit. Forwarding sends it as it is.')]
      : [],
  ]
  return Modal({
    callbackId: EDIT_CALLBACK, title: 'Edit & Forward', submitLabel: 'Forward', closeLabel: 'Cancel',
    privateMetadata: form.submissionId, children,
  })
}

/** A modal that only says something. */
export function noticeModal(message: string, title = 'Edit & Forward'): ModalElement {
  return Modal({ callbackId: 'notice', title, submitLabel: 'OK', closeLabel: 'Close', children: [
    CardText(cut(message, NOTICE_LENGTH)),
  ] })
}

function textInput({ id, label, value }: EditInput, limits: ModalLimits): ModalChild {
  return TextInput({
    id, label: fieldName(label, limits.label), initialValue: value, optional: true,
    multiline: value.length > LONG_LINE || value.includes('\n'), maxLength: limits.value,
  })
}

function fitInputs(inputs: readonly EditInput[], limits: ModalLimits): { offered: EditInput[], kept: EditInput[] } {
  let room = limits.bytes
  const offered: EditInput[] = []
  const kept: EditInput[] = []
  for (const input of inputs) {
    const size = Buffer.byteLength(JSON.stringify(fieldName(input.label, limits.label) + input.value))
    const fits = input.value.length <= limits.value && offered.length < limits.inputs && size <= room
    if (fits) room -= size
    ;(fits ? offered : kept).push(input)
  }
  return { offered, kept }
}

function keptNote(kept: readonly EditInput[], url: string | null, platform: Platform): string {
  const names = kept.slice(0, NAMED).map(({ label }) => `“${platform.escape(fieldName(label, 60))}”`).join(', ')
  const more = kept.length > NAMED ? ` and ${kept.length - NAMED} more` : ''
  return `Not to be edited here, kept as they are: ${names}${more}.${url === null ? '' : ` See the full submission at ${url}`}`
}
