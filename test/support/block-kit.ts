import { broken, isRepeated } from './rules'
import type { Block } from './slack'

/**
 * Returns the reasons why Slack would refuse a message or a view; empty if valid. Checks the published limits, which
 * Slack's own types lack (https://docs.slack.dev/reference/block-kit/blocks, …/block-elements, …/views/modal-views).
 */
export function blockKitProblems(
  { blocks, text }: { blocks: Block[], text?: string }, surface: 'message' | 'modal' = 'message',
): string[] {
  const isMessage = surface === 'message'
  return [
    ...broken({
      [`${blocks.length} blocks`]: isOutside(blocks, isMessage ? 50 : 100),
      'block_id repeated': isRepeated(blocks.map(({ block_id: id }) => id as unknown)),
      'msg_blocks_too_long': isMessage && blockText(blocks).length > 13_200,
      'text over the 4,000 bytes that chat.update takes': isMessage && Buffer.byteLength(text ?? '') > 4000,
    }),
    ...blocks.flatMap((block, index) => blockProblems(block).map(
      problem => `block ${index} (${block.type}): ${problem}`,
    )),
  ]
}

/** Returns the reasons why Slack would refuse a modal. */
export function viewProblems(view: Block): string[] {
  const blocks = view.blocks as Block[]
  return [
    ...blockKitProblems({ blocks }, 'modal'),
    ...['title', 'submit', 'close'].flatMap(part => view[part] ? textProblems(view[part] as Block, 24) : []),
    ...broken({
      'inputs without submit': !view.submit && blocks.some(({ type }) => type === 'input'),
      'private_metadata over 3,000': view.private_metadata?.length > 3000,
      'callback_id over 255': view.callback_id?.length > 255,
      'view over 250 KB': Buffer.byteLength(JSON.stringify(view)) > 250_000,
    }),
  ]
}

/** Returns all text of a message, in order. For timestamps, it is the fallback for clients that can't format them. */
export function blockText(value: unknown): string {
  if (Array.isArray(value)) return value.map(blockText).join('')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value).map(([key, inner]) => (key === 'text' || key === 'fallback') && typeof inner === 'string'
    ? inner
    : blockText(inner)).join('')
}

/**
 * Returns texts that Slack would interpret as markup or emoji instead of showing them literally. Leaves out buttons,
 * because their texts are our own.
 */
export function interpreted(value: unknown): string {
  if (Array.isArray(value)) return value.map(interpreted).join('')
  if (typeof value !== 'object' || value === null) return ''
  const { type, emoji, text } = value as { type?: string, emoji?: boolean, text?: string }
  if (type === 'button') return ''
  if (typeof text === 'string' && (type === 'mrkdwn' || (type === 'plain_text' && emoji !== false))) return text
  return Object.values(value).map(interpreted).join('')
}

const isOutside = ({ length }: { length: number }, most: number): boolean => length < 1 || length > most

function blockProblems({ type, block_id: id, text, fields, elements, label, element, ...image }: Block): string[] {
  const parts = (elements ?? []) as Block[]
  return [
    ...broken({
      'block_id over 255': id?.length > 255,
      'neither text nor fields': type === 'section' && !text && !fields,
      'not 1 to 10 fields': fields && isOutside(fields as Block[], 10),
      'too few or too many elements': elements && isOutside(parts, ELEMENTS[type] ?? 0),
      'image_url': type === 'image' && !/^https:\/\/\S{1,2992}$/.test(image.image_url),
      'alt_text': type === 'image' && isOutside(image.alt_text ?? '', 2000),
    }),
    ...text ? textProblems(text as Block, type === 'header' ? 150 : 3000) : [],
    ...(fields ?? []).flatMap((field: Block) => textProblems(field, 2000)),
    ...type === 'context' ? parts.flatMap(part => textProblems(part, 3000)) : [],
    ...type === 'actions' ? parts.flatMap(buttonProblems) : [],
    ...type === 'rich_text' ? (parts.flatMap(part => part.elements) as Block[]).flatMap(richTextProblems) : [],
    ...type === 'input' ? [...textProblems(label as Block, 2000), ...inputProblems(element as Block)] : [],
  ]
}

/** Maximum number of elements of a block */
const ELEMENTS: Readonly<Record<string, number>> = { context: 10, actions: 25, rich_text: 1000 }

const richTextProblems = ({ type, text, timestamp, format }: Block) => broken({
  'a date without time or format': type === 'date' && !(Number.isInteger(timestamp) && format.includes('{')),
  'an empty text': type === 'text' && !text,
})

const buttonProblems = ({ text, value, action_id: id }: Block) => [
  ...textProblems(text as Block, 75),
  ...broken({ 'button value over 2,000': value?.length > 2000, 'action_id': isOutside(id ?? '', 255) }),
]

function inputProblems(element: Block): string[] {
  const { type, action_id: id, options, initial_value: initial, initial_date: date } = element
  const { initial_option: chosen, initial_options: allChosen = chosen && [chosen] } = element
  const { max_length: max = 3000, min_value: least = -Infinity, max_value: most = Infinity } = element
  const isNumber = type === 'number_input'
  const optionTexts = ((options ?? []) as Block[]).map(option => JSON.stringify(option))
  return [
    ...broken({
      'action_id': isOutside(id ?? '', 255),
      [`initial_date ${date}`]: date && !/^\d{4}-\d{2}-\d{2}$/.test(date),
      'too few or too many options': options && isOutside(options as Block[], type === 'radio_buttons' ? 10 : 100),
      'initial options that are none': allChosen?.length === 0
        || allChosen?.some((option: Block) => !optionTexts.includes(JSON.stringify(option))),
      'a number that is none': isNumber && [initial, least, most].some(
        number => typeof number === 'string' && !/^-?\d+(\.\d+)?$/.test(number),
      ),
      [`initial_value ${initial}`]: isNumber
        && (Number(initial) < Number(least) || Number(initial) > Number(most)
          || (!element.is_decimal_allowed && initial?.includes('.'))),
      'initial_value that is no address': (type === 'email_text_input' && initial && !initial.includes('@'))
        || (type === 'url_text_input' && initial && !URL.canParse(initial)),
      'initial_value too long': initial?.length > Math.min(3000, max), 'max_length over 3,000': max > 3000,
    }),
    ...(options ?? []).flatMap(({ text, value }: Block) => [
      ...textProblems(text as Block, 75), ...broken({ 'option value': isOutside(value ?? '', 150) }),
    ]),
  ]
}

function textProblems({ type, text }: Block, most: number): string[] {
  return broken({ [`${type} of ${text?.length}, at most ${most}`]: isOutside(text ?? '', most) })
}
