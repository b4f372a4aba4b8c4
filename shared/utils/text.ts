/** Of the characters that nobody sees, those that write something where they stand. */
const WRITES = [
  // The tags of a flag: no more than name a region, so that no text hides in them.
  String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
  // Joiners compose emoji and whole scripts, but neither names nor addresses in ASCII, which would pass for others.
  String.raw`[\u200C\u200D](?![!-~])|(?<![!-~\u200C\u200D])[\u200C\u200D]`,
  // Between words of a script that writes no space.
  String.raw`(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200B`,
  // Between the points of Hebrew; variants of Mongolian; blanks beside other patterns of Braille.
  String.raw`(?<=[\u0591-\u05C7])\u034F|(?<=[\u1820-\u18AA])[\u180B-\u180F]`,
  String.raw`(?<=[\u2801-\u28FF])\u2800|\u2800(?=[\u2801-\u28FF])`,
  // Signs of Arabic, Syriac and Kaithi numbers, which are drawn, and what arranges Egyptian hieroglyphs.
  String.raw`[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u{110BD}\u{110CD}\u{13430}-\u{1343F}]`,
  // Tabs and line ends.
  String.raw`[\t\n\r]`,
  // Selectors of a variant, of what has some (https://unicode.org/reports/tr37/): anywhere else they spell a text.
  String.raw`(?<=[#*\d]|(?![\0-\x7F])[\p{Emoji}\p{S}])[\uFE0E\uFE0F]`,
  String.raw`(?<=(?![\0-\x7F])[\p{Sm}\p{P}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}])[\uFE00-\uFE02]`,
  String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
]

/**
 * Characters that Unicode lists as drawn as nothing, as turning the text around, as controls, or as no characters; and
 * three that it draws as nothing under other names: a pattern of Braille without dots, the place of an object, and the
 * head of a note that is none.
 */
const UNSEEN = [
  String.raw`\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cf}\p{Noncharacter_Code_Point}`,
  String.raw`\u2800\uFFFC\u{1D159}`,
].join('')

/** How an encoded word begins (RFC 2047, 2): mail programs show what it stands for. */
const ENCODED = String.raw`=\?(?=[\w.*:+-]{1,60}\?[bqBQ]\?)`

/**
 * Combining marks behind the 30th on one character: no language has so many
 * (https://unicode.org/reports/tr15/#Stream_Safe_Text_Format), and browsers take minutes to draw 100,000.
 */
const STACK = String.raw`\p{M}(?<=\p{M}{31})\p{M}*`

const STACKED = new RegExp(STACK, 'u')

const HIDING = new RegExp(String.raw`(${STACK})|(${WRITES.join('|')})|${ENCODED}|[${UNSEEN}]`, 'gu')

/** Tells whether so many marks stand on one character that a browser stops at an input with the text. */
export function isStacked(text: string): boolean {
  return STACKED.test(text)
}

/**
 * The text with a visible mark, such as `⟨U+202E⟩`, for every character that would hide something or show the text in
 * another order than it is stored: `picture⟨U+202E⟩gpj.exe` is no picture. An encoded word begins with `⟨=?⟩`, and
 * marks that stand on too many others are counted: `⟨+99,970 marks⟩`.
 */
export function visible(text: string): string {
  return text.replace(HIDING, (found: string, stack: string | undefined, writing: string | undefined) => {
    if (stack !== undefined) return `⟨+${counted(Array.from(stack).length, 'mark')}⟩`
    if (writing !== undefined) return writing
    const code = found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    return found === '=?' ? '⟨=?⟩' : `⟨U+${code}⟩`
  })
}

/**
 * The text as one line, which no header can be injected with, and in which nothing hides. Joiners (U+200C, U+200D)
 * stay: Persian words and composed emoji fall apart without them.
 */
export function oneLine(text: string): string {
  return visible(text.replace(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, ' ').trim())
}

/** `1 form`, `2,000 forms`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`
}

/** How a text begins: at most so many UTF-16 units, and no half of a character. */
export function beginning(text: string, most: number): string {
  return text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')
}

/** At most `max` UTF-16 units, ending in `…` when something was cut, never inside a character. */
export function cut(text: string, max: number): string {
  return text.length <= max ? text : `${beginning(text, max - 1)}…`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** The text as HTML, for an element or for an attribute in double quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"]/g, character => ENTITIES[character]!)
}
