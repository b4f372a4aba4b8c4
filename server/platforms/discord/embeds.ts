import type { ButtonElement, CardChild, FieldElement, SectionElement } from 'chat'
import type { CardState } from '../../ports/board'
import type { StateCard } from '../shared/elements'
import { chunk } from '../shared/text'

/** Discord's blurple, which the SDK's own cards have, too */
const BLURPLE = 0x5865F2

/** Edge colour of a card by the state of its submission; the title names the state, too */
const COLOURS: Readonly<Record<CardState, number>> = {
  new: BLURPLE, failed: 0xED4245, forwarding: 0xFEE75C, forwarded: 0x57F287, spam: 0x992D22, expired: 0xE67E22,
  erased: 0x4E5058, gone: 0x95A5A6,
}

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const FIELDS_PER_EMBED = 25
const DESCRIPTION_LENGTH = 4096

/** https://discord.com/developers/docs/components/reference#action-row */
const BUTTONS_PER_ROW = 5

const BUTTON_STYLES = { primary: 1, default: 2, danger: 4 } as const

export interface Embed {
  color: number
  title?: string
  url?: string
  description?: string
  fields?: { name: string, value: string }[]
  /** Shown below all other parts of the embed */
  image?: { url: string }
}

export interface ActionRow {
  type: 1
  components: object[]
}

/**
 * Builds embeds and buttons of a card whose texts are markdown. Text below fields or a picture starts another embed, so
 * that it stays below them. So does text that exceeds the current embed.
 */
export function cardEmbeds(card: StateCard): { embeds: Embed[], components: ActionRow[] } {
  const color = card.state ? COLOURS[card.state] : BLURPLE
  const embeds: Embed[] = [{ color, ...card.title ? { title: card.title } : {} }]
  const components: ActionRow[] = []
  for (const child of card.children) {
    if (child.type === 'fields') addFields(embeds, child.children)
    else if (child.type === 'image') addPicture(embeds, child.url)
    else if (child.type === 'section') embeds.push({ color, ...sectionEmbed(child) })
    else if (child.type !== 'actions') addText(embeds, textOf(child))
    for (const part of child.type === 'section' ? child.children : [child]) {
      if (part.type === 'actions') components.push(...buttonRows(part.children.filter(isButton)))
    }
  }
  return { embeds, components }
}

/** Joins action id and value; the SDK's adapter splits them again (`decodeDiscordCustomId`). At most 100 characters. */
export function buttonId({ id, value }: Pick<ButtonElement, 'id' | 'value'>): string {
  return value ? `${id}\n${value}` : id
}

/** https://discord.com/developers/docs/resources/message#allowed-mentions-object */
export function allowed(mention: string): object {
  const listIds = (pattern: RegExp) => [...mention.matchAll(pattern)].map(([, id]) => id)
  const parse = /@here|@everyone/.test(mention) ? ['everyone'] : []
  return { parse, users: listIds(/<@!?(\d+)>/g), roles: listIds(/<@&(\d+)>/g) }
}

function addFields(embeds: Embed[], fields: readonly FieldElement[]): void {
  for (const { label, value } of fields) {
    if (embeds.at(-1)!.fields?.length === FIELDS_PER_EMBED) embeds.push({ color: embeds[0]!.color })
    ;(embeds.at(-1)!.fields ??= []).push({ name: ensureVisible(label, '(no name)'), value: ensureVisible(value, '—') })
  }
}

/** Starts another embed if the last one has a picture: each holds only one. */
function addPicture(embeds: Embed[], url: string): void {
  if (embeds.at(-1)!.image) embeds.push({ color: embeds[0]!.color })
  embeds.at(-1)!.image = { url }
}

/** Embed of a field with a link. The link is in the field's name, so that nobody takes it for the next field's link. */
function sectionEmbed({ children }: SectionElement): Pick<Embed, 'title' | 'url' | 'description'> {
  const [field] = children.flatMap(child => child.type === 'fields' ? child.children : [])
  const link = children.find(child => child.type === 'link')
  return {
    title: ensureVisible(field?.label ?? '', '(no name)'), description: ensureVisible(field?.value ?? '', '—'),
    ...link && { url: link.url },
  }
}

function addText(embeds: Embed[], text: string): void {
  if (!text.trim()) return
  const lastEmbed = embeds.at(-1)!
  const description = lastEmbed.description ? `${lastEmbed.description}\n${text}` : text
  const isFull = description.length > DESCRIPTION_LENGTH
  if (lastEmbed.fields || lastEmbed.image || isFull) embeds.push({ color: embeds[0]!.color, description: text })
  else lastEmbed.description = description
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
  const buttonComponents = buttons.map(button => ({
    type: 2, style: BUTTON_STYLES[button.style ?? 'default'], label: button.label, custom_id: buttonId(button),
  }))
  return chunk(buttonComponents, BUTTONS_PER_ROW).map(components => ({ type: 1, components }))
}

/** Replaces text without visible characters, because Discord refuses such a field. */
function ensureVisible(text: string, placeholder: string): string {
  return /[^\s\p{Cc}\p{Cf}]/u.test(text) ? text : placeholder
}
