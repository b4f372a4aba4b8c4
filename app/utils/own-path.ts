/**
 * Returns the requested path of this site; the start page if it leads elsewhere. Browsers read `//host`, `/\host` and
 * `/.//host` as other sites, and remove line breaks and tabs first.
 */
export function ownPath(wanted: unknown): string {
  const base = 'http://own.invalid'
  if (typeof wanted !== 'string' || !wanted.startsWith('/') || !URL.canParse(wanted, base)) return '/'
  const { origin, pathname, search, hash } = new URL(wanted, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
