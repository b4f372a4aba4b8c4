import type { ButtonElement, CardChild, CardElement, FieldElement } from 'chat'

/** Discord's blurple, as the SDK's own cards have it. */
const COLOUR = 0x5865F2

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const FIELDS_PER_EMBED = 25

/** https://discord.com/developers/docs/components/reference#action-row */
const BUTTONS_PER_ROW = 5

const BUTTON_STYLES = { primary: 1, default: 2, danger: 4 } as const

interface Embed {
  color: number
  title?: string
  description?: string
  fields?: { name: string, value: string }[]
}

export interface ActionRow {
  type: 1
  components: object[]
}

/** Embeds and buttons of a card whose texts are markdown. Text below fields starts another embed: it stays below. */
export function cardMessage(card: CardElement): { embeds: Embed[], components: ActionRow[] } {
  const embeds: Embed[] = [{ color: COLOUR, ...card.title ? { title: card.title } : {} }]
  const components: ActionRow[] = []
  for (const child of card.children) {
    if (child.type === 'fields') addFields(embeds, child.children)
    else if (child.type === 'actions') components.push(...buttonRows(child.children.filter(isButton)))
    else addText(embeds, textOf(child))
  }
  return { embeds, components }
}

/** The SDK's adapter splits it into action id and value again (`decodeDiscordCustomId`). At most 100 characters. */
export function buttonId({ id, value }: Pick<ButtonElement, 'id' | 'value'>): string {
  return value ? `${id}\n${value}` : id
}

function addFields(embeds: Embed[], fields: readonly FieldElement[]): void {
  for (const { label, value } of fields) {
    if (embeds.at(-1)!.fields?.length === FIELDS_PER_EMBED) embeds.push({ color: COLOUR })
    ;(embeds.at(-1)!.fields ??= []).push({ name: visible(label, '(no name)'), value: visible(value, '—') })
  }
}

function addText(embeds: Embed[], text: string): void {
  if (!text.trim()) return
  if (embeds.at(-1)!.fields) embeds.push({ color: COLOUR })
  const last = embeds.at(-1)!
  last.description = last.description ? `${last.description}\n${text}` : text
}

function textOf(child: CardChild): string {
  switch (child.type) {
    case 'text': return child.content
    case 'link': return `[${child.label}](${child.url})`
    case 'divider': return ''
    default: throw new TypeError(`A card has no ${child.type} on Discord.`)
  }
}

function isButton(child: { type: string }): child is ButtonElement {
  return child.type === 'button'
}

function buttonRows(buttons: readonly ButtonElement[]): ActionRow[] {
  const all = buttons.map(button => ({
    type: 2, style: BUTTON_STYLES[button.style ?? 'default'], label: button.label, custom_id: buttonId(button),
  }))
  const rows = Array.from({ length: Math.ceil(all.length / BUTTONS_PER_ROW) }, (_, row) => row * BUTTONS_PER_ROW)
  return rows.map(from => ({ type: 1, components: all.slice(from, from + BUTTONS_PER_ROW) }))
}

/** Discord refuses a field without anything to see in it. */
function visible(text: string, otherwise: string): string {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text) ? text : otherwise
}
