import { broken, isBlank, isRepeated } from '../rules'
import { DiscordError, refuse } from './problems'
import type { Json } from './types'

// Discord's rules that its API description lacks: discord-api-docs, developers/resources/message.mdx and
// developers/components/reference.mdx. `described.ts` checks every body against the description itself. Lengths are in
// UTF-16 units: Discord does not document its unit, and this one gives the highest count.
const COMPONENTS_V2 = 1 << 15
export const EPHEMERAL = 1 << 6
/** Suppresses link previews, and also the message's own embeds. */
export const SUPPRESS_EMBEDS = 1 << 2

/** Throws if Discord would refuse the message that results from the request. */
export function validateMessage(payload: Json): void {
  const { flags = 0, content, allowed_mentions: allowed } = payload
  if (flags & COMPONENTS_V2) throw new Error('Nobody here knows Components V2.')
  const embeds = (payload.embeds ?? []) as Json[]
  const rows = (payload.components ?? []) as Json[]
  refuse([
    ...broken({
      'more than 2,000 characters': content?.length > 2000,
      'more than 6,000 characters over all embeds': embeds.reduce((sum, embed) => sum + sizeOf(embed), 0) > 6000,
      'mentions both parsed and named': ['users', 'roles'].some(
        kind => allowed?.[kind]?.length && allowed.parse?.includes(kind),
      ),
      'more than 5 rows': rows.length > 5,
      'a repeated custom_id': isRepeated(rows.flatMap(({ components = [] }) => (
        (components as Json[]).map(({ custom_id: id }) => id as unknown)
      ))),
    }),
    ...embeds.flatMap(embedProblems), ...rows.flatMap(rowProblems),
  ])
  const isShown = content?.trim() || rows.length || payload.attachments?.length
    || embeds.some(embed => sizeOf(embed) > 0 || embed.image || embed.thumbnail || embed.url)
  if (!isShown) throw new DiscordError(400, 50006, 'Cannot send an empty message')
}

function isLink(url: string | null | undefined, scheme = 'https:'): boolean {
  return ['http:', 'https:', scheme].includes(new URL(url ?? 'https:/none').protocol)
}

function embedProblems({ footer, author, url, image, thumbnail, fields = [] }: Json): string[] {
  const texts = [
    ...footer ? [footer.text] : [], ...author ? [author.name] : [],
    ...(fields as Json[]).flatMap(({ name, value }) => [name, value]),
  ]
  return broken({
    'a blank text of an embed': texts.some(isBlank),
    'a link of another scheme': !isLink(url) || !isLink(author?.url),
    'a picture of another scheme': !isLink(image?.url, 'attachment:') || !isLink(thumbnail?.url, 'attachment:'),
  })
}

function sizeOf({ title, description, footer, author, fields }: Json): number {
  const texts = [title, description, footer?.text, author?.name, ...(fields ?? []).flatMap(
    ({ name, value }: Json) => [name, value],
  )]
  return texts.join('').length
}

function rowProblems({ type, components }: Json): string[] {
  if (type !== 1) return ['a component that is no row']
  const children = components as Json[]
  return [
    ...broken({ 'a select menu that does not fill its row': (
      children.length > 1 && children.some(child => child.type !== 2)
    ) }),
    ...children.flatMap(child => child.type === 2 ? buttonProblems(child) : selectProblems(child)),
  ]
}

function buttonProblems({ style, label, url, custom_id: id }: Json): string[] {
  return broken({
    'a button without label': isBlank(label), 'a button without address or id': isBlank(style === 5 ? url : id),
    'a link of another scheme': !isLink(url, 'discord:'), 'a button with address and id': url && id,
  })
}

/** Problems of a select menu, in a message or under a modal's label */
export function selectProblems(select: Json): string[] {
  const { type, custom_id: id, min_values: min = 1, max_values: max = 1, options = [] } = select
  return [
    ...broken({
      'a select menu without id': isBlank(id), 'min_values over max_values': min > max,
      'max_values over the number of options': type === 3 && max > options.length,
    }),
    ...type === 3 ? optionProblems(options as Json[]) : [],
  ]
}

/** Problems of the options of a select menu or a radio group */
export function optionProblems(options: readonly Json[]): string[] {
  return broken({
    'a blank option': options.some(({ label, value }) => isBlank(label) || isBlank(value)),
    'a repeated option': isRepeated(options.map(({ value }) => value as unknown)),
  })
}
