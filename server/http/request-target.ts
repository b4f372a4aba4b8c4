/**
 * Path and query of a request target. Servers have to take targets with a host, which proxies are sent
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2.2).
 */
export function pathOf(target: string): string {
  const path = target.replace(/^https?:\/\/[^/?#]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
