import { cardToBlockKit, type SlackCardElement } from '@chat-adapter/slack/blocks'
import type { TextKind } from '../../../shared/field-types/row'
import type { Timestamp } from '../../../shared/types/line'
import { isInput, type Input } from '../../../shared/utils/inputs'
import { inUtc, richParts, rich } from '../../../shared/utils/line'
import type { ChoicesInput, KindInput, LineElement, LineField } from '../shared/elements'
import type {
  CardChild, CardElement, ModalChild, ModalElement, SectionElement, SelectOptionElement, TextInputElement,
} from 'chat'

type Block = Record<string, unknown>

/**
 * Block Kit of a card. Text and fields become `rich_text` or `plain_text`, which Slack shows literally. The SDK renders
 * `mrkdwn`, in which `<!channel>`, `*bold*`, `:smile:` and bare links of a form would take effect.
 */
export function cardBlocks(card: CardElement): Block[] {
  const header = card.title ? [{ type: 'header', text: toPlainText(card.title) }] : []
  return [...header, ...card.children.flatMap(renderChild)]
}

function renderChild(child: CardChild): Block[] {
  switch (child.type) {
    case 'fields': return [{ type: 'rich_text', elements: child.children.map(renderField) }]
    case 'text': return [renderText(child)]
    case 'section': return renderSection(child)
    default: return cardToBlockKit({ type: 'card', children: [child] } as SlackCardElement)
  }
}

/** Puts a divider above the section, and a single button to the right of its link. */
function renderSection({ children }: SectionElement): Block[] {
  return children.flatMap(renderChild).reduce<Block[]>((blocks, block) => {
    const lastBlock = blocks.at(-1)!
    const [button, ...otherButtons] = block.type === 'actions' ? block.elements as Block[] : []
    return button && otherButtons.length === 0 && lastBlock.type === 'section'
      ? [...blocks.slice(0, -1), { ...lastBlock, accessory: button }]
      : [...blocks, block]
  }, [{ type: 'divider' }])
}

const FORMATS: Readonly<Record<Timestamp['shows'], string>> = {
  date: '{date_short}, {time}', clock: '{time}', seconds: '{time_secs}',
}

/** Uses `rich_text` for timestamps: no other block mixes them with literal text. */
function renderText({ content, style, line = content }: LineElement): Block {
  const parts = richParts(line)
  if (parts.some(part => typeof part !== 'string')) {
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: parts.map(renderPart) }] }
  }
  return style === 'muted'
    ? { type: 'context', elements: [toPlainText(content)] }
    : { type: 'section', text: toPlainText(content) }
}

/** https://docs.slack.dev/reference/block-kit/block-elements/date-element */
function renderPart(part: string | Timestamp): Block {
  return typeof part === 'string'
    ? { type: 'text', text: part }
    : { type: 'date', timestamp: Math.floor(part.at / 1000), format: FORMATS[part.shows], fallback: inUtc(part) }
}

function renderField({ label, value, line }: LineField): Block {
  return {
    type: 'rich_text_section',
    elements: [
      { type: 'text', text: label, style: { bold: true } },
      ...line ? richParts(rich`\n${line}\n`).map(renderPart) : [renderPart(`\n${value}\n`)],
    ],
  }
}

/**
 * Builds the view of a modal from inputs and text. Text is literal, without Markdown, as on cards.
 *
 * @param contextId the SDK's key of the modal's context. It is sent with `privateMetadata` in the format that the SDK
 * reads back from a `view_submission`
 */
export function modalView(modal: ModalElement, contextId: string | undefined): Block {
  const hasInputs = modal.children.some(isInput)
  return {
    type: 'modal',
    callback_id: modal.callbackId,
    title: toPlainText(modal.title),
    close: toPlainText(modal.closeLabel ?? 'Cancel'),
    ...hasInputs || modal.callbackId !== 'notice' ? { submit: toPlainText(modal.submitLabel ?? 'Submit') } : {},
    private_metadata: JSON.stringify({ c: contextId, m: modal.privateMetadata }),
    blocks: modal.children.map(renderViewChild),
  }
}

/** True if `modalView` supports every element of the modal. */
export function isPlainModal(modal: ModalElement): boolean {
  return modal.children.every(child => child.type === 'text' || isInput(child))
}

function renderViewChild(child: ModalChild): Block {
  if (child.type === 'text') return renderText(child)
  if (!isInput(child)) throw new TypeError(`A plain modal can't contain ${child.type}.`)
  return {
    type: 'input',
    block_id: child.id,
    optional: child.optional ?? false,
    label: toPlainText(child.label),
    element: { action_id: child.id, ...renderInput(child) },
  }
}

/** https://docs.slack.dev/reference/block-kit/block-elements */
function renderInput(input: Input): Block {
  switch (input.type) {
    case 'text_input': return renderTextInput(input)
    case 'select': return { type: 'static_select', ...optionsOf(input) }
    case 'radio_select': return { type: 'radio_buttons', ...optionsOf(input) }
    case 'date_input': return { type: 'datepicker', ...input.initialValue && { initial_date: input.initialValue } }
    case 'number_input': return {
      type: 'number_input', is_decimal_allowed: input.decimal ?? false,
      ...asText('initial_value', input.initialValue), ...asText('min_value', input.min),
      ...asText('max_value', input.max),
    }
  }
}

const INPUT_TYPES: Readonly<Partial<Record<TextKind, string>>> = { email: 'email_text_input', url: 'url_text_input' }

function renderTextInput(
  { kind, choices, initialValue = '', multiline = false, maxLength }: TextInputElement & KindInput & ChoicesInput,
): Block {
  if (choices) return renderChoices(choices, initialValue)
  const initial = initialValue ? { initial_value: initialValue } : {}
  const type = kind && INPUT_TYPES[kind]
  return type
    ? { type, ...initial }
    : { type: 'plain_text_input', multiline, ...initial, ...maxLength ? { max_length: maxLength } : {} }
}

function optionsOf({ options, initialOption }: Extract<Input, { type: 'select' | 'radio_select' }>): Block {
  const toOption = ({ label, value }: SelectOptionElement) => ({ text: toPlainText(label), value })
  const initialSelection = options.find(({ value }) => value === initialOption)
  return { options: options.map(toOption), ...initialSelection && { initial_option: toOption(initialSelection) } }
}

/** https://docs.slack.dev/reference/block-kit/block-elements/multi-select-menu-element */
function renderChoices(choices: readonly string[], initialValue: string): Block {
  const toOption = (choice: string) => ({ text: toPlainText(choice), value: choice })
  const initialChoices = initialValue.split('\n').filter(choice => choices.includes(choice))
  return {
    type: 'multi_static_select', options: choices.map(toOption),
    ...initialChoices.length > 0 && { initial_options: initialChoices.map(toOption) },
  }
}

function asText(name: string, number: number | undefined): Block {
  return number === undefined ? {} : { [name]: String(number) }
}

function toPlainText(text: string): Block {
  return { type: 'plain_text', text, emoji: false }
}
