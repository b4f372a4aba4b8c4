import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import { getRequestHeader, type H3Event } from 'h3'

/**
 * Returns path and query of a request target. Servers must also accept targets with a host, which clients send to
 * proxies (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
 */
export function targetPath(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** Parts of a request from which the client address is derived; node's IncomingMessage has them */
interface Incoming {
  headers: IncomingHttpHeaders
  socket: { remoteAddress?: string | undefined }
}

/**
 * Returns the client's IP address, or undefined if the socket has none.
 *
 * Every proxy appends the address that connected to it, so the outermost of our n proxies wrote the n-th entry from the
 * right. The client sent all entries to the left of it, and may write anything there.
 *
 * @param trustedProxies number of our own proxies in front (TRUST_PROXY). With fewer entries, or no address at that
 * place, the request bypassed some of these proxies; then the socket's address counts
 */
export function clientAddress({ headers, socket }: Incoming, trustedProxies: number): string | undefined {
  const chain = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  const forwarded = trustedProxies > 0 ? plainAddress(chain.at(-trustedProxies) ?? '') : undefined
  return forwarded ?? (socket.remoteAddress ? plainAddress(socket.remoteAddress) : undefined)
}

/** Prefix length of a site's IPv6 network, which holds 65,536 customers' networks (RFC 6177) */
export const SITE_BITS = 48

/**
 * Returns the group of addresses that count as one client: an IPv4 address, or the network in which an IPv6 customer
 * may change addresses.
 *
 * @param bits prefix length of that network
 */
export function addressGroup(address: string | undefined, bits: 64 | typeof SITE_BITS = 64): string {
  if (!address) return 'unknown'
  return isIP(address) === 6 ? `${groupsOf(address).slice(0, bits / 16).join(':')}::/${bits}` : address
}

/** Removes port, brackets and zone; IPv4 inside IPv6 becomes IPv4. Undefined if it is no address. */
function plainAddress(text: string): string | undefined {
  const entry = text.trim()
  const [, bracketed, v4] = /^\[(.*)\](?::\d+)?$|^([\d.]+):\d+$/.exec(entry) ?? []
  const address = (bracketed ?? v4 ?? entry).replace(/%.*/s, '')
  if (isIP(address) === 4) return address
  if (isIP(address) !== 6) return undefined
  const groups = groupsOf(address)
  if (!/^(0:){5}ffff:/.test(groups.join(':'))) return address
  return groups.slice(6).map(group => Number.parseInt(group, 16)).flatMap(value => [value >> 8, value & 0xFF]).join('.')
}

/** Returns the eight groups of an IPv6 address, each in its shortest form. */
function groupsOf(address: string): string[] {
  // The URL parser reads every notation and returns lower-case hex with at most one `::`.
  const halves = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const [left = [], right = []] = halves.map(half => half ? half.split(':') : [])
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right]
}

/** Media types of forms that browsers send without a script (https://html.spec.whatwg.org/#attr-fs-enctype) */
const BROWSER_TYPES = ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']

/** True if a browser sent a form without a script, so that a person reads the answer as it is. */
export function wantsPage(event: H3Event): boolean {
  const [type = ''] = (getRequestHeader(event, 'content-type') ?? '').split(';')
  return event.method === 'POST' && BROWSER_TYPES.includes(type.trim().toLowerCase())
    && prefersHtml(getRequestHeader(event, 'accept') ?? '')
}

/** True if the header names HTML and ranks it above JSON; wildcards may rank as high as HTML. */
export function prefersHtml(accept: string): boolean {
  const weights = new Map(ranked(accept))
  const html = weights.get('text/html') ?? 0
  const json = weights.get('application/json')
  if (json !== undefined) return html > json
  return html > 0 && html >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}

/** Returns the items of a header such as `Accept` with their weights, in their order (RFC 9110, 12.4.2). */
export function ranked(header: string): [item: string, weight: number][] {
  return header.slice(0, 1000).toLowerCase().split(',').map((part) => {
    const [item = '', ...parameters] = part.split(';').map(text => text.trim())
    const weight = Number(parameters.find(text => text.startsWith('q='))?.slice(2) ?? 1)
    return [item, weight >= 0 && weight <= 1 ? weight : 0]
  })
}
