/** Markup that is longer than this is taken for text, in characters: so much is held back at most. */
const LONGEST = 2000

/**
 * An escaped character; code, fenced or not; a link or an image; what may begin one of these; a word. CJK has no
 * spaces.
 */
const PART = new RegExp([
  String.raw`(?<escaped>\\[^\s])`,
  '(?<run>`+)(?!`)[^]*?(?<!`)\\k<run>(?!`)',
  String.raw`!?\[(?<label>${label()})\]\(\s*(?!\s)(?<to><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)(?:\s+(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s*\)`,
  String.raw`(?<opening>\\$|` + '`+' + String.raw`|!?\[|!$)`,
  String.raw`(?<word>[^\s\\` + '`' + String.raw`\[\u3000-\u9FFF\uAC00-\uD7AF\uFF00-\uFFEF]+)`,
].join('|'), 'gu')

/** What may still become a link or an image. */
const UNFINISHED = new RegExp(String.raw`^!?\[${label()}(?:!?\[[^\[\]]*(?:\](?:\([^()\s]*)?)?|\](?:\([^\n]*)?)?$`, 'u')

/** What any platform turns into a link, wherever it stands in a word. */
const ADDRESS = /[a-z\d+.-]:\/\/|^(?:mailto|tel|data|file|javascript):|www\.|[\p{L}\p{N}_-]\.\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu

const EMAIL = /^[^\s@/:]+@[^\s@/:?#]+$/

/** Signs before and behind a word that are not part of it. */
const BEFORE = /^[([{<"'*_~|!]*/
const BEHIND = /(?<![)\]}>"'*_~|.,;:!?])[)\]}>"'*_~|.,;:!?]*$/

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
    if (!whole && rest.length < LONGEST && isUnfinished(rest, opening, word)) {
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
  if (opening === undefined) return false
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
  const [before] = BEFORE.exec(word)!
  const [behind] = BEHIND.exec(word.slice(before.length))!
  const core = word.slice(before.length, word.length - behind.length)
  if (!core || !ADDRESS.test(core) || EMAIL.test(core)) return literal(word)
  return literal(before) + addressText(core, site) + literal(behind)
}

function addressText(address: string, site: string | null): string {
  const isOwn = /^[\w\-./:?#=&%~]+$/.test(address) && URL.canParse(address) && new URL(address).origin === site
  return isOwn ? address : `\`${address.replaceAll('`', '\'')}\``
}

/** Whatever is left of markup that is no link here must not become one elsewhere. */
function literal(text: string): string {
  return text.replace(/\](?=[([:])/g, '\\]')
}

/** In brackets: anything but brackets, or one pair of them. */
function label(): string {
  return String.raw`(?:[^\[\]\\]|\\[^]|\[(?:[^\[\]\\]|\\[^])*\](?:\([^()\s]*\))?)*`
}
