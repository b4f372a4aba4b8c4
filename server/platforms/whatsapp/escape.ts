import { printable } from '../shared/text'

/** Thin, hardly visible space: a sign before it starts no markup, and an address ends at it. */
const HAIR = '\u200A'

/** Invisible joiner, which keeps the following text from the start of a line. */
const JOINER = '\u2060'

/** Start of bold, italic or struck text, never within a word (https://faq.whatsapp.com/539178204879377). */
const MARKUP_START = /(?<![\p{L}\p{N}])[*_~](?!\s)/gu

/** Start of a line that becomes a quote or a list item. */
const LINE_MARK = /^(?=\s*(?:>|[-*]\s|\d+\.\s))/

/** Text that WhatsApp makes a link: schemes, domains, IP addresses. */
const ADDRESS = /:\/\/|[\p{L}\p{N}_-]\.\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/u

/** Email address, which stays a link: it leads to the address that it shows, and people copy it. */
const EMAIL = /^[("'<]*[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+[)"'>.,;:!?]*$/i

/**
 * Makes text appear on WhatsApp as it was typed. WhatsApp has no escape: hardly visible spaces and joiners break markup
 * and links. A space does not stop a backtick, so a similar character replaces it. Email addresses and phone numbers
 * stay clickable.
 */
export function escapeWhatsApp(text: string): string {
  return printable(text).split('\n').map(line => line
    .replace(MARKUP_START, `$&${HAIR}`)
    // Unicode counts this character as a letter, so no markup begins after it, and it is part of links.
    .replaceAll('`', '\u02CB')
    .replace(/\S+/g, breakLink)
    // The adapter turns `{{emoji:…}}` into emoji.
    .replaceAll('{{', `{${JOINER}{`)
    .replace(LINE_MARK, JOINER)).join('\n')
}

/**
 * Markdown that WhatsApp does not know and would show: code, an escaped sign, an escaped line end, a character
 * reference, and an email address in angle brackets.
 */
const MARKDOWN = /`[^`]+`|\\([!-/:-@[-`{-~])|\\(?=\n)|&#x([\dA-F]{1,6});|<([^\s<>@]+@[^\s<>]+)>/g

/**
 * Converts an answer, which the adapter writes as markdown, to WhatsApp's notation. Our texts write an address as code
 * if nobody should tap it. Clients may turn code into links, so such addresses are broken here.
 */
export function withoutMarkdown(text: string): string {
  return text.replace(MARKDOWN, (part, sign?: string, code?: string, email?: string) => {
    if (part.startsWith('`')) return part.replace(/\S+/g, breakLink)
    if (code) return String.fromCodePoint(Number.parseInt(code, 16))
    return email ?? (sign ? escapeSign(sign) : '')
  })
}

/** Escapes a sign so that it is no markup in any position. */
function escapeSign(sign: string): string {
  if (sign === '`') return '\u02CB'
  return /[*_~]/.test(sign) ? sign + HAIR : /[>-]/.test(sign) ? JOINER + sign : sign
}

function breakLink(word: string): string {
  if (!ADDRESS.test(word) || EMAIL.test(word)) return word
  return word.replaceAll('://', `:${HAIR}//`).replace(/(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}])/gu, `.${HAIR}`)
}

/** Links as text: each address once, after its labels. */
export function linkLines(links: readonly { label: string, url: string }[]): string[] {
  const labels = new Map<string, string[]>()
  for (const { url, label } of links) labels.set(url, [...labels.get(url) ?? [], label])
  return [...labels].map(([url, urlLabels]) => `${urlLabels.join(' · ')}: ${url}`)
}
