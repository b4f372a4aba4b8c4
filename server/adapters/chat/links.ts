/** Markup that is longer than this is taken for text, in characters: so much is held back at most. */
const LONGEST = 2000

/**
 * Code, fenced or not; a link or an image; what may begin one of these; a word, with the characters that are escaped in
 * it. CJK has no spaces.
 */
const PART = new RegExp([
  '(?<run>`+)(?!`)[^]*?(?<!`)\\k<run>(?!`)',
  String.raw`!?\[(?<label>${label()})\]\(\s*(?!\s)(?<to><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`,
  '(?<opening>`+' + String.raw`|!?\[|!$)`,
  String.raw`(?<word>(?:\\(?:\S|$)|[^\s\\` + '`' + String.raw`\[\u3000-\u9FFF\uAC00-\uD7AF\uFF00-\uFFEF])+)`,
].join('|'), 'gu')

/** What may still become a link or an image. */
const UNFINISHED = new RegExp(String.raw`^!?\[${label()}(?:!?\[[^\[\]]*(?:\](?:\([^()\s]*)?)?|\](?:\([^\n]*)?)?$`, 'u')

/** What any platform turns into a link, wherever it stands in a word. */
const ADDRESS = /:\/\/|https?:|^(?:mailto|tel|data|file|javascript):|www\.|[\p{L}\p{N}_-]\.\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu

/** What markdown makes a link of, whatever it leads to: https://spec.commonmark.org/0.31.2/#autolinks */
const AUTOLINK = /<[a-z][a-z\d+.-]+:/i

/** A tag that goes on with attributes, behind a space. */
const TAG = /<(?=[a-z][a-z\d-]*$)/i

const EMAIL = /^[^\s@/:]+@[^\s@/:?#]+$/

/** One character of a word as it is shown, escaped or not: https://spec.commonmark.org/0.31.2/#backslash-escapes */
const SIGN = /\\?(?<shown>[!-/:-@[-`{-~])|[^]/gu

/** Emphasis and tags within a word, which is shown without them. */
const EMPHASIS = /[*~]|<\/?[a-z]{1,10}>/gi

/** A character by its name or number, which most platforms show as the character. */
const REFERENCE = /&(?=#?\w+;)/g

/** Where a label meets what it is of; the SDK takes a backslash between them away. */
const LABEL_END = /\](?=\\?[([:])/g

/** Signs before and behind a word that are not part of it. */
const BEFORE = /^[([{<"'`*_~|!]*/
const BEHIND = /(?<![)\]}>"'`*_~|.,;:!?])[)\]}>"'`*_~|.,;:!?]*$/

/**
 * Text in which every address is shown as it is, in code, which no platform makes a link of: a form may have talked the
 * model into an address that carries data away. A link becomes `label (address)`, an image its description and
 * address; only addresses of our own site stay links. A construct that comes in pieces is held back until it is whole.
 *
 * @param site origin of our own pages; null when nobody said where they are
 */
export async function* withPlainLinks(words: AsyncIterable<string>, site: string | null): AsyncGenerator<string> {
  let held = ''
  for await (const piece of words) {
    const { text, rest } = plain(held + piece, site, false)
    held = rest
    if (text) yield text
  }
  const { text } = plain(held, site, true)
  if (text) yield text
}

/** The backticks of code that is not closed in this text; null when there is none. */
export function openCode(text: string): string | null {
  return [...text.matchAll(PART)].find(({ groups }) => groups!.opening?.startsWith('`'))?.groups!.opening ?? null
}

function plain(source: string, site: string | null, whole: boolean): { text: string, rest: string } {
  let text = ''
  let done = 0
  for (const { 0: part, index, groups } of source.matchAll(PART)) {
    if (index < done) continue
    const { opening, word, to } = groups!
    const rest = source.slice(index)
    if (!whole && isUnfinished(rest, opening, word)) {
      return { text: text + literal(source.slice(done, index)), rest }
    }
    text += literal(source.slice(done, index))
    done = index + part.length
    if (to !== undefined) text += linkText(groups as { label: string, to: string }, site)
    else if (word !== undefined) text += wordText(word, site)
    else if (opening?.startsWith('`')) text += opening.replaceAll('`', '\\`')
    else text += part
  }
  return { text: text + literal(source.slice(done)), rest: '' }
}

function isUnfinished(rest: string, opening: string | undefined, word: string | undefined): boolean {
  if (word !== undefined) return word.length === rest.length
  if (opening === undefined || rest.length >= LONGEST) return false
  if (opening.startsWith('`')) return opening.length > 2 || !rest.includes('\n\n')
  return opening === rest || UNFINISHED.test(rest)
}

function linkText({ label, to }: { label: string, to: string }, site: string | null): string {
  const address = to.replace(/^<|>$/g, '')
  const said = plain(label, site, true).text
  return !address || said === address || label === address
    ? addressText(address || label, site)
    : `${said} (${addressText(address, site)})`
}

function wordText(word: string, site: string | null): string {
  const signs = [...word.matchAll(SIGN)]
  const shown = signs.map(({ 0: sign, groups }) => groups!.shown ?? sign)
  const [before] = BEFORE.exec(shown.join(''))!
  const [behind] = BEHIND.exec(shown.slice([...before].length).join(''))!
  const [from, to] = [[...before].length, shown.length - [...behind].length]
  const core = shown.slice(from, to).join('')
  const isAutolink = AUTOLINK.test(shown.join(''))
  const address = [core, core.replace(EMPHASIS, '')].find(text => isAutolink || ADDRESS.test(text))
  if (address === undefined || EMAIL.test(core)) return literal(word)
  const written = (part: typeof signs) => literal(part.map(([sign]) => sign).join(''))
  return written(signs.slice(0, from)) + addressText(address, site) + written(signs.slice(to))
}

function addressText(address: string, site: string | null): string {
  const isOwn = /^[\w\-./:?#=&%~]+$/.test(address) && URL.canParse(address) && new URL(address).origin === site
  return isOwn ? address : `\`${address.replaceAll('`', '\'')}\``
}

/** Whatever is left of markup that is no link here must not become one elsewhere, nor what stands for a character. */
function literal(text: string): string {
  return text.replace(LABEL_END, ']\u200B').replace(REFERENCE, '&\u200B').replace(TAG, '<\u200B')
}

/** In brackets: anything but brackets, or one pair of them. */
function label(): string {
  return String.raw`(?:[^\[\]\\]|\\[^]|\[(?:[^\[\]\\]|\\[^])*\](?:\([^()\s]*\))?)*`
}
