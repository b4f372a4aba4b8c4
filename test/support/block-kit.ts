import type { Block } from './slack'

/**
 * Returns the reasons why Slack would refuse a message or a view, by its published limits
 * (https://docs.slack.dev/reference/block-kit/blocks, …/block-elements, …/views/modal-views); empty if valid.
 */
export function blockKitProblems(
  { blocks, text }: { blocks: Block[], text?: string }, surface: 'message' | 'modal' = 'message',
): string[] {
  const problems: string[] = []
  const check = (ok: boolean, problem: string) => void (ok || problems.push(problem))
  check(blocks.length >= 1 && blocks.length <= (surface === 'message' ? 50 : 100), `${blocks.length} blocks`)
  for (const [index, block] of blocks.entries()) {
    problems.push(...blockProblems(block).map(problem => `block ${index} (${block.type}): ${problem}`))
  }
  const ids = blocks.flatMap(({ block_id }) => block_id ?? [])
  check(new Set(ids).size === ids.length, 'block_id repeated')
  if (surface === 'message') {
    check(
      blockText(blocks).length <= 13_200, `${blockText(blocks).length} characters of block text: msg_blocks_too_long`,
    )
    check(Buffer.byteLength(text ?? '') <= 4000, 'text over the 4,000 bytes that chat.update takes')
  }
  return problems
}

/** Returns the reasons why Slack would refuse a modal. */
export function viewProblems(view: Block): string[] {
  const problems = blockKitProblems({ blocks: view.blocks as Block[] }, 'modal')
  for (const part of ['title', 'submit', 'close']) {
    if (view[part]) problems.push(...plainText(view[part] as Block, 24).map(problem => `${part}: ${problem}`))
  }
  const inputs = (view.blocks as Block[]).some(({ type }) => type === 'input')
  if (inputs && !view.submit) problems.push('inputs without submit')
  if (String(view.private_metadata ?? '').length > 3000) problems.push('private_metadata over 3,000')
  if (String(view.callback_id ?? '').length > 255) problems.push('callback_id over 255')
  if (Buffer.byteLength(JSON.stringify(view)) > 250_000) problems.push('view over 250 KB')
  return problems
}

/** Returns all text that a message shows, in order; for timestamps, the fallback of clients that cannot format them. */
export function blockText(value: unknown): string {
  if (Array.isArray(value)) return value.map(blockText).join('')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value).map(([key, inner]) => (key === 'text' || key === 'fallback') && typeof inner === 'string'
    ? inner
    : blockText(inner)).join('')
}

/**
 * Returns text that Slack would interpret instead of showing it: mrkdwn and plain text with emoji, except our own
 * buttons.
 */
export function interpreted(value: unknown): string {
  if (Array.isArray(value)) return value.map(interpreted).join('')
  if (typeof value !== 'object' || value === null) return ''
  const { type, emoji, text } = value as { type?: string, emoji?: boolean, text?: string }
  if (type === 'button') return ''
  if (typeof text === 'string' && (type === 'mrkdwn' || (type === 'plain_text' && emoji !== false))) return text
  return Object.values(value).map(interpreted).join('')
}

function blockProblems(block: Block): string[] {
  const problems: string[] = String(block.block_id ?? '').length > 255 ? ['block_id over 255'] : []
  switch (block.type) {
    case 'header': return [...problems, ...plainText(block.text as Block, 150)]
    case 'divider': return problems
    case 'image': return [
      ...problems, .../^https:\/\/\S{1,2992}$/.test(String(block.image_url)) ? [] : ['image_url that is none'],
      ...String(block.alt_text ?? '').length > 0 && String(block.alt_text).length <= 2000 ? [] : ['alt_text'],
    ]
    case 'section': return [...problems, ...sectionProblems(block)]
    case 'context': return [
      ...problems, ...count(block.elements as Block[], 1, 10, 'elements'),
      ...(block.elements as Block[]).flatMap(element => textObject(element, 3000)),
    ]
    case 'actions': return [
      ...problems, ...count(block.elements as Block[], 1, 25, 'elements'),
      ...(block.elements as Block[]).flatMap(buttonProblems),
    ]
    case 'rich_text': return [
      ...problems, ...count(block.elements as Block[], 1, 1000, 'elements'),
      ...(block.elements as Block[]).flatMap(richTextProblems),
    ]
    case 'input': return [
      ...problems, ...plainText(block.label as Block, 2000), ...inputProblems(block.element as Block),
    ]
    default: return [...problems, `unknown block type ${block.type}`]
  }
}

function sectionProblems({ text, fields }: Block): string[] {
  if (!text && !fields) return ['neither text nor fields']
  return [
    ...text ? textObject(text as Block, 3000) : [],
    ...fields
      ? [...count(fields as Block[], 1, 10, 'fields'), ...(fields as Block[]).flatMap(field => textObject(field, 2000))]
      : [],
  ]
}

function richTextProblems({ type, elements }: Block): string[] {
  if (type !== 'rich_text_section') return [`unknown rich text element ${type}`]
  return (elements as Block[]).flatMap(element => isRichText(element)
    ? []
    : [`rich text ${JSON.stringify(element).slice(0, 60)}`])
}

function isRichText({ type, text, timestamp, format }: Block): boolean {
  return type === 'date'
    ? Number.isInteger(timestamp) && typeof format === 'string' && format.includes('{')
    : type === 'text' && typeof text === 'string' && text.length > 0
}

function buttonProblems(button: Block): string[] {
  if (button.type !== 'button') return [`unexpected element ${button.type}`]
  const problems = plainText(button.text as Block, 75)
  if (String(button.value ?? '').length > 2000) problems.push('button value over 2,000')
  if (!button.action_id || String(button.action_id).length > 255) problems.push('action_id missing or over 255')
  if (button.style !== undefined && button.style !== 'primary' && button.style !== 'danger') {
    problems.push(`button style ${button.style}`)
  }
  return problems
}

/** The limits of an input; Slack's own types, which every request is checked by, know its properties. */
function inputProblems(element: Block): string[] {
  const { action_id: id } = element
  return [...!id || id.length > 255 ? ['action_id missing or over 255'] : [], ...valueProblems(element)]
}

function valueProblems(element: Block): string[] {
  const { type, initial_value: initial, max_length: max = 3000, initial_date: date, options, initial_option } = element
  switch (type) {
    case 'datepicker': return date === undefined || /^\d{4}-\d{2}-\d{2}$/.test(date) ? [] : [`initial_date ${date}`]
    case 'static_select': case 'radio_buttons': return [
      ...count(options, 1, type === 'radio_buttons' ? 10 : 100, 'options'),
      ...(options as Block[]).flatMap(optionProblems),
      ...initial_option && !(options as Block[]).some(each => JSON.stringify(each) === JSON.stringify(initial_option))
        ? ['initial_option is none of the options']
        : [],
    ]
    case 'number_input': {
      const { is_decimal_allowed: isDecimal, min_value: min = -Infinity, max_value: max = Infinity } = element
      return [
        ...typeof isDecimal === 'boolean' ? [] : ['is_decimal_allowed missing'],
        ...['initial_value', 'min_value', 'max_value'].filter(
          name => element[name] !== undefined && !/^-?\d+(\.\d+)?$/.test(element[name]),
        ),
        ...Number(initial) < Number(min) || Number(initial) > Number(max) ? [`initial_value ${initial}`] : [],
        ...!isDecimal && initial?.includes('.') ? [`initial_value ${initial}`] : [],
      ]
    }
    case 'email_text_input': return initial === undefined || initial.includes('@') ? [] : [`initial_value ${initial}`]
    case 'url_text_input': return initial === undefined || URL.canParse(initial) ? [] : [`initial_value ${initial}`]
    default: return [
      ...(initial ?? '').length > Math.min(3000, max) ? [`initial_value of ${initial.length}`] : [],
      ...max > 3000 ? [`max_length ${max}`] : [],
    ]
  }
}

function optionProblems({ text, value }: Block): string[] {
  return [...plainText(text as Block, 75), ...value && value.length <= 150 ? [] : [`option value ${value}`]]
}

function textObject(text: Block, max: number): string[] {
  if (text.type === 'plain_text') return plainText(text, max)
  return text.type === 'mrkdwn' && text.text.length >= 1 && text.text.length <= max
    ? []
    : [`mrkdwn of ${text.text?.length}`]
}

function plainText(text: Block, max: number): string[] {
  return text.type === 'plain_text' && text.text.length >= 1 && text.text.length <= max
    ? []
    : [`plain_text of ${text.text?.length}, at most ${max}`]
}

function count(items: readonly unknown[], min: number, max: number, what: string): string[] {
  return items.length >= min && items.length <= max ? [] : [`${items.length} ${what}`]
}
