import { domainToASCII, domainToUnicode } from 'node:url'
import { z } from 'zod'
import { english } from '../../../shared/texts'
import { oneLine } from '../../../shared/utils/text'
import { MAX_NEW_ADDRESSES } from '../../ports/board'

/** Max addresses of one email, a limit of Resend: https://resend.com/docs/api-reference/emails/send-email */
export const MOST_ADDRESSES = 50

/** Max length of a text with so many addresses, characters */
export const ADDRESSES_LENGTH = 15_000

/**
 * Parses typed addresses, separated by commas or spaces. Returns errors by input id if one is wrong.
 *
 * @param previousAddresses addresses that got the email before; these are accepted unchanged
 */
export function parseAddresses(
  text: string, previousAddresses: readonly string[] = [], texts = english,
): { to?: string[] } | { errors: { to: string } } {
  const addresses = [...new Set(text.split(/[\s,;]+/).filter(Boolean))]
  if (addresses.length === 0) return { errors: { to: texts('card.modal.noAddress') } }
  const newCount = addresses.filter(each => !previousAddresses.includes(each)).length
  if (newCount > MAX_NEW_ADDRESSES) {
    return { errors: { to: texts('card.modal.tooManyNew', { count: MAX_NEW_ADDRESSES }) } }
  }
  if (addresses.length > MOST_ADDRESSES) {
    return { errors: { to: texts('card.modal.tooMany', { count: MOST_ADDRESSES }) } }
  }
  const asciiAddresses = addresses.flatMap(each => previousAddresses.includes(each) ? each : sentTo(each) ?? [])
  return asciiAddresses.length === addresses.length
    ? { to: asciiAddresses }
    : { errors: { to: texts('card.modal.badAddress') } }
}

/** RFC 5321, 4.5.3.1: 64 characters before the @, 254 in all. */
const [MAX_LOCAL, MAX_ADDRESS] = [64, 254]

/** Max length of a parsed text, characters: a form field may begin with an address and be very long. */
const MAX_TEXT = 500

const EMAIL = z.email()

/** `Ada <ada@example.com>`, `"Lovelace, Ada" <ada@example.com>`: a name without a second address, and an address. */
const NAMED = /^("(?:[^"\\\r\n]|\\[^\r\n])*"[ \t]*|[^"<>,;:\r\n]*)<([^<>\s]+)>$/

/** Matches a text without surrounding invisible characters, which are often pasted with an address. */
const SEEN = /[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800](?:.*[^\s\p{Cf}\p{Default_Ignorable_Code_Point}\u2800])?/su

/** At least two labels of letters, digits and hyphens; the last one begins with a letter. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i

/** Returns the single address in a text, in ASCII and without a name; undefined if a mail provider might refuse it. */
export function addressIn(text: string): string | undefined {
  return mailboxIn(text)?.address
}

/** Returns the same with the name before the address, as in `Ada <ada@example.com>`. */
export function mailboxIn(text: string): { address: string, name?: string } | undefined {
  if (text.length > MAX_TEXT || !text.includes('@')) return undefined
  const [trimmedText = ''] = SEEN.exec(text) ?? []
  const [, writtenName = '', namedAddress] = NAMED.exec(trimmedText) ?? []
  const address = sentTo(withoutScheme(namedAddress ?? trimmedText))
  const name = oneLine(writtenName.trim().replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, '$1'))
  return address === undefined ? undefined : { address, ...name && { name } }
}

/** Returns the address in a link such as `mailto:ada@example.com?subject=Hello` (RFC 6068). */
function withoutScheme(text: string): string {
  return /^mailto:([^?]*)/i.exec(text)?.[1] ?? text
}

/** Returns the address in ASCII; undefined if it is invalid, or if a mail provider might refuse it. */
export function sentTo(address: string): string | undefined {
  const at = address.lastIndexOf('@')
  if (address.length > MAX_TEXT || at < 1) return undefined
  const [local, host] = [address.slice(0, at), address.slice(at + 1)]
  // Mail servers agree on the ASCII form of international domains (RFC 5890). The part before the @ has no such form.
  const domain = isAscii(host) ? host : domainToASCII(host)
  const asciiAddress = `${local}@${domain}`
  const isAddress = DOMAIN.test(domain) && EMAIL.safeParse(`${local}@example.com`).success
  return isAddress && local.length <= MAX_LOCAL && asciiAddress.length <= MAX_ADDRESS ? asciiAddress : undefined
}

/** Returns the address with its domain in each spelling: as given, in ASCII, and in Unicode (RFC 5890). */
export function spellingsOf(address: string): string[] {
  const at = address.lastIndexOf('@') + 1
  const host = address.slice(at)
  return [...new Set([host, domainToASCII(host), domainToUnicode(host)])].map(each => address.slice(0, at) + each)
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/.test(text)
}
