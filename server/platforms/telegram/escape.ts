import { printable } from '../shared/text'

/** Characters that markdown or MarkdownV2 may read as markup; neither shows a backslash before them. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g

/**
 * Text that Telegram makes clickable anywhere: mentions, tags, commands, paths, domains, addresses
 * (https://core.telegram.org/bots/api#messageentity).
 */
const CLICKABLE_TEXT = /[@#$/][\p{L}\p{N}_]|[\p{L}\p{N}_-]\.\p{L}|\d{1,3}(?:\.\d{1,3}){3}/u

/**
 * Makes text appear on Telegram as it was typed, through the markdown that the SDK's adapter reads. No escape stops
 * mentions and links, so such text becomes code, which a tap copies. Non-breaking spaces keep indents and blank lines.
 */
export function escapeTelegram(text: string): string {
  const lines = printable(text).split('\n')
  return lines.map(line => lines.length > 1 && !line.trim() ? '\u00A0' : escapeLine(line)).join('\n')
}

function escapeLine(line: string): string {
  const indent = /^\s*/.exec(line)![0].length
  return '\u00A0'.repeat(indent) + line.slice(indent).replace(/\S+/g, word => word.replace(PARTS, escapePart))
}

/**
 * Splits off backslashes and backticks: in code the adapter would double them, beyond the counted length. No clickable
 * text contains one.
 */
const PARTS = /[\\`]|[^\\`]+/g

function escapePart(part: string): string {
  // The adapter turns `{{emoji:…}}` into emoji, in code too.
  return CLICKABLE_TEXT.test(part) ? `\`${part.replaceAll('{{', '{\u2060{')}\`` : part.replace(PUNCTUATION, '\\$&')
}

/** Length of a card's links as the adapter writes them: each label, and each address as text and as link target. */
export function linksLength(links: readonly { label: string, url: string }[]): number {
  const lines = links.map(({ label, url }) => `${`${label} (${url})`.replace(PUNCTUATION, '\\$&')}[](${url})`)
  return lines.join('\n').length
}
