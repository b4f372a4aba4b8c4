import type { ActionsElement, CardChild, CardElement, ModalChild, ModalElement } from 'chat'
import type { TextKind } from '../../../shared/field-types/row'
import type { Texts } from '../../../shared/texts'
import { isInput, type Input } from '../../../shared/utils/inputs'
import { lineOf, lineText, textsOf, type ChoicesInput, type KindInput } from '../shared/elements'
import { macro, withoutMacros } from './escape'

/** Notation for dialogs, whose texts are plain. */
const NOTATION = { escape: withoutMacros, moment: macro }

type Element = Record<string, unknown>

/** Max choices shown at once; a longer list opens on demand */
const MAX_EXPANDED = 10

export interface AdaptiveCard extends Element {
  type: 'AdaptiveCard'
  body: Element[]
}

/** Teams' names (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features) of the SDK's button styles. */
const STYLES: Readonly<Record<string, string>> = { primary: 'positive', danger: 'destructive' }

/**
 * Builds the Adaptive Card of a card. Form text becomes runs of a `RichTextBlock`, which have no markup: the
 * `TextBlock` and `FactSet` that the SDK renders interpret markdown
 * (https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format).
 */
export function adaptiveCard({ title, children }: CardElement): AdaptiveCard {
  return cardOf([
    ...title ? [renderLiteral({ text: title, weight: 'Bolder', size: 'Large' })] : [],
    ...children.flatMap(renderElements),
  ])
}

export function cardActivity(card: CardElement, summary: string): object {
  return { type: 'message', summary, attachments: [attachmentOf(adaptiveCard(card))] }
}

export function attachmentOf(content: AdaptiveCard) {
  return { contentType: 'application/vnd.microsoft.card.adaptive', content }
}

/** Data that a dialog's submit button sends back with the inputs. */
export interface DialogData {
  /** The form as it was shown, without its values. */
  modal: ModalElement
  contextId: string
}

/** Adaptive Card of a modal made of text and inputs, with the errors in them. */
export function dialogCard(
  modal: ModalElement, contextId: string, errors: Readonly<Record<string, string>> = {},
): AdaptiveCard {
  const inputs = inputsOf(modal)
  const emptyModal = refilled(modal, {})
  const data = {
    // Default for clients that omit emptied inputs: without it, the old values would come back.
    ...Object.fromEntries(inputs.map(({ id }) => [id, ''])),
    dialog: { modal: emptyModal, contextId } satisfies DialogData,
  }
  const formErrors = Object.entries(errors).filter(([id]) => !inputs.some(input => input.id === id))
  return {
    ...cardOf([
      ...formErrors.map(([, error]) => renderProblem(error)),
      ...modal.children.flatMap(child => renderModalChild(child, errors, textsOf(modal))),
    ]),
    actions: [{ type: 'Action.Submit', title: modal.submitLabel ?? 'Submit', style: 'positive', data }],
  }
}

export function inputsOf({ children }: ModalElement): Input[] {
  return children.filter(isInput)
}

/** Returns the modal with these values in its inputs, and the others empty. */
export function refilled(modal: ModalElement, values: Readonly<Record<string, string>>): ModalElement {
  return { ...modal, children: modal.children.map(child => isInput(child) ? fill(child, values[child.id]) : child) }
}

function fill(input: Input, value: string | undefined): Input {
  switch (input.type) {
    case 'select': case 'radio_select': return { ...input, initialOption: value }
    case 'number_input': return { ...input, initialValue: value ? Number(value) : undefined }
    default: return { ...input, initialValue: value }
  }
}

function renderElements(child: CardChild): Element[] {
  switch (child.type) {
    case 'fields': return child.children.map(({ label, value }) => renderLiteral(
      { text: label, weight: 'Bolder' }, { text: `\n${value}` },
    ))
    case 'text': return [renderLiteral({
      text: child.content, isSubtle: child.style === 'muted', ...child.style === 'bold' ? { weight: 'Bolder' } : {},
    })]
    // Labels and addresses of links are our own, so markdown is safe.
    case 'link': return [{ type: 'TextBlock', text: `[${child.label}](${child.url})`, wrap: true }]
    case 'image': return [{ type: 'Image', url: child.url, altText: child.alt, size: 'Large' }]
    case 'divider': return [{ type: 'Container', items: [], separator: true }]
    case 'section': return child.children.flatMap(renderElements)
    case 'actions': return [renderActions(child)]
    default: return []
  }
}

function renderActions({ children }: ActionsElement): Element {
  const actions = children.flatMap((child): Element[] => {
    if (child.type === 'link-button') return [{ type: 'Action.OpenUrl', title: child.label, url: child.url }]
    if (child.type !== 'button') return []
    const data = {
      actionId: child.id, value: child.value,
      ...child.actionType === 'modal' ? { msteams: { type: 'task/fetch' } } : {},
    }
    return [{
      type: 'Action.Submit', title: child.label,
      ...child.style && child.style in STYLES ? { style: STYLES[child.style] } : {}, data,
    }]
  })
  return { type: 'ActionSet', actions }
}

function renderModalChild(
  child: ModalChild, errors: Readonly<Record<string, string>>, texts: Texts,
): Element[] {
  if (child.type === 'text') return [renderLiteral({ text: lineText(lineOf(child), NOTATION) })]
  if (!isInput(child)) return []
  const { id, label, optional } = child
  // Without a message, Teams marks an empty input only by its color.
  const requirement = !optional && { isRequired: true, errorMessage: texts('field.required') }
  const input = { id, label, ...requirement, ...renderInput(child) }
  return errors[id] ? [renderProblem(errors[id]), input] : [input]
}

/** https://adaptivecards.io/explorer/TextInputStyle.html */
const KIND_STYLES: Readonly<Record<TextKind, string>> = { email: 'Email', url: 'Url', tel: 'Tel' }

/** https://adaptivecards.io/explorer */
function renderInput(input: Input): Element {
  switch (input.type) {
    case 'select': case 'radio_select': return {
      type: 'Input.ChoiceSet', style: input.type === 'select' ? 'compact' : 'expanded',
      value: input.initialOption ?? '', choices: input.options.map(({ label: title, value }) => ({ title, value })),
    }
    case 'date_input': return { type: 'Input.Date', value: input.initialValue ?? '' }
    case 'number_input': {
      const { initialValue: value, min, max } = input
      const numbers = Object.entries({ value, min, max }).filter(([, number]) => Number.isFinite(number))
      return { type: 'Input.Number', ...Object.fromEntries(numbers) }
    }
    case 'text_input': {
      const { initialValue, multiline, maxLength, placeholder, kind, choices } = input as KindInput & ChoicesInput
      if (choices) return renderChoices(choices, initialValue)
      return {
        type: 'Input.Text', value: initialValue ?? '', isMultiline: multiline ?? false,
        ...maxLength ? { maxLength } : {}, ...placeholder ? { placeholder } : {},
        ...kind && { style: KIND_STYLES[kind] },
      }
    }
  }
}

/** Uses positions as values, because Teams joins the chosen values with commas. */
function renderChoices(choices: readonly string[], initialValue = ''): Element {
  const positions = initialValue.split('\n').map(choice => choices.indexOf(choice)).filter(position => position >= 0)
  return {
    type: 'Input.ChoiceSet', style: choices.length > MAX_EXPANDED ? 'compact' : 'expanded', isMultiSelect: true,
    value: positions.join(','), choices: choices.map((title, position) => ({ title, value: String(position) })),
  }
}

/** Value of a client's input in the SDK's format: several choices become one per line */
export function inputValue(input: Input, sentValue: unknown): string {
  const text = ['string', 'number'].includes(typeof sentValue) ? String(sentValue) : ''
  const { choices } = input as ChoicesInput
  return choices ? text.split(',').flatMap(position => choices[Number(position || NaN)] ?? []).join('\n') : text
}

function renderProblem(text: string): Element {
  return renderLiteral({ text, color: 'Attention' })
}

/** Text without markup. */
function renderLiteral(...runs: ({ text: string } & Element)[]): Element {
  return { type: 'RichTextBlock', inlines: runs.map(run => ({ type: 'TextRun', ...run })) }
}

function cardOf(body: Element[]): AdaptiveCard {
  return {
    type: 'AdaptiveCard', $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', version: '1.5',
    msteams: { width: 'Full' }, body,
  }
}
