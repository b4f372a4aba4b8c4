import { domainToASCII } from 'node:url'
import { z } from 'zod'

/** An email that came back goes to somebody else, not to a mailing list. */
const MOST = 5

/** RFC 5321, 4.5.3.1: 64 characters before the @, 254 in all. */
const address = z.email().refine(value => value.length <= 254 && value.indexOf('@') <= 64)

/** The addresses that somebody typed, separated by commas or spaces; or what is wrong with them, by input id. */
export function addressesIn(typed: string): { to?: string[] } | { errors: { to: string } } {
  const to = [...new Set(typed.split(/[\s,;]+/).filter(Boolean))]
  if (to.length === 0) return { errors: { to: 'Type an email address.' } }
  if (to.length > MOST) return { errors: { to: `At most ${MOST} addresses.` } }
  return to.every(each => address.safeParse(each).success)
    ? { to }
    : { errors: { to: 'This is not an email address. Separate several by commas.' } }
}

/** RFC 5321, section 4.5.3.1.3: a path has 256 characters with its brackets. */
const MAX_ADDRESS = 254

/** A form field that begins with an address may go on for long; only so much is looked at. */
const MAX_TEXT = 500

const EMAIL = z.email()

/** `Ada <ada@example.com>`, `"Lovelace, Ada" <ada@example.com>`: a name without a second address, and an address. */
const NAMED = /^(?:"(?:[^"\\\r\n]|\\[^\r\n])*"[ \t]*|[^"<>,;:\r\n]*)<([^<>\s]+)>$/

/** Labels of letters, digits and hyphens, at least two, the last of which is no number. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i

/** The one address that the text is, in ASCII, without its name; undefined if a mail provider might refuse it. */
export function addressIn(text: string): string | undefined {
  const typed = text.length <= MAX_TEXT ? text.trim() : ''
  const address = NAMED.exec(typed)?.[1] ?? typed
  const at = address.lastIndexOf('@')
  const [local, host] = [address.slice(0, at), address.slice(at + 1)]
  // Mail servers agree on international domains by their ASCII form (RFC 5890). There is none for what is before the @.
  const domain = isAscii(host) ? host : domainToASCII(host)
  const whole = `${local}@${domain}`
  return DOMAIN.test(domain) && EMAIL.safeParse(`${local}@example.com`).success && whole.length <= MAX_ADDRESS
    ? whole
    : undefined
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/.test(text)
}
