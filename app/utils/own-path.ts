/**
 * Returns the path if it is on this site, else the start page. Browsers read `//host`, `/\host` and `/.//host`
 * as other sites, and remove line breaks and tabs first.
 */
export function ownPath(path: unknown): string {
  const base = 'http://own.invalid'
  if (typeof path !== 'string' || !path.startsWith('/') || !URL.canParse(path, base)) return '/'
  const { origin, pathname, search, hash } = new URL(path, base)
  return origin === base && !pathname.startsWith('//') ? pathname + search + hash : '/'
}
