import { DiscordError, Problems } from './problems'
import type { Json } from './types'

type Path = (string | number)[]

// Rules of Discord beyond its own description of the API, which `described.ts` checks for every body: discord-api-docs,
// developers/resources/message.mdx and developers/components/reference.mdx
const COMPONENTS_V2 = 1 << 15
export const EPHEMERAL = 1 << 6
/** Suppresses link previews, and also the message's own embeds. */
export const SUPPRESS_EMBEDS = 1 << 2

/** Refuses what Discord refuses, for a message as it is after the request. */
export function validateMessage(payload: Json): void {
  if ((payload.flags ?? 0) & COMPONENTS_V2) throw new Error('Nobody here knows Components V2.')
  const problems = new Problems()
  const embeds = (payload.embeds ?? []) as Json[]
  problems.most(['content'], payload.content ?? '', 2000)
  embeds.forEach((embed, index) => validateEmbed(problems, embed, index))
  if (embeds.reduce((sum, embed) => sum + embedSize(embed), 0) > 6000) {
    problems.add(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000')
  }
  const { parse = [], ...named } = (payload.allowed_mentions ?? {}) as Json
  for (const kind of ['users', 'roles']) if (named[kind]?.length && parse.includes(kind)) {
    problems.add(
      ['allowed_mentions'], 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
      `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
    )
  }
  const rows = (payload.components ?? []) as Json[]
  problems.most(['components'], rows, 5)
  const ids = new Set<unknown>()
  rows.forEach((row, index) => {
    if (row.type === 1) validateRow(problems, row, ['components', index], ids)
    else problems.add(['components', index, 'type'], 'BASE_TYPE_CHOICES', 'Value must be one of {1}.')
  })
  problems.throwIfAny()
  const shows = payload.content?.trim()
    || embeds.some(embed => embedSize(embed) > 0 || embed.image || embed.thumbnail || embed.url)
    || rows.length || payload.attachments?.length || payload.sticker_ids?.length || payload.poll
  if (!shows) throw new DiscordError(400, 50006, 'Cannot send an empty message')
}

function validateEmbed(problems: Problems, embed: Json, index: number): void {
  const { footer, author, url, image, thumbnail, fields = [] } = embed
  const at = (...path: Path) => ['embeds', index, ...path]
  if (footer) problems.filled(at('footer', 'text'), footer.text)
  if (author) problems.filled(at('author', 'name'), author.name)
  problems.url(at('url'), url)
  problems.url(at('author', 'url'), author?.url)
  problems.url(at('image', 'url'), image?.url, 'attachment:')
  problems.url(at('thumbnail', 'url'), thumbnail?.url, 'attachment:')
  for (const [number, field] of (fields as Json[]).entries()) for (const part of ['name', 'value']) {
    problems.filled(at('fields', number, part), field[part])
  }
}

function embedSize({ title, description, footer, author, fields }: Json): number {
  const texts = [
    title, description, footer?.text, author?.name, ...(fields ?? []).flatMap(({ name, value }: Json) => [name, value]),
  ]
  return texts.reduce<number>((sum, text) => sum + String(text ?? '').length, 0)
}

function validateRow(problems: Problems, { components }: Json, path: Path, ids: Set<unknown>): void {
  const children = (components as Json[]).map((child, index) => ({ child, at: [...path, 'components', index] }))
  // A select menu fills its row.
  if (children.length > 1 && children.some(({ child }) => child.type !== 2)) {
    problems.add(
      [...path, 'components', 1], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
      'The specified component exceeds the maximum width',
    )
  }
  for (const { child, at } of children) {
    if (child.type === 2) validateButton(problems, child, at)
    else validateSelect(problems, child, at)
    onlyOnce(problems, ids, child.custom_id, [...at, 'custom_id'])
  }
}

/** Refuses a `custom_id` that another component has. */
export function onlyOnce(problems: Problems, ids: Set<unknown>, id: unknown, path: Path): void {
  if (id !== undefined && ids.has(id)) {
    problems.add(path, 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated')
  }
  ids.add(id)
}

function validateButton(problems: Problems, button: Json, path: Path): void {
  const { style, label, emoji, url, custom_id: id } = button
  if (style === 6) return problems.filled([...path, 'sku_id'], button.sku_id)
  if (!emoji) problems.filled([...path, 'label'], label)
  if (style === 5) problems.filled([...path, 'url'], url)
  else problems.filled([...path, 'custom_id'], id)
  problems.url([...path, 'url'], url, 'discord:')
  if (url && id) {
    problems.add(
      [...path, 'custom_id'], 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
      'A custom id and url cannot both be specified',
    )
  }
}

/** A select menu, in a message or under a modal's label. */
export function validateSelect(problems: Problems, select: Json, path: Path): void {
  const { type, custom_id: id, min_values: min = 1, max_values: max = 1, options = [] } = select
  problems.filled([...path, 'custom_id'], id)
  if (min > max) {
    problems.add(
      [...path, 'min_values'], 'SELECT_COMPONENT_MIN_VALUES_GREATER_THAN_MAX_VALUES',
      'min_values cannot be greater than max_values',
    )
  }
  if (type !== 3) return
  validateOptions(problems, options as Json[], path)
  if (max > options.length) {
    problems.add(
      [...path, 'max_values'], 'SELECT_COMPONENT_MAX_VALUES_TOO_BIG', 'max_values cannot exceed the number of options',
    )
  }
}

/** Checks the options of a select menu or a radio group. */
export function validateOptions(problems: Problems, options: readonly Json[], path: Path): void {
  const values = new Set<unknown>()
  options.forEach((option, index) => {
    for (const part of ['label', 'value']) problems.filled([...path, 'options', index, part], option[part])
    if (values.has(option.value)) {
      problems.add(
        [...path, 'options', index, 'value'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED',
        'The specified option value is already used',
      )
    }
    values.add(option.value)
  })
}
