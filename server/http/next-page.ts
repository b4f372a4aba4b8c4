/** Longer addresses are of nobody who wants to be reached with every browser. */
const LONGEST = 2048

/** Nothing that one parser reads as the end of a host and another one does not. */
const PLAIN = /^https?:\/\/[^/?#\\@\s\p{C}]+(?:[/?#][^\\\s\p{C}]*)?$/iu

/**
 * Where a form may send a browser on to: an absolute URL on one of these origins, as it is written there, or null.
 * Relative and protocol-relative ones, user names, backslashes, white space and control characters have no place in it.
 */
export function checkedNext(next: string, origins: readonly string[]): string | null {
  const typed = next.trim()
  if (typed.length > LONGEST || !PLAIN.test(typed) || !URL.canParse(typed)) return null
  const { origin, href } = new URL(typed)
  return origins.includes(origin) ? href : null
}
