import type { ActionsElement, CardChild, CardElement, ModalChild, ModalElement, TextInputElement } from 'chat'

type Element = Record<string, unknown>

export interface AdaptiveCard extends Element {
  type: 'AdaptiveCard'
  body: Element[]
}

/**
 * What the SDK's button styles are called (https://learn.microsoft.com/adaptive-cards/authoring-cards/text-features).
 */
const STYLES: Readonly<Record<string, string>> = { primary: 'positive', danger: 'destructive' }

/**
 * The Adaptive Card of a card. Form text becomes runs of a `RichTextBlock`, which know no markup: the `TextBlock` and
 * `FactSet` that the SDK renders obey markdown
 * (https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format).
 */
export function adaptiveCard({ title, children }: CardElement): AdaptiveCard {
  return cardOf([
    ...title ? [literal({ text: title, weight: 'Bolder', size: 'Large' })] : [], ...children.flatMap(elements),
  ])
}

/** What a dialog's submit button sends back beside the inputs. */
export interface DialogData {
  /** The form as it was asked, without its values. */
  modal: ModalElement
  contextId: string
}

/** The Adaptive Card of a modal made of text and text inputs, with what is wrong with them. */
export function dialogCard(
  modal: ModalElement, contextId: string, errors: Readonly<Record<string, string>> = {},
): AdaptiveCard {
  const inputs = textInputs(modal)
  const bare = {
    ...modal,
    children: modal.children.map(child => child.type === 'text_input' ? { ...child, initialValue: undefined } : child),
  }
  const data = {
    // A client that leaves out emptied inputs would undo the emptying.
    ...Object.fromEntries(inputs.map(({ id }) => [id, ''])),
    dialog: { modal: bare, contextId } satisfies DialogData,
  }
  const loose = Object.entries(errors).filter(([id]) => !inputs.some(input => input.id === id))
  return {
    ...cardOf([
      ...loose.map(([, error]) => problem(error)), ...modal.children.flatMap(child => modalElements(child, errors)),
    ]),
    actions: [{ type: 'Action.Submit', title: modal.submitLabel ?? 'Submit', style: 'positive', data }],
  }
}

export function textInputs({ children }: ModalElement): TextInputElement[] {
  return children.filter(child => child.type === 'text_input')
}

function elements(child: CardChild): Element[] {
  switch (child.type) {
    case 'fields': return child.children.map(({ label, value }) => literal(
      { text: label, weight: 'Bolder' }, { text: `\n${value}` },
    ))
    case 'text': return [literal({
      text: child.content, isSubtle: child.style === 'muted', ...child.style === 'bold' ? { weight: 'Bolder' } : {},
    })]
    // Labels and addresses of links are our own.
    case 'link': return [{ type: 'TextBlock', text: `[${child.label}](${child.url})`, wrap: true }]
    case 'divider': return [{ type: 'Container', items: [], separator: true }]
    case 'section': return child.children.flatMap(elements)
    case 'actions': return [actionSet(child)]
    default: return []
  }
}

function actionSet({ children }: ActionsElement): Element {
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

function modalElements(child: ModalChild, errors: Readonly<Record<string, string>>): Element[] {
  if (child.type === 'text') return [literal({ text: child.content })]
  if (child.type !== 'text_input') return []
  const { id, label, initialValue, multiline, maxLength, optional, placeholder } = child
  const input = {
    type: 'Input.Text', id, label, value: initialValue ?? '', isMultiline: multiline ?? false, isRequired: !optional,
    ...maxLength ? { maxLength } : {}, ...placeholder ? { placeholder } : {},
  }
  return errors[id] ? [problem(errors[id]), input] : [input]
}

function problem(text: string): Element {
  return literal({ text, color: 'Attention' })
}

/** Text as it stands. */
function literal(...runs: ({ text: string } & Element)[]): Element {
  return { type: 'RichTextBlock', inlines: runs.map(run => ({ type: 'TextRun', ...run })) }
}

function cardOf(body: Element[]): AdaptiveCard {
  return {
    type: 'AdaptiveCard', $schema: 'http://adaptivecards.io/schemas/adaptive-card.json', version: '1.5',
    msteams: { width: 'Full' }, body,
  }
}
