/** Max length of unfinished markup that is held back, characters. Longer markup is treated as text. */
const MAX_MARKUP_LENGTH = 2000

/**
 * Matches code, fenced or not; a link or an image; a possible start of one of these; or a word with its escaped
 * characters. CJK characters are not part of a word, because CJK text has no spaces.
 */
const PART = new RegExp([
  '(?<run>`+)(?!`)[^]*?(?<!`)\\k<run>(?!`)',
  String.raw`!?\[(?<label>${labelPattern()})\]\(\s*(?!\s)(?<to><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`,
  '(?<opening>`+' + String.raw`|!?\[|!$)`,
  String.raw`(?<word>(?:\\(?:\S|$)|[^\s\\` + '`' + String.raw`\[\u3000-\u9FFF\uAC00-\uD7AF\uFF00-\uFFEF])+)`,
].join('|'), 'gu')

/** Matches text that may still become a link or an image. */
const UNFINISHED = new RegExp(String.raw`^!?\[${labelPattern()}(?:!?\[[^\[\]]*(?:\](?:\([^()\s]*)?)?|\](?:\([^\n]*)?)?$`, 'u')

/** Matches text that any platform turns into a link, anywhere in a word. */
const ADDRESS = /:\/\/|https?:|^(?:mailto|tel|data|file|javascript):|www\.|[\p{L}\p{N}_-]\.\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu

/** Matches text that Markdown turns into a link, whatever the target: https://spec.commonmark.org/0.31.2/#autolinks */
const AUTOLINK = /<[a-z][a-z\d+.-]+:/i

/** Matches the start of a tag whose attributes follow after a space. */
const TAG = /<(?=[a-z][a-z\d-]*$)/i

const EMAIL = /^[^\s@/:]+@[^\s@/:?#]+$/

/** Matches one character of a word, escaped or not: https://spec.commonmark.org/0.31.2/#backslash-escapes */
const SIGN = /\\?(?<shown>[!-/:-@[-`{-~])|[^]/gu

/** Matches emphasis and tags within a word, which are not shown. */
const EMPHASIS = /[*~]|<\/?[a-z]{1,10}>/gi

/** Matches the `&` of a character reference such as `&amp;`. Most platforms show the character instead. */
const REFERENCE = /&(?=#?\w+;)/g

/** Matches the end of a label before its target. The SDK removes a backslash between them. */
const LABEL_END = /\](?=\\?[([:])/g

/** Match the punctuation before and after a word. */
const LEADING_SIGNS = /^[([{<"'`*_~|!]*/
const TRAILING_SIGNS = /(?<![)\]}>"'`*_~|.,;:!?])[)\]}>"'`*_~|.,;:!?]*$/

/**
 * Shows every address in the text as code, which no platform turns into a link: a form may have made the model write an
 * address that leaks data. A link becomes `label (address)`, an image its description and address. Only addresses of
 * our own site stay links. Markup that arrives in pieces is held back until it is complete.
 *
 * @param site origin of our own pages; null if it is not configured
 */
export async function* withPlainLinks(words: AsyncIterable<string>, site: string | null): AsyncGenerator<string> {
  let heldText = ''
  for await (const piece of words) {
    const { text, rest } = toPlainText(heldText + piece, site, false)
    heldText = rest
    if (text) yield text
  }
  const { text } = toPlainText(heldText, site, true)
  if (text) yield text
}

/** Returns the opening backticks of code that this text does not close; null if there is none. */
export function openCode(text: string): string | null {
  return [...text.matchAll(PART)].find(({ groups }) => groups!.opening?.startsWith('`'))?.groups!.opening ?? null
}

function toPlainText(source: string, site: string | null, isWhole: boolean): { text: string, rest: string } {
  let text = ''
  let doneIndex = 0
  for (const { 0: part, index, groups } of source.matchAll(PART)) {
    if (index < doneIndex) continue
    const { opening, word, to } = groups!
    const rest = source.slice(index)
    if (!isWhole && isUnfinished(rest, opening, word)) {
      return { text: text + escapeLiteral(source.slice(doneIndex, index)), rest }
    }
    text += escapeLiteral(source.slice(doneIndex, index))
    doneIndex = index + part.length
    if (to !== undefined) text += linkText(groups as { label: string, to: string }, site)
    else if (word !== undefined) text += wordText(word, site)
    else if (opening?.startsWith('`')) text += opening.replaceAll('`', '\\`')
    else text += part
  }
  return { text: text + escapeLiteral(source.slice(doneIndex)), rest: '' }
}

function isUnfinished(rest: string, opening: string | undefined, word: string | undefined): boolean {
  if (word !== undefined) return word.length === rest.length
  if (opening === undefined || rest.length >= MAX_MARKUP_LENGTH) return false
  if (opening.startsWith('`')) return opening.length > 2 || !rest.includes('\n\n')
  return opening === rest || UNFINISHED.test(rest)
}

function linkText({ label, to }: { label: string, to: string }, site: string | null): string {
  const address = to.replace(/^<|>$/g, '')
  const labelText = toPlainText(label, site, true).text
  return !address || labelText === address || label === address
    ? addressText(address || label, site)
    : `${labelText} (${addressText(address, site)})`
}

function wordText(word: string, site: string | null): string {
  const signs = [...word.matchAll(SIGN)]
  const characters = signs.map(({ 0: sign, groups }) => groups!.shown ?? sign)
  const [prefix] = LEADING_SIGNS.exec(characters.join(''))!
  const [suffix] = TRAILING_SIGNS.exec(characters.slice([...prefix].length).join(''))!
  const [start, end] = [[...prefix].length, characters.length - [...suffix].length]
  const core = characters.slice(start, end).join('')
  const isAutolink = AUTOLINK.test(characters.join(''))
  const address = [core, core.replace(EMPHASIS, '')].find(text => isAutolink || ADDRESS.test(text))
  if (address === undefined || EMAIL.test(core)) return escapeLiteral(word)
  const joinSigns = (part: typeof signs) => escapeLiteral(part.map(([sign]) => sign).join(''))
  return joinSigns(signs.slice(0, start)) + addressText(address, site) + joinSigns(signs.slice(end))
}

function addressText(address: string, site: string | null): string {
  const isOwn = /^[\w\-./:?#=&%~]+$/.test(address) && URL.canParse(address) && new URL(address).origin === site
  return isOwn ? address : `\`${address.replaceAll('`', '\'')}\``
}

/** Escapes plain text so that no platform turns it into a link, a tag or another character. */
function escapeLiteral(text: string): string {
  return text.replace(LABEL_END, ']\u200B').replace(REFERENCE, '&\u200B').replace(TAG, '<\u200B')
}

/** Returns a pattern for text in brackets. The text may contain pairs of brackets, but no nested pairs. */
function labelPattern(): string {
  return String.raw`(?:[^\[\]\\]|\\[^]|\[(?:[^\[\]\\]|\\[^])*\](?:\([^()\s]*\))?)*`
}
