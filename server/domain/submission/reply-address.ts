import { domainToASCII } from 'node:url'
import { z } from 'zod'
import type { Field } from '../../ports/board'

/** RFC 5321, section 4.5.3.1.3: a path has 256 characters with its brackets. */
const MAX_ADDRESS = 254

/** A form field that begins with an address may go on for long; only so much is looked at. */
const MAX_TEXT = 500

const EMAIL = z.email()

/** `Ada <ada@example.com>`, `"Lovelace, Ada" <ada@example.com>`: a name, which says no second address, and an address. */
const NAMED = /^(?:"(?:[^"\\\r\n]|\\[^\r\n])*"|[^"<>,;:\r\n]*)[ \t]*<([^<>\s]+)>$/

/** Labels of letters, digits and hyphens, at least two, the last of which is no number. */
const DOMAIN = /^(?:[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?\.)+[a-z](?:[a-z\d-]{0,61}[a-z\d])$/i

/** The address of whoever filled in the form: a field named like one first, then any value that is exactly one. */
export function replyAddress(fields: readonly Field[]): string | undefined {
  const found = fields.flatMap(({ label, value }) => {
    const address = addressIn(value)
    return address ? [{ label, address }] : []
  })
  return (found.find(({ label }) => /mail|reply/i.test(label)) ?? found[0])?.address
}

/** The one address that the text is, in ASCII, without its name; undefined for anything that a mail provider might refuse. */
function addressIn(text: string): string | undefined {
  const typed = text.length <= MAX_TEXT ? text.trim() : ''
  const address = NAMED.exec(typed)?.[1] ?? typed
  const at = address.lastIndexOf('@')
  const [local, host] = [address.slice(0, at), address.slice(at + 1)]
  // Mail servers agree on international domains by their ASCII form (RFC 5890). There is none for what is before the @.
  const domain = isAscii(host) ? host : domainToASCII(host)
  const whole = `${local}@${domain}`
  return DOMAIN.test(domain) && EMAIL.safeParse(`${local}@example.com`).success && whole.length <= MAX_ADDRESS ? whole : undefined
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/.test(text)
}
