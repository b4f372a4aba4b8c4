/** A piece of a text; with `href` it is an address that can be opened, as a browser would open it. */
export interface Piece { text: string, href?: string }

/** Nothing else is opened from form data. */
const SCHEMES = new Set(['http:', 'https:', 'mailto:', 'tel:'])
/** A longer word is no address that anybody reads. */
const MOST = 2000
const [BEFORE, BEHIND] = ['([{\'"<', '.,;:!?)]}\'">']

/** The text in pieces, web and email addresses and telephone links apart. */
export function linkAddresses(text: string): Piece[] {
  const pieces: Piece[] = []
  let plain = ''
  for (const word of text.split(/(\s+)/)) {
    const [from, to] = bare(word)
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

/** Where the word is without the marks around it. */
function bare(word: string): [from: number, to: number] {
  let [from, to] = [0, word.length]
  while (from < to && BEFORE.includes(word[from]!)) from++
  while (to > from && BEHIND.includes(word[to - 1]!)) to--
  return [from, to]
}

function hrefOf(word: string): string | undefined {
  if (word.length > MOST) return undefined
  if (/^(?:https?:\/\/|mailto:|tel:)/i.test(word)) return opened(word)
  if (/^www\./i.test(word)) return opened(`https://${word}`)
  const [name, host, ...more] = word.split('@')
  const isEmail = name && host && more.length === 0 && /^[^.].*\.[^.]+$/.test(host)
  return isEmail ? opened(`mailto:${word}`) : undefined
}

function opened(address: string): string | undefined {
  if (!URL.canParse(address)) return undefined
  const { href, protocol } = new URL(address)
  return SCHEMES.has(protocol) ? href : undefined
}

/** What somebody has to know about an address before they open it; names of hosts as browsers look them up. */
export function leadsTo(href: string): { where: string, warning: string | null } {
  const { protocol, hostname, username, pathname } = new URL(href)
  if (protocol === 'tel:') return { where: pathname, warning: null }
  const [name, host = ''] = protocol === 'mailto:' ? pathname.split('@') : ['', hostname]
  const lookedUp = URL.canParse(`https://${host}`) ? new URL(`https://${host}`).hostname : host
  const where = protocol === 'mailto:' ? `${name}@${lookedUp}` : lookedUp
  if (username) return { where, warning: `What stands before the @ is no site: it leads to ${where}.` }
  return { where, warning: lookedUp.split('.').some(label => label.startsWith('xn--'))
    ? 'Its name has letters beyond a to z, some of which look like others: it is shown as browsers look it up.'
    : null }
}
