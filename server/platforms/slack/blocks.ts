import { cardToBlockKit, type SlackCardElement } from '@chat-adapter/slack/blocks'
import type { CardChild, CardElement, FieldElement, ModalChild, ModalElement } from 'chat'

type Block = Record<string, unknown>

/**
 * Block Kit of a card. Text and fields become `rich_text` or `plain_text`, which Slack shows literally: the
 * `mrkdwn` that the SDK renders would obey `<!channel>`, `*bold*`, `:smile:` and bare links of a form.
 */
export function cardBlocks(card: CardElement): Block[] {
  const header = card.title ? [{ type: 'header', text: literal(card.title) }] : []
  return [...header, ...card.children.flatMap(childBlocks)]
}

function childBlocks(child: CardChild): Block[] {
  switch (child.type) {
    case 'fields': return [{ type: 'rich_text', elements: child.children.map(fieldSection) }]
    case 'text': return [child.style === 'muted'
      ? { type: 'context', elements: [literal(child.content)] }
      : { type: 'section', text: literal(child.content) }]
    default: return cardToBlockKit({ type: 'card', children: [child] } as SlackCardElement)
  }
}

function fieldSection({ label, value }: FieldElement): Block {
  return {
    type: 'rich_text_section',
    elements: [
      { type: 'text', text: label, style: { bold: true } },
      { type: 'text', text: `\n${value}\n` },
    ],
  }
}

/**
 * The view of a modal made of inputs and text, literal like the cards.
 *
 * @param contextId the SDK's key of the modal's context; travels with `privateMetadata` in the shape that its
 * `view_submission` handling reads back
 */
export function modalView(modal: ModalElement, contextId: string | undefined): Block {
  const inputs = modal.children.some(child => child.type === 'text_input')
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

/** Whether `modalView` knows every element of the modal. */
export function isPlainModal(modal: ModalElement): boolean {
  return modal.children.every(child => child.type === 'text_input' || child.type === 'text')
}

function viewBlock(child: ModalChild): Block {
  if (child.type === 'text') return { type: 'section', text: literal(child.content) }
  if (child.type !== 'text_input') throw new TypeError(`A plain modal has no ${child.type}.`)
  return {
    type: 'input',
    block_id: child.id,
    optional: child.optional ?? false,
    label: literal(child.label),
    element: {
      type: 'plain_text_input',
      action_id: child.id,
      multiline: child.multiline ?? false,
      ...child.initialValue ? { initial_value: child.initialValue } : {},
      ...child.maxLength ? { max_length: child.maxLength } : {},
    },
  }
}

function literal(text: string): Block {
  return { type: 'plain_text', text, emoji: false }
}
