/**
 * A page of this site, out of what an address asks for; the start page instead of anything that leads elsewhere.
 * Browsers read `//host`, `/\host` and `/.//host` as other sites, with line breaks and tabs taken out first.
 */
export function ownPath(wanted: unknown): string {
  const base = 'http://own.invalid'
  if (typeof wanted !== 'string' || !wanted.startsWith('/') || !URL.canParse(wanted, base)) return '/'
  const { origin, pathname, search, hash } = new URL(wanted, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
