import { printable } from '../shared/text'

/** Everything that markdown or MarkdownV2 may take for markup; a backslash before it is shown by neither. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g

/**
 * What Telegram makes something of wherever it stands: mentions, tags, commands, paths, domains, addresses
 * (https://core.telegram.org/bots/api#messageentity).
 */
const ALIVE = /[@#$/][\p{L}\p{N}_]|[\p{L}\p{N}_-]\.\p{L}|\d{1,3}(?:\.\d{1,3}){3}/u

/**
 * Makes text appear on Telegram as it was typed, through the markdown that the SDK's adapter reads. No escape stops
 * mentions and links; code does, and is copied by a tap. Lines keep their indent and stay apart by spaces that markdown
 * does not know.
 */
export function escapeTelegram(text: string): string {
  const lines = printable(text).split('\n')
  return lines.map(line => lines.length > 1 && !line.trim() ? '\u00A0' : escapeLine(line)).join('\n')
}

function escapeLine(line: string): string {
  const indent = /^\s*/.exec(line)![0].length
  return '\u00A0'.repeat(indent) + line.slice(indent).replace(/\S+/g, word => word.replace(PARTS, escapePart))
}

/** In code the adapter would write two of them for one, more than the text was counted as; nothing alive has one. */
const PARTS = /[\\`]|[^\\`]+/g

function escapePart(part: string): string {
  // The adapter turns `{{emoji:…}}` into emoji, in code too.
  return ALIVE.test(part) ? `\`${part.replaceAll('{{', '{\u2060{')}\`` : part.replace(PUNCTUATION, '\\$&')
}

/** Of what the adapter makes of links on a card: each label, and each address as the text and the target of another. */
export function linksLength(links: readonly { label: string, url: string }[]): number {
  const written = links.map(({ label, url }) => `${`${label} (${url})`.replace(PUNCTUATION, '\\$&')}[](${url})`)
  return written.join('\n').length
}
