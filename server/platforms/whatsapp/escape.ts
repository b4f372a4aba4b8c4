import { printable } from '../shared/text'

/** A space that is hardly seen: no markup begins before it, and no address goes on behind it. */
const HAIR = '\u200A'

/** Nothing that is seen, so that a line does not begin with what follows. */
const JOINER = '\u2060'

/** What begins bold, italic or struck text: not within a word (https://faq.whatsapp.com/539178204879377). */
const OPENING = /(?<![\p{L}\p{N}])[*_~](?!\s)/gu

/** What makes a line a quote or an item of a list. */
const LINE_MARK = /^(?=\s*(?:>|[-*]\s|\d+\.\s))/

/** What WhatsApp makes a link of: schemes, domains, addresses of machines. */
const ADDRESS = /:\/\/|[\p{L}\p{N}_-]\.\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/u

/** It leads where it says, and people copy it. */
const EMAIL = /^[("'<]*[\w.+-]+@[a-z\d-]+(?:\.[a-z\d-]+)+[)"'>.,;:!?]*$/i

/**
 * Makes text appear on WhatsApp as it was typed. WhatsApp has no escape: markup and links are broken by spaces and
 * joiners that are hardly seen, and a backtick, which may be followed by a space, is replaced by a character that looks
 * like it. Addresses of email and phone numbers stay what one taps.
 */
export function escapeWhatsApp(text: string): string {
  return printable(text).split('\n').map(line => line
    .replace(OPENING, `$&${HAIR}`)
    // A letter, as far as Unicode goes: no sign any more that markup begins behind, and a part of links.
    .replaceAll('`', '\u02CB')
    .replace(/\S+/g, withoutLink)
    // The adapter turns `{{emoji:…}}` into emoji.
    .replaceAll('{{', `{${JOINER}{`)
    .replace(LINE_MARK, JOINER)).join('\n')
}

/**
 * Code; what markdown has for a sign that is none of its marks, for the end of a line, for a character, and for an
 * address of email. WhatsApp knows none of it, and shows it as it is written.
 */
const WRITTEN = /`[^`]+`|\\([!-/:-@[-`{-~])|\\(?=\n)|&#x([\dA-F]{1,6});|<([^\s<>@]+@[^\s<>]+)>/g

/**
 * An answer, which the adapter writes as markdown, as WhatsApp shows it. The house shows addresses that nobody should
 * tap as code, of which clients may make links.
 */
export function withoutMarkdown(text: string): string {
  return text.replace(WRITTEN, (part, sign?: string, code?: string, email?: string) => {
    if (part.startsWith('`')) return part.replace(/\S+/g, withoutLink)
    if (code) return String.fromCodePoint(Number.parseInt(code, 16))
    return email ?? (sign ? signAlone(sign) : '')
  })
}

/** A sign that marks nothing up, wherever it stands. */
function signAlone(sign: string): string {
  if (sign === '`') return '\u02CB'
  return /[*_~]/.test(sign) ? sign + HAIR : /[>-]/.test(sign) ? JOINER + sign : sign
}

function withoutLink(word: string): string {
  if (!ADDRESS.test(word) || EMAIL.test(word)) return word
  return word.replaceAll('://', `:${HAIR}//`).replace(/(?<=[\p{L}\p{N}_-])\.(?=[\p{L}\p{N}])/gu, `.${HAIR}`)
}

/** Links as text: each address once, behind what it is for. */
export function linkLines(links: readonly { label: string, url: string }[]): string[] {
  const labels = new Map<string, string[]>()
  for (const { url, label } of links) labels.set(url, [...labels.get(url) ?? [], label])
  return [...labels].map(([url, all]) => `${all.join(' · ')}: ${url}`)
}
