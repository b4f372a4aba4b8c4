import type { Timestamp } from '../../../shared/types/line'
import { printable } from '../shared/text'

/** Markup anywhere in a line: escapes, emphasis, code, spoilers, masked links, mentions, timestamps, custom emoji */
const INLINE_MARKUP = /[\\*_~|`[<]/g

/** Colon that makes `https://…` a link or `:smile:` an emoji. A single colon is harmless. */
const COLON = /:(?=\/\/|[^\s:]*:)/g

const EVERYBODY = /@(?=everyone|here)/g

/** Headings, small print, lists and quotes, which work only at the start of a line */
const LINE_START = /^([ \t]*)(?=#{1,3}\s|-#?\s|>\s|>>>\s)/gm
const NUMBERED_LIST = /^([ \t]*\d+)(?=\.\s)/gm

/**
 * Makes text appear on Discord as it was typed. Discord neither shows nor copies a backslash before punctuation
 * (https://support.discord.com/hc/en-us/articles/210298617), so people see no added characters.
 */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(INLINE_MARKUP, '\\$&').replace(COLON, '\\$&').replace(EVERYBODY, '\\$&')
    .replace(LINE_START, '$1\\').replace(NUMBERED_LIST, '$1\\')
}

const STYLES: Readonly<Record<Timestamp['shows'], string>> = { date: 'f', clock: 't', seconds: 'T' }

/** https://discord.com/developers/docs/reference#message-formatting-timestamp-styles */
export function timestamp({ at, shows }: Timestamp): string {
  return `<t:${Math.floor(at / 1000)}:${STYLES[shows]}>`
}

/** Email address as the SDK writes it, and `<@name>`: without an id it is no mention */
const EMAIL_OR_NAME = /\[([^[\]\s]+)\]\(mailto:\1\)|<(@(?![!&]?\d+>)[^<>\s]+)>/g

/**
 * Turns the SDK's email links and `<@name>` back into plain text. Discord links only to http, https and discord, and
 * shows other links (https://github.com/discord/discord-api-docs/issues/6088) and such mentions as raw markup.
 */
export function withPlainNames(markdown: string): string {
  return markdown.replace(EMAIL_OR_NAME, (_, address?: string, name?: string) => (
    address ?? name!.replace(/^@(?=(?:everyone|here)$)/, '@\u200B')
  ))
}
