import type { ModalElement, StateAdapter } from 'chat'
import { cut } from '../../../../shared/utils/text'
import type { Drafts } from '../../../ports/drafts'
import { fieldsOf, INPUTS_PER_MODAL, inputsNeeded, modalInputs, type FormField, type FieldTexts } from './fields'
import { REPLY, type Reply } from '../interactions'
import type { LanguageModal } from '../../shared/elements'

/** https://discord.com/developers/docs/interactions/receiving-and-responding (modal callback data) */
const TITLE_LENGTH = 45

const NOTE_LENGTH = 2000

/** Time in which an open form can be submitted, ms. For comparison: Slack's modals close with the window. */
const FORM_TTL_MS = 60 * 60_000

const PREFIX = 'chat-form'

/**
 * Modes of a stored form. Forms of an earlier version may have a third one, text for all fields; they count as closed.
 */
const MODES = ['native', 'picker'] as const

/**
 * A modal of the SDK that a reviewer has open. A Discord modal has five inputs of 4,000 characters and cannot follow
 * another modal, so larger forms need another mode:
 *
 * - `native`: one modal
 * - `picker`: a private message in which people pick up to five fields for each modal, and finally submit
 */
export interface OpenModal {
  id: string
  /** User who opened it, the only one who may continue it; absent in forms of an earlier version */
  openedBy?: string
  mode: typeof MODES[number]
  callbackId: string
  title: string
  submitLabel: string
  closeLabel: string
  /** Language of the texts; English if absent. */
  language?: string
  privateMetadata?: string
  /** Markdown above the inputs. */
  note: string
  /** Fields with the values that the modal was created with */
  fields: FormField[]
  /** Changed values by field id: from edited fields or a refused submit */
  edits: Record<string, string>
  /** The submission was erased, and with it the form's texts. */
  isErased?: true
}

/** Parts with form data, which are stored with the submission; the SDK's state keeps the rest */
type FormContent = Pick<OpenModal, 'note' | 'fields' | 'edits'>

/** @throws TypeError when the modal has an input that Discord lacks */
export function createForm(id: string, modal: LanguageModal): OpenModal {
  const { language, callbackId, title, privateMetadata, submitLabel = 'Submit', closeLabel = 'Cancel' } = modal
  const fields = fieldsOf(modal)
  const note = noteOf(modal)
  const isSingleModal = fields.length > 0 && fitsOneModal(fields, note)
  return {
    id, mode: isSingleModal ? 'native' : 'picker', callbackId, title, submitLabel, closeLabel, privateMetadata, note,
    fields, edits: {}, ...language !== undefined && { language },
  }
}

/** Returns the form with these values, as a picker if they no longer fit one modal. */
export function withValues(form: OpenModal, values: FieldTexts): OpenModal {
  const changedFields = form.fields.filter(({ id, value }) => Object.hasOwn(values, id) && values[id] !== value)
  const edits = Object.fromEntries(changedFields.map(({ id }) => [id, values[id]!]))
  const copy = { ...form, edits }
  return form.mode === 'native' && !fitsOneModal(currentFields(copy), form.note) ? { ...copy, mode: 'picker' } : copy
}

/** Returns the fields with their current values. */
export function currentFields({ fields, edits }: OpenModal): FormField[] {
  return fields.map(field => Object.hasOwn(edits, field.id) ? { ...field, value: edits[field.id]! } : field)
}

/** Returns the modal of a form in `native` mode. */
export function formModal(form: OpenModal): Reply {
  const fields = currentFields(form)
  const inputs = modalInputs(fields, fields.map((_, position) => position))
  return modalReply(form, 'submit', [...form.note ? [{ type: 10, content: form.note }] : [], ...inputs])
}

export function modalReply(form: OpenModal, verb: string, components: object[], tail = ''): Reply {
  const title = cut(form.title.trim() || 'Form', TITLE_LENGTH)
  return { type: REPLY.modal, data: { custom_id: formId(form, verb, tail), title, components } }
}

/** Custom id of a part of a form: `chat-form:<form>:<verb>:<more>`, well below 100 characters */
export function formId({ id }: Pick<OpenModal, 'id'>, verb: string, tail = ''): string {
  return [PREFIX, id, verb, ...tail ? [tail] : []].join(':')
}

/** Parts of a custom id: form, action, and the fields or page that it applies to */
export interface FormPlace {
  id: string
  verb: string
  tail: string
}

/** Returns null if the custom id belongs to no form. */
export function parseFormId(customId: string): FormPlace | null {
  const [prefix, id = '', verb = '', tail = ''] = customId.split(':')
  return prefix === PREFIX ? { id, verb, tail } : null
}

/** Open forms, stored so that every replica can load them */
export class OpenForms {
  constructor(private readonly state: () => StateAdapter, private readonly drafts: Drafts) {}

  async load(id: string): Promise<OpenModal | null> {
    const form = await this.state().get<OpenModal>(formKey(id))
    if (!form || !MODES.includes(form.mode)) return null
    const submissionId = submissionOf(form)
    // A form without a submission, or from an earlier version, is stored in one piece.
    if (submissionId === '' || Object.hasOwn(form, 'fields')) return form
    const { text, isErased } = await this.drafts.load(submissionId, id)
    if (isErased) return { ...form, note: '', fields: [], edits: {}, isErased }
    return text === null ? null : { ...form, ...JSON.parse(text) as FormContent }
  }

  async save(form: OpenModal): Promise<void> {
    const submissionId = submissionOf(form)
    const { note, fields, edits, ...rest } = form
    if (submissionId !== '') {
      await this.drafts.save(submissionId, form.id, JSON.stringify({ note, fields, edits }), FORM_TTL_MS)
    }
    await this.state().set(formKey(form.id), submissionId === '' ? form : rest, FORM_TTL_MS)
  }

  async remove(form: OpenModal): Promise<void> {
    await Promise.all([this.drafts.remove(submissionOf(form), form.id), this.state().delete(formKey(form.id))])
  }
}

function fitsOneModal(fields: readonly FormField[], note: string): boolean {
  return fields.reduce((sum, field) => sum + inputsNeeded(field), note ? 1 : 0) <= INPUTS_PER_MODAL
}

function formKey(id: string): string {
  return `discord-form:${id}`
}

/** Returns the submission's id, the first word of the private metadata (`handlers/review.ts`). */
function submissionOf({ privateMetadata = '' }: Pick<OpenModal, 'privateMetadata'>): string {
  return privateMetadata.split(' ')[0]!
}

/** Returns the texts of a modal as markdown. */
function noteOf({ children }: ModalElement): string {
  const texts = children.flatMap(child => child.type === 'text' ? [child.content] : [])
  return cut(texts.join('\n').trim(), NOTE_LENGTH)
}
