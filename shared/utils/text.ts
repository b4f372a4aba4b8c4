/**
 * What nobody sees and what turns the text around it: marks, embeddings, overrides and isolates of direction, invisible
 * characters, tags, and selectors of a variant where there is none, which spell a text as tags do. Joiners stay, as
 * emoji and whole scripts are composed with them, and so do a space of no width between words of a script that writes
 * none, and the tags of a flag: no more than name a region, so that no text hides in them.
 */
const UNSEEN = new RegExp([
  String.raw`(\u{1F3F4}[\u{E0030}-\u{E0039}\u{E0061}-\u{E007A}]{3,6}\u{E007F})`,
  String.raw`[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2060-\u2064\u206A-\u206F\uFEFF]`,
  String.raw`(?<![\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}])\u200B`,
  String.raw`[\u{E0000}-\u{E007F}]`,
  // Each is of what is before it: of an ideograph, or of emoji and signs (https://unicode.org/reports/tr37/).
  String.raw`(?<!\p{Script=Han})[\u{E0100}-\u{E01EF}]|(?<=[\uFE00-\uFE0F\u{E0100}-\u{E01EF}])[\uFE00-\uFE0F]`,
].join('|'), 'gu')

/**
 * The text with a visible mark, such as `⟨U+202E⟩`, for every character that would hide something or show the text in
 * another order than it is stored: `picture⟨U+202E⟩gpj.exe` is no picture.
 */
export function visible(text: string): string {
  return text.replace(UNSEEN, (found: string, flag: string | undefined) => (
    flag ?? `⟨U+${found.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`
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
