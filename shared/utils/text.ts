/** Invisible characters that have a legitimate effect in these contexts, and therefore stay. */
const ALLOWED_INVISIBLES = [
  // Tag characters of a regional flag: only as many as a region's code has, so that they cannot hide a text.
  String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
  // Joiners, which emoji and some scripts need. Not in ASCII, where they would only make different names and addresses
  // look the same.
  String.raw`[\u200C\u200D](?![!-~])|(?<![!-~\u200C\u200D])[\u200C\u200D]`,
  // Zero-width spaces between words of scripts without spaces.
  String.raw`(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200B`,
  // Joiners between Hebrew points; Mongolian variation selectors; blank Braille patterns beside other ones.
  String.raw`(?<=[\u0591-\u05C7])\u034F|(?<=[\u1820-\u18AA])[\u180B-\u180F]`,
  String.raw`(?<=[\u2801-\u28FF])\u2800|\u2800(?=[\u2801-\u28FF])`,
  // Visible signs of Arabic, Syriac and Kaithi numbers, and controls that arrange Egyptian hieroglyphs.
  String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}]`,
  // Tabs and line ends.
  String.raw`[\t\n\r]`,
  // Variation selectors after characters that have variants (https://unicode.org/reports/tr37/): anywhere else they
  // could encode a hidden text.
  String.raw`(?<=[#*\d]|(?![\0-\x7F])[\p{Emoji}\p{S}])[\uFE0E\uFE0F]`,
  String.raw`(?<=(?![\0-\x7F])[\p{Sm}\p{P}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}])[\uFE00-\uFE02]`,
  String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
]

/**
 * Characters that Unicode lists as invisible, direction-changing, control or noncharacters. Also
 * three unlisted characters that look empty: the blank Braille pattern, the object replacement
 * character, and the null notehead.
 */
const INVISIBLES = [
  String.raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}`,
  String.raw`\u2800\uFFFC\u{1D159}`,
].join('')

/** Start of an encoded word (RFC 2047, 2), which mail programs decode. */
const ENCODED_WORD_START = String.raw`=\?(?=[\w.*:+-]{1,60}\?[bqBQ]\?)`

/**
 * Combining marks after the 30th on one character: no language needs more
 * (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format), and browsers take minutes to draw 100,000.
 */
const EXCESS_MARKS = String.raw`\p{M}(?<=\p{M}{31})\p{M}*`

const EXCESS_MARKS_PATTERN = new RegExp(EXCESS_MARKS, 'u')

const HIDING_PATTERN = new RegExp(
  String.raw`(${EXCESS_MARKS})|(${ALLOWED_INVISIBLES.join('|')})|${ENCODED_WORD_START}|[${INVISIBLES}]`, 'gu',
)

/** True if one character carries so many marks that the text would freeze a browser's input. */
export function isStacked(text: string): boolean {
  return EXCESS_MARKS_PATTERN.test(text)
}

/**
 * Replaces every character that hides or reorders text by a visible mark such as `⟨U+202E⟩`, so that nobody takes
 * `picture⟨U+202E⟩gpj.exe` for a picture. The `=?` of an encoded word becomes `⟨=?⟩`. Excess combining marks
 * are counted: `⟨+99,970 marks⟩`.
 */
export function visible(text: string): string {
  return text.replace(HIDING_PATTERN, (match: string, marks: string | undefined, allowed: string | undefined) => {
    if (marks !== undefined) return `⟨+${counted(Array.from(marks).length, 'mark')}⟩`
    if (allowed !== undefined) return allowed
    const code = match.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return match === '=?' ? '⟨=?⟩' : `⟨U+${code}⟩`
  })
}

/**
 * Returns the text as one line without hidden characters; it cannot inject mail headers. Joiners (U+200C, U+200D) stay:
 * Persian words and composed emoji need them.
 */
export function oneLine(text: string): string {
  return visible(text.replace(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, ' ').trim())
}

/** `1 form`, `2,000 forms`. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? singular : plural}`
}

/** Returns the start of a text: at most `max` UTF-16 units, without half of a character. */
export function beginning(text: string, max: number): string {
  return text.slice(0, max).replace(/[\uD800-\uDBFF]$/, '')
}

/** Shortens a text to at most `max` UTF-16 units, with `…` at the end if it was cut; never cuts inside a character. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${beginning(text, max - 1)}…`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for an HTML element or a double-quoted attribute. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ENTITIES[character]!)
}
