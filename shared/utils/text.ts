/** Of the characters that nobody sees, those that write something where they stand. */
const WRITES = [
  // The tags of a flag: no more than name a region, so that no text hides in them.
  String.raw`\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F}`,
  // Joiners compose emoji and whole scripts, but neither names nor addresses in ASCII, which would pass for others.
  String.raw`[\u200C\u200D](?![!-~])|(?<![!-~\u200C\u200D])[\u200C\u200D]`,
  // Between words of a script that writes no space.
  String.raw`(?<=[\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200B`,
  // Where a word may be divided; between the points of Hebrew; variants of Mongolian.
  String.raw`(?<=\p{L})\xAD|(?<=[\u0591-\u05C7])\u034F|(?<=[\u1820-\u18AA])[\u180B-\u180F]`,
  // Selectors of a variant, of what has some (https://unicode.org/reports/tr37/): anywhere else they spell a text.
  String.raw`(?<=[#*\d]|(?![\0-\x7F])[\p{Emoji}\p{S}])[\uFE0E\uFE0F]`,
  String.raw`(?<=(?![\0-\x7F])[\p{Sm}\p{P}\p{Script=Han}\p{Script=Myanmar}\p{Script=Phags_Pa}])[\uFE00-\uFE02]`,
  String.raw`(?<=\p{Script=Han})[\u{E0100}-\u{E01EF}]`,
]

/**
 * Everything that Unicode says is drawn as nothing, or turns the text around it, and what annotates; and what of it
 * writes something.
 */
const UNSEEN = new RegExp(String.raw`(${WRITES.join('|')})|[\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]`, 'gu')

/**
 * The text with a visible mark, such as `⟨U+202E⟩`, for every character that would hide something or show the text in
 * another order than it is stored: `picture⟨U+202E⟩gpj.exe` is no picture.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found: string, writing: string | undefined) => (
    writing ?? `⟨U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
  ))
}

/**
 * The text as one line, which no header can be injected with. Joiners (U+200C, U+200D) stay: Persian words and composed
 * emoji fall apart without them.
 */
export function oneLine(text: string): string {
  return text.replace(/(?:(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s])+/gu, ' ').trim()
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
