import type { Timestamp } from '../../../shared/types/line'
import { printable } from '../shared/text'

/** Markup anywhere in a line: escapes, emphasis, code, spoilers, masked links, mentions, timestamps, custom emoji. */
const ANYWHERE = /[\\*_~|`[<]/g

/** `https://…` becomes a link and `:smile:` an emoji by their colon; one without another behind it is harmless. */
const COLON = /:(?=\/\/|[^\s:]*:)/g

const EVERYBODY = /@(?=everyone|here)/g

/** Headings, small print, lists and quotes, which begin a line. */
const LINE_START = /^([ \t]*)(?=#{1,3}\s|-#?\s|>\s|>>>\s)/gm
const NUMBERED = /^([ \t]*\d+)(?=\.\s)/gm

/**
 * Makes text appear on Discord as it was typed. A backslash before punctuation is not shown and not copied
 * (https://support.discord.com/hc/en-us/articles/210298617), so that nothing is added that people would read.
 */
export function escapeMarkdown(text: string): string {
  return printable(text)
    .replace(ANYWHERE, '\\$&').replace(COLON, '\\$&').replace(EVERYBODY, '\\$&')
    .replace(LINE_START, '$1\\').replace(NUMBERED, '$1\\')
}

const STYLES: Readonly<Record<Timestamp['shows'], string>> = { date: 'f', clock: 't', seconds: 'T' }

/** https://discord.com/developers/docs/reference#message-formatting-timestamp-styles */
export function timestamp({ at, shows }: Timestamp): string {
  return `<t:${Math.floor(at / 1000)}:${STYLES[shows]}>`
}

/** An address of email as the SDK writes it, and a name behind `@`, which is a mention with an id only. */
const UNKNOWN = /\[([^[\]\s]+)\]\(mailto:\1\)|<(@(?![!&]?\d+>)[^<>\s]+)>/g

/**
 * What the SDK makes of addresses and names, as they were: Discord knows links to http, https and discord alone, and
 * shows others as they are written (https://github.com/discord/discord-api-docs/issues/6088), as it does such mentions.
 */
export function withPlainNames(markdown: string): string {
  return markdown.replace(UNKNOWN, (_, address?: string, name?: string) => (
    address ?? name!.replace(/^@(?=(?:everyone|here)$)/, '@\u200B')
  ))
}
