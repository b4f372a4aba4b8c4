import { DiscordError, Problems } from './problems'
import type { Json } from './types'

// Limits: discord-api-docs, developers/resources/message.mdx and developers/components/reference.mdx
export const COMPONENTS_V2 = 1 << 15
export const EPHEMERAL = 1 << 6
/** No previews of links, and no embeds of the message's own either. */
export const SUPPRESS_EMBEDS = 1 << 2
const WEB = ['http:', 'https:']
const BUTTON_URL = [...WEB, 'discord:']

/** Refuses what Discord refuses, for a message as it is after the request. */
export function validateMessage(payload: Json): void {
  const problems = new Problems()
  const v2 = Boolean((payload.flags ?? 0) & COMPONENTS_V2)
  problems.text(['content'], payload.content, 0, 2000)
  problems.text(['nonce'], payload.nonce === undefined ? undefined : String(payload.nonce), 0, 25)
  problems.list(['embeds'], payload.embeds, 0, 10).forEach((embed, index) => validateEmbed(problems, embed, index))
  const size = (payload.embeds as Json[] | undefined ?? []).reduce((sum, embed) => sum + embedSize(embed), 0)
  if (size > 6000) problems.add(['embeds'], 'MAX_EMBED_SIZE_EXCEEDED', 'Embed size exceeds maximum size of 6000')
  validateAllowedMentions(problems, payload.allowed_mentions)
  if (v2) {
    for (const key of ['content', 'embeds']) if (payload[key]?.length) {
      problems.add(
        [key], 'MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2',
        `The '${key}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2`,
      )
    }
  }
  problems.integer(['flags'], payload.flags, 0, 2 ** 31 - 1)
  validateComponents(problems, payload.components, v2)
  problems.throwIfAny()
  const shows = payload.content?.trim()
    || payload.embeds?.some((embed: Json) => embedSize(embed) > 0 || embed.image || embed.thumbnail || embed.url)
    || payload.components?.length || payload.attachments?.length || payload.sticker_ids?.length || payload.poll
  if (!shows) throw new DiscordError(400, 50006, 'Cannot send an empty message')
}

function validateEmbed(problems: Problems, embed: Json, index: number): void {
  const at = (...path: (string | number)[]) => ['embeds', index, ...path]
  problems.text(at('title'), embed.title, 0, 256)
  problems.text(at('description'), embed.description, 0, 4096)
  problems.text(at('footer', 'text'), embed.footer?.text, embed.footer ? 1 : 0, 2048)
  problems.text(at('author', 'name'), embed.author?.name, embed.author ? 1 : 0, 256)
  problems.integer(at('color'), embed.color, 0, 0xFFFFFF)
  problems.url(at('url'), embed.url, WEB)
  problems.url(at('author', 'url'), embed.author?.url, WEB)
  problems.url(at('image', 'url'), embed.image?.url, [...WEB, 'attachment:'])
  problems.url(at('thumbnail', 'url'), embed.thumbnail?.url, [...WEB, 'attachment:'])
  if (embed.timestamp !== undefined && Number.isNaN(Date.parse(embed.timestamp))) {
    problems.add(
      at('timestamp'), 'DATE_TIME_TYPE_PARSE', `Could not parse ${String(embed.timestamp)}. Should be ISO8601.`,
    )
  }
  problems.list(at('fields'), embed.fields, 0, 25).forEach((field, number) => {
    problems.text(at('fields', number, 'name'), field.name, 1, 256)
    problems.text(at('fields', number, 'value'), field.value, 1, 1024)
  })
}

function embedSize({ title, description, footer, author, fields }: Json): number {
  const texts = [
    title, description, footer?.text, author?.name, ...(fields ?? []).flatMap(({ name, value }: Json) => [name, value]),
  ]
  return texts.reduce<number>((sum, text) => sum + String(text ?? '').length, 0)
}

function validateAllowedMentions(problems: Problems, allowed: Json | undefined | null): void {
  if (!allowed) return
  const parse = problems.list(['allowed_mentions', 'parse'], allowed.parse, 0, 3) as unknown[]
  parse.forEach((kind, index) => problems.choice(
    ['allowed_mentions', 'parse', index], kind, ['roles', 'users', 'everyone'],
  ))
  for (const kind of ['users', 'roles']) {
    const ids = problems.list(['allowed_mentions', kind], allowed[kind], 0, 100)
    if (ids.length > 0 && parse.includes(kind)) {
      problems.add(
        ['allowed_mentions'], 'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
        `parse:["${kind}"] and ${kind}: [ids...] are mutually exclusive.`,
      )
    }
  }
}

function validateComponents(problems: Problems, components: unknown, v2: boolean): void {
  const top = problems.list(['components'], components, 0, v2 ? 40 : 5)
  const ids = new Map<string, number>()
  let texts = 0
  let count = 0
  const visit = (component: Json, path: (string | number)[]) => {
    count++
    switch (component.type) {
      case 1: validateRow(problems, component, path)
        break
      case 2: validateButton(problems, component, path)
        break
      case 3: case 5: case 6: case 7: case 8: validateSelect(problems, component, path)
        break
      case 10: problems.text([...path, 'content'], component.content, 1, 4000)
        texts += String(component.content ?? '').length
        break
      case 9: problems.list([...path, 'components'], component.components, 1, 3)
        if (!component.accessory) problems.required([...path, 'accessory'])
        break
      case 11: case 12: case 13: case 14: case 17: break
      default: problems.choice([...path, 'type'], component.type, [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 17])
    }
    if (typeof component.custom_id === 'string') {
      if (ids.has(component.custom_id)) {
        problems.add(
          [...path, 'custom_id'], 'COMPONENT_CUSTOM_ID_DUPLICATED', 'Component custom id cannot be duplicated',
        )
      }
      ids.set(component.custom_id, 1)
    }
    if (Array.isArray(component.components)) {
      component.components.forEach((child: Json, index: number) => visit(child, [...path, 'components', index]))
    }
    if (component.accessory) visit(component.accessory as Json, [...path, 'accessory'])
  }
  top.forEach((component, index) => {
    const allowed = v2 ? [1, 9, 10, 12, 13, 14, 17] : [1]
    if (allowed.includes(component.type)) visit(component, ['components', index])
    else problems.choice(['components', index, 'type'], component.type, allowed)
  })
  if (v2) problems.size(['components'], count, 0, 40)
  if (texts > 4000) {
    problems.add(
      ['components'], 'COMPONENT_MAX_TOTAL_TEXT_SIZE_EXCEEDED',
      'The total displayable text size exceeds the maximum size of 4000',
    )
  }
}

function validateRow(problems: Problems, row: Json, path: (string | number)[]): void {
  const children = problems.list([...path, 'components'], row.components, 1, 5)
  const others = children.filter(({ type }) => type !== 2)
  for (const [index, { type }] of children.entries()) problems.choice(
    [...path, 'components', index, 'type'], type, [2, 3, 5, 6, 7, 8],
  )
  // A select fills its row.
  if (others.length > 0 && children.length > 1) {
    problems.add(
      [...path, 'components', 1], 'COMPONENT_LAYOUT_WIDTH_EXCEEDED',
      'The specified component exceeds the maximum width',
    )
  }
}

function validateButton(problems: Problems, button: Json, path: (string | number)[]): void {
  problems.choice([...path, 'style'], button.style, [1, 2, 3, 4, 5, 6])
  const premium = button.style === 6
  if (!premium && !button.emoji) problems.text([...path, 'label'], button.label, 1, 80)
  else problems.text([...path, 'label'], button.label, 0, premium ? 0 : 80)
  if (button.style === 5) {
    if (!button.url) problems.required([...path, 'url'])
    problems.url([...path, 'url'], button.url, BUTTON_URL, 512)
    if (button.custom_id) {
      problems.add(
        [...path, 'custom_id'], 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
        'A custom id and url cannot both be specified',
      )
    }
    return
  }
  if (button.url) {
    problems.add(
      [...path, 'url'], 'BUTTON_COMPONENT_CUSTOM_ID_URL_MUTUALLY_EXCLUSIVE',
      'A custom id and url cannot both be specified',
    )
  }
  if (!premium) problems.text([...path, 'custom_id'], button.custom_id, 1, 100)
  else if (!button.sku_id) problems.required([...path, 'sku_id'])
}

/** A select menu, in a message or under a modal's label. */
export function validateSelect(problems: Problems, select: Json, path: (string | number)[]): void {
  problems.text([...path, 'custom_id'], select.custom_id, 1, 100)
  problems.text([...path, 'placeholder'], select.placeholder, 0, 150)
  problems.integer([...path, 'min_values'], select.min_values, 0, 25)
  problems.integer([...path, 'max_values'], select.max_values, 1, 25)
  if ((select.min_values ?? 1) > (select.max_values ?? 1)) {
    problems.add(
      [...path, 'min_values'], 'SELECT_COMPONENT_MIN_VALUES_GREATER_THAN_MAX_VALUES',
      'min_values cannot be greater than max_values',
    )
  }
  if (select.type !== 3) return
  validateOptions(problems, problems.list([...path, 'options'], select.options, 1, 25), path)
  if ((select.max_values ?? 1) > (select.options?.length ?? 0)) {
    problems.add(
      [...path, 'max_values'], 'SELECT_COMPONENT_MAX_VALUES_TOO_BIG', 'max_values cannot exceed the number of options',
    )
  }
}

/** What a select menu and a radio group offer. */
export function validateOptions(problems: Problems, options: readonly Json[], path: (string | number)[]): void {
  const values = new Set<unknown>()
  options.forEach((option, index) => {
    const at = [...path, 'options', index]
    problems.text([...at, 'label'], option.label, 1, 100)
    problems.text([...at, 'value'], option.value, 1, 100)
    problems.text([...at, 'description'], option.description, 0, 100)
    if (values.has(option.value)) {
      problems.add(
        [...at, 'value'], 'SELECT_COMPONENT_OPTION_VALUE_DUPLICATED', 'The specified option value is already used',
      )
    }
    values.add(option.value)
  })
}
