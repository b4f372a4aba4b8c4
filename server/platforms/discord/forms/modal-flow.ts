import type { ModalElement, ModalResponse } from 'chat'
import { cut } from '../../../../shared/utils/text'
import { lineOf, lineText, textsOf } from '../../shared/elements'
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

/** Runs the handlers of `onModalSubmit`. */
type SubmitForm = (
  form: OpenModal, values: FieldTexts, interaction: Interaction,
) => Promise<ModalResponse | undefined>

const CLOSED_TEXT = 'This form is no longer open. Press the button on the card again.'

const MAX_PROBLEMS = 10
const PROBLEM_LENGTH = 150

/** Answers modal submissions and clicks on the private messages of a form */
export class ModalFlow {
  constructor(private readonly forms: OpenForms, private readonly submitForm: SubmitForm) {}

  /** Stores the form and shows its first step. @param openedBy the only user who may continue it */
  async open(contextId: string, modal: ModalElement, openedBy: string | undefined): Promise<Reply> {
    const form = { ...createForm(contextId, modal), openedBy }
    await this.forms.save(form)
    return form.mode === 'picker' ? pickerReply(privately, form) : formModal(form)
  }

  async answer(interaction: Interaction, { id, verb, tail }: FormPlace): Promise<Reply> {
    const form = await this.forms.load(id)
    if (!form) return closedReply(interaction)
    if (form.openedBy !== undefined && form.openedBy !== authorOf(interaction)?.userId) return closedReply(interaction)
    // Submit an erased form: the answer tells the user what happened to the submission.
    if (form.isErased && verb !== 'cancel') return this.submit(form, {}, interaction)
    const reply = interaction.type === INTERACTION.modal
      ? await this.handleSubmit(form, verb, tail, interaction)
      : await this.handleClick(form, verb, tail, interaction)
    return reply ?? closedReply(interaction)
  }

  private async handleSubmit(form: OpenModal, verb: string, tail: string, interaction: Interaction) {
    const texts = typedInputs(interaction)
    if (verb === 'submit') {
      const positions = form.fields.map((_, position) => position)
      return this.submit(form, readInputs(currentFields(form), positions, texts), interaction)
    }
    const pickedPositions = verb === 'edit' && positionsOf(form, tail.split('.'))
    if (!pickedPositions) return null
    const editedForm = takeEdits(form, pickedPositions, texts)
    await this.forms.save(editedForm)
    return pickerReply(replyTo(interaction), editedForm, pageNumber(pickedPositions))
  }

  private async handleClick(
    form: OpenModal, verb: string, tail: string, interaction: Interaction,
  ): Promise<Reply | null> {
    switch (verb) {
      case 'open': return form.mode === 'picker' ? pickerReply(replyTo(interaction), form) : formModal(form)
      case 'page': return pickerReply(replyTo(interaction), form, Number(tail) || 0)
      case 'pick': {
        const positions = positionsOf(form, interaction.data?.values ?? [])
        return positions && pickedModal(form, positions)
      }
      case 'save': return this.submit(form, valuesOf(form), interaction)
      case 'cancel':
        await this.forms.remove(form)
        return replyTo(interaction)(textsOf(form)('card.form.closed'))
      default: return null
    }
  }

  private async submit(form: OpenModal, values: FieldTexts, interaction: Interaction): Promise<Reply> {
    const filledForm = withValues(form, values)
    const errors = findErrors(form, values)
    if (Object.keys(errors).length > 0) return this.refuse(filledForm, formatErrors(form, errors), interaction)
    const response = await this.submitForm(form, values, interaction)
    if (response?.action === 'errors') return this.refuse(filledForm, formatErrors(form, response.errors), interaction)
    // The submit succeeded. If the form cannot be removed, it expires.
    await this.forms.remove(form).catch(() => {})
    if (response?.action === 'update') return replyTo(interaction)(textOf(response.modal))
    return isFromPrivateMessage(interaction) || !interaction.message
      ? replyTo(interaction)(textsOf(form)('card.form.done'))
      : silence
  }

  /** Stores the typed values and shows why they were refused. */
  private async refuse(form: OpenModal, problems: readonly string[], interaction: Interaction): Promise<Reply> {
    await this.forms.save(form)
    const lines = problems.slice(0, MAX_PROBLEMS).map(problem => `• ${cut(problem, PROBLEM_LENGTH)}`)
    if (form.mode === 'picker' && isFromPrivateMessage(interaction)) {
      return pickerReply(instead, form, 0, problems.join(' '))
    }
    const texts = textsOf(form)
    const editButton = button(texts('card.form.editAgain'), formId(form, 'open'), 1)
    return replyTo(interaction)([texts('card.form.notSent'), ...lines].join('\n'), [actionRow(editButton)])
  }
}

/** Returns the texts of a modal as markdown for a message, because a modal cannot follow a modal. */
function textOf({ title, children }: ModalElement): string {
  const notation = { escape: escapeMarkdown, moment: timestamp }
  return children.flatMap(child => child.type === 'text' ? lineText(lineOf(child), notation) : []).join('\n')
    || escapeMarkdown(title)
}

type CreateReply = typeof privately

function pickerReply(createReply: CreateReply, form: OpenModal, page = 0, notice = ''): Reply {
  const { content, components } = pickerMessage(form, page, notice)
  return createReply(content, components)
}

/** Replaces our private message if the click came from it; after a click on a card it sends a new one. */
function replyTo(interaction: Interaction): CreateReply {
  return isFromPrivateMessage(interaction) ? instead : privately
}

function closedReply(interaction: Interaction): Reply {
  return replyTo(interaction)(CLOSED_TEXT)
}

function valuesOf(form: OpenModal): FieldTexts {
  return Object.fromEntries(currentFields(form).map(({ id, value }) => [id, value]))
}

/** Returns errors that Discord's inputs cannot catch: in chosen values, or values split over several inputs. */
function findErrors(form: OpenModal, values: FieldTexts): FieldTexts {
  const texts = textsOf(form)
  return Object.fromEntries(form.fields.flatMap(({ id, optional, maxLength, value: original }): [string, string][] => {
    const value = values[id] ?? ''
    if (!optional && !value.trim()) return [[id, texts('field.required')]]
    return maxLength && value.length > maxLength && value !== original
      ? [[id, texts('card.form.tooLong', { count: String(maxLength) })]]
      : []
  }))
}

/** Returns the errors, by field id, as lines of markdown. */
function formatErrors({ fields }: OpenModal, errors: FieldTexts): string[] {
  return Object.entries(errors).map(([id, error]) => {
    const label = fields.find(field => field.id === id)?.label
    return `${label === undefined ? '' : `**${escapeMarkdown(cut(singleLine(label), 60))}**: `}${escapeMarkdown(error)}`
  })
}
