/** Part of a text; `href` if it is an address, in the form in which a browser opens it */
export interface Piece { text: string, href?: string }

/** The only schemes that form data may open */
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])
/** Max length of an address, in characters: nobody reads longer ones */
const MAX_ADDRESS_LENGTH = 2000
const [OPENING_PUNCTUATION, CLOSING_PUNCTUATION] = ['([{\'"<', '.,;:!?)]}\'">']

/** Splits a text into web addresses, email addresses, phone links and the text between them. */
export function linkAddresses(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (const word of text.split(/(\s+)/)) {
    const [from, to] = findBareRange(word)
    const href = hrefOf(word.slice(from, to))
    if (!href) {
      plain += word
      continue
    }
    pieces.push({ text: plain + word.slice(0, from) }, { text: word.slice(from, to), href })
    plain = word.slice(to)
  }
  return [...pieces, { text: plain }].filter(piece => piece.text !== '')
}

/** Returns the range of the word without the punctuation around it. */
function findBareRange(word: string): [from: number, to: number] {
  let [from, to] = [0, word.length]
  while (from < to && OPENING_PUNCTUATION.includes(word[from]!)) from++
  while (to > from && CLOSING_PUNCTUATION.includes(word[to - 1]!)) to--
  return [from, to]
}

function hrefOf(word: string): string | undefined {
  if (word.length > MAX_ADDRESS_LENGTH) return undefined
  if (/^(?:https?:\/\/|mailto:|tel:)/i.test(word)) return normalizeHref(word)
  if (/^www\./i.test(word)) return normalizeHref(`https://${word}`)
  const [name, host, ...rest] = word.split('@')
  const isEmail = name && host && rest.length === 0 && /^[^.].*\.[^.]+$/.test(host)
  return isEmail ? normalizeHref(`mailto:${word}`) : undefined
}

function normalizeHref(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { href, protocol } = new URL(address)
  return SCHEMES.has(protocol) ? href : undefined
}

/** Returns facts to show before an address is opened; host names are in the form that browsers look up. */
export function leadsTo(href: string): { where: string, warning: string | null } {
  const { protocol, hostname, username, pathname } = new URL(href)
  if (protocol === 'tel:') return { where: pathname, warning: null }
  const [name, host = ''] = protocol === 'mailto:' ? pathname.split('@') : ['', hostname]
  const asciiHost = URL.canParse(`https://${host}`) ? new URL(`https://${host}`).hostname : host
  const where = protocol === 'mailto:' ? `${name}@${asciiHost}` : asciiHost
  if (username) return { where, warning: `The part before the @ is not a website: the link leads to ${where}.` }
  return { where, warning: asciiHost.split('.').some(label => label.startsWith('xn--'))
    ? 'Its name has letters outside a to z, some of which look alike. It is shown the way browsers look it up.'
    : null }
}
