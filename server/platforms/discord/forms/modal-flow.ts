import type { ModalElement, ModalResponse } from 'chat'
import { FIELD_TEXTS } from '../../../../shared/field-texts'
import { cut } from '../../../../shared/utils/text'
import { lineOf, lineText } from '../../shared/elements'
import { escapeMarkdown, timestamp } from '../escape'
import { singleLine, readInputs, type FieldTexts } from './fields'
import {
  createForm, currentFields, formId, formModal, withValues, type FormPlace, type OpenForms, type OpenModal,
} from './form'
import {
  authorOf, button, instead, isFromPrivateMessage, privately, actionRow, typedInputs, INTERACTION, silence,
  type Interaction, type Reply,
} from '../interactions'
import { pageNumber, pickedModal, pickerMessage, positionsOf, takeEdits } from './picker'

export interface ModalFlowPorts {
  forms: OpenForms
  /** Runs the handlers of `onModalSubmit`. */
  submit: (form: OpenModal, values: FieldTexts, interaction: Interaction) => Promise<ModalResponse | undefined>
}

const CLOSED = 'This form is no longer open. Press the button on the card again.'

const PROBLEMS = 10
const PROBLEM_LENGTH = 150

/** Answers modal submissions and clicks on the private messages of a form */
export class ModalFlow {
  constructor(private readonly ports: ModalFlowPorts) {}

  /** Stores the form and shows its first step. @param openedBy the only user who may continue it */
  async open(contextId: string, modal: ModalElement, openedBy: string | undefined): Promise<Reply> {
    const form = { ...createForm(contextId, modal), openedBy }
    await this.ports.forms.save(form)
    return form.mode === 'picker' ? picker(privately, form) : formModal(form)
  }

  async answer(interaction: Interaction, { id, verb, tail }: FormPlace): Promise<Reply> {
    const form = await this.ports.forms.load(id)
    if (!form) return closed(interaction)
    if (form.openedBy !== undefined && form.openedBy !== authorOf(interaction)?.userId) return closed(interaction)
    // The answer tells the user what became of the submission.
    if (form.isErased && verb !== 'cancel') return this.submit(form, {}, interaction)
    const reply = interaction.type === INTERACTION.modal
      ? await this.modalSubmitted(form, verb, tail, interaction)
      : await this.clicked(form, verb, tail, interaction)
    return reply ?? closed(interaction)
  }

  private async modalSubmitted(form: OpenModal, verb: string, tail: string, interaction: Interaction) {
    const typed = typedInputs(interaction)
    if (verb === 'submit') {
      const positions = form.fields.map((_, position) => position)
      return this.submit(form, readInputs(currentFields(form), positions, typed), interaction)
    }
    const picked = verb === 'edit' && positionsOf(form, tail.split('.'))
    if (!picked) return null
    const next = takeEdits(form, picked, typed)
    await this.ports.forms.save(next)
    return picker(replacing(interaction), next, pageNumber(picked))
  }

  private async clicked(form: OpenModal, verb: string, tail: string, interaction: Interaction): Promise<Reply | null> {
    switch (verb) {
      case 'open': return form.mode === 'picker' ? picker(replacing(interaction), form) : formModal(form)
      case 'page': return picker(replacing(interaction), form, Number(tail) || 0)
      case 'pick': {
        const picked = positionsOf(form, interaction.data?.values ?? [])
        return picked && pickedModal(form, picked)
      }
      case 'save': return this.submit(form, valuesOf(form), interaction)
      case 'cancel':
        await this.ports.forms.remove(form)
        return replacing(interaction)('Cancelled. Nothing was changed.')
      default: return null
    }
  }

  private async submit(form: OpenModal, values: FieldTexts, interaction: Interaction): Promise<Reply> {
    const filled = withValues(form, values)
    const missing = invalid(form, values)
    if (Object.keys(missing).length > 0) return this.refuse(filled, named(form, missing), interaction)
    const response = await this.ports.submit(form, values, interaction)
    if (response?.action === 'errors') return this.refuse(filled, named(form, response.errors), interaction)
    // The submit took effect; a form that is not removed just expires.
    await this.ports.forms.remove(form).catch(() => {})
    if (response?.action === 'update') return replacing(interaction)(textOf(response.modal))
    return isFromPrivateMessage(interaction) || !interaction.message ? replacing(interaction)('Done.') : silence
  }

  /** Stores the typed values and shows why they were refused. */
  private async refuse(form: OpenModal, problems: readonly string[], interaction: Interaction): Promise<Reply> {
    await this.ports.forms.save(form)
    const lines = problems.slice(0, PROBLEMS).map(problem => `• ${cut(problem, PROBLEM_LENGTH)}`)
    if (form.mode === 'picker' && isFromPrivateMessage(interaction)) return picker(instead, form, 0, problems.join(' '))
    const again = button('Edit again', formId(form, 'open'), 1)
    return replacing(interaction)(['Not sent yet:', ...lines].join('\n'), [actionRow(again)])
  }
}

/** Returns the texts of a modal as markdown for a message, because a modal cannot follow a modal. */
function textOf({ title, children }: ModalElement): string {
  const writing = { escape: escapeMarkdown, moment: timestamp }
  return children.flatMap(child => child.type === 'text' ? lineText(lineOf(child), writing) : []).join('\n')
    || escapeMarkdown(title)
}

type Say = typeof privately

function picker(say: Say, form: OpenModal, page = 0, notice = ''): Reply {
  const { content, components } = pickerMessage(form, page, notice)
  return say(content, components)
}

/** Replaces our private message if the click came from it; after a click on a card it sends a new one. */
function replacing(interaction: Interaction): Say {
  return isFromPrivateMessage(interaction) ? instead : privately
}

function closed(interaction: Interaction): Reply {
  return replacing(interaction)(CLOSED)
}

function valuesOf(form: OpenModal): FieldTexts {
  return Object.fromEntries(currentFields(form).map(({ id, value }) => [id, value]))
}

/** Returns errors that Discord's inputs cannot catch: in chosen values, or values split over several inputs. */
function invalid({ fields }: OpenModal, values: FieldTexts): FieldTexts {
  return Object.fromEntries(fields.flatMap(({ id, optional, maxLength, value: original }): [string, string][] => {
    const value = values[id] ?? ''
    if (!optional && !value.trim()) return [[id, FIELD_TEXTS.required]]
    return maxLength && value.length > maxLength && value !== original ? [[id, `At most ${maxLength} characters.`]] : []
  }))
}

/** Returns the errors, by field id, as lines of markdown. */
function named({ fields }: OpenModal, errors: FieldTexts): string[] {
  return Object.entries(errors).map(([id, error]) => {
    const label = fields.find(field => field.id === id)?.label
    return `${label === undefined ? '' : `**${escapeMarkdown(cut(singleLine(label), 60))}**: `}${escapeMarkdown(error)}`
  })
}
