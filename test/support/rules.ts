/** Returns the names of the broken rules. */
export const broken = (rules: Record<string, unknown>): string[] => Object.keys(rules).filter(rule => rules[rule])

/** True if the value is missing or only white space. */
export const isBlank = (value: unknown): boolean => !String(value ?? '').trim()

/** True if two of the values are the same; missing ones do not count. */
export function isRepeated(values: readonly unknown[]): boolean {
  const given = values.filter(value => value !== undefined)
  return new Set(given).size < given.length
}

/** Returns the paths of the fields that a vendor's own parser did not take from a value. */
export function strangers(value: unknown, parsed: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => inner === undefined
    ? []
    : key in Object(parsed)
      ? strangers(inner, (parsed as Record<string, unknown>)[key], `${path}${key}.`)
      : [`${path}${key}`])
}
