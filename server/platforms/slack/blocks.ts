import { cardToBlockKit, type SlackCardElement } from '@chat-adapter/slack/blocks'
import type { Timestamp } from '../../../shared/types/line'
import { isInput, type Input } from '../../../shared/utils/inputs'
import { inUtc, richParts, rich } from '../../../shared/utils/line'
import type { KindInput, LineElement, LineField } from '../shared/elements'
import type {
  CardChild, CardElement, ModalChild, ModalElement, SectionElement, SelectOptionElement, TextInputElement,
} from 'chat'

type Block = Record<string, unknown>

/**
 * Block Kit of a card. Text and fields become `rich_text` or `plain_text`, which Slack shows literally. The SDK renders
 * `mrkdwn`, in which `<!channel>`, `*bold*`, `:smile:` and bare links of a form would take effect.
 */
export function cardBlocks(card: CardElement): Block[] {
  const header = card.title ? [{ type: 'header', text: literal(card.title) }] : []
  return [...header, ...card.children.flatMap(childBlocks)]
}

function childBlocks(child: CardChild): Block[] {
  switch (child.type) {
    case 'fields': return [{ type: 'rich_text', elements: child.children.map(fieldSection) }]
    case 'text': return [textBlock(child)]
    case 'section': return sectionBlocks(child)
    default: return cardToBlockKit({ type: 'card', children: [child] } as SlackCardElement)
  }
}

/** Puts a divider above the section, and a single button to the right of its link. */
function sectionBlocks({ children }: SectionElement): Block[] {
  return children.flatMap(childBlocks).reduce<Block[]>((above, block) => {
    const last = above.at(-1)!
    const [button, ...more] = block.type === 'actions' ? block.elements as Block[] : []
    return button && more.length === 0 && last.type === 'section'
      ? [...above.slice(0, -1), { ...last, accessory: button }]
      : [...above, block]
  }, [{ type: 'divider' }])
}

const FORMATS: Readonly<Record<Timestamp['shows'], string>> = {
  date: '{date_short}, {time}', clock: '{time}', seconds: '{time_secs}',
}

/** Uses `rich_text` for timestamps: no other block mixes them with literal text. */
function textBlock({ content, style, line = content }: LineElement): Block {
  const parts = richParts(line)
  if (parts.some(part => typeof part !== 'string')) {
    return { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: parts.map(linePart) }] }
  }
  return style === 'muted'
    ? { type: 'context', elements: [literal(content)] }
    : { type: 'section', text: literal(content) }
}

/** https://docs.slack.dev/reference/block-kit/block-elements/date-element */
function linePart(part: string | Timestamp): Block {
  return typeof part === 'string'
    ? { type: 'text', text: part }
    : { type: 'date', timestamp: Math.floor(part.at / 1000), format: FORMATS[part.shows], fallback: inUtc(part) }
}

function fieldSection({ label, value, line }: LineField): Block {
  return {
    type: 'rich_text_section',
    elements: [
      { type: 'text', text: label, style: { bold: true } },
      ...line ? richParts(rich`\n${line}\n`).map(linePart) : [linePart(`\n${value}\n`)],
    ],
  }
}

/**
 * Builds the view of a modal from inputs and text. Text is literal, without Markdown, as on cards.
 *
 * @param contextId the SDK's key of the modal's context; it travels with `privateMetadata` in the shape that the SDK's
 * `view_submission` handling reads back
 */
export function modalView(modal: ModalElement, contextId: string | undefined): Block {
  const inputs = modal.children.some(isInput)
  return {
    type: 'modal',
    callback_id: modal.callbackId,
    title: literal(modal.title),
    close: literal(modal.closeLabel ?? 'Cancel'),
    ...inputs || modal.callbackId !== 'notice' ? { submit: literal(modal.submitLabel ?? 'Submit') } : {},
    private_metadata: JSON.stringify({ c: contextId, m: modal.privateMetadata }),
    blocks: modal.children.map(viewBlock),
  }
}

/** True if `modalView` supports every element of the modal. */
export function isPlainModal(modal: ModalElement): boolean {
  return modal.children.every(child => child.type === 'text' || isInput(child))
}

function viewBlock(child: ModalChild): Block {
  if (child.type === 'text') return textBlock(child)
  if (!isInput(child)) throw new TypeError(`A plain modal has no ${child.type}.`)
  return {
    type: 'input',
    block_id: child.id,
    optional: child.optional ?? false,
    label: literal(child.label),
    element: { action_id: child.id, ...inputElement(child) },
  }
}

/** https://docs.slack.dev/reference/block-kit/block-elements */
function inputElement(input: Input): Block {
  switch (input.type) {
    case 'text_input': return textElement(input)
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

const KINDS: Readonly<Partial<Record<NonNullable<KindInput['kind']>, string>>> = {
  email: 'email_text_input', url: 'url_text_input',
}

function textElement({ kind, initialValue, multiline = false, maxLength }: TextInputElement & KindInput): Block {
  const initial = initialValue ? { initial_value: initialValue } : {}
  const type = kind && KINDS[kind]
  return type
    ? { type, ...initial }
    : { type: 'plain_text_input', multiline, ...initial, ...maxLength ? { max_length: maxLength } : {} }
}

function optionsOf({ options, initialOption }: Extract<Input, { type: 'select' | 'radio_select' }>): Block {
  const option = ({ label, value }: SelectOptionElement) => ({ text: literal(label), value })
  const initial = options.find(({ value }) => value === initialOption)
  return { options: options.map(option), ...initial && { initial_option: option(initial) } }
}

function asText(name: string, number: number | undefined): Block {
  return number === undefined ? {} : { [name]: String(number) }
}

function literal(text: string): Block {
  return { type: 'plain_text', text, emoji: false }
}
