import type { Block } from './slack'

/**
 * What Slack would refuse about a message or a view, by its published limits
 * (https://docs.slack.dev/reference/block-kit/blocks, …/block-elements, …/views/modal-views); empty when it is fine.
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

/** What Slack would refuse about a modal. */
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

/** All text that a message shows, in order. */
export function blockText(value: unknown): string {
  if (Array.isArray(value)) return value.map(blockText).join('')
  if (typeof value !== 'object' || value === null) return ''
  return Object.entries(value).map(([key, inner]) => key === 'text' && typeof inner === 'string'
    ? inner
    : blockText(inner)).join('')
}

/**
 * Text that Slack would interpret instead of showing it: mrkdwn, and plain text with emoji, other than our own buttons.
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
  return (
    elements as Block[]
  ).flatMap(element => element.type === 'text' && typeof element.text === 'string' && element.text.length > 0
    ? []
    : [`rich text ${JSON.stringify(element).slice(0, 60)}`])
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

function inputProblems({ type, initial_value: initial = '', max_length: max = 3000, action_id: id }: Block): string[] {
  const problems: string[] = []
  if (type !== 'plain_text_input') problems.push(`unexpected input ${type}`)
  if (initial.length > 3000 || initial.length > max) problems.push(`initial_value of ${initial.length}`)
  if (max > 3000) problems.push(`max_length ${max}`)
  if (!id || id.length > 255) problems.push('action_id missing or over 255')
  return problems
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
