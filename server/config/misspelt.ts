import { closestMatch } from 'leven'

/** Most typing errors between two names; two swapped letters count twice. */
const MOST_ERRORS = 2

/** Shorter names are too close to those of other programs (HOST, HOME). */
const SHORTEST = 8

/**
 * Returns a line for each unknown variable whose name is close to one of ours that is not set.
 *
 * @param given names of the variables that are set
 * @param known names that are read
 */
export function misspelt(given: readonly string[], known: readonly string[]): string[] {
  const unset = known.filter(name => !given.includes(name) && name.length >= SHORTEST)
  return given.filter(name => !known.includes(name)).flatMap((name) => {
    // Nobody mistypes the first letter, and comparing with every name would take a tenth of the start.
    const alike = unset.filter(other => other[0] === name[0] && Math.abs(other.length - name.length) <= MOST_ERRORS)
    const meant = closestMatch(name, alike, { maxDistance: MOST_ERRORS })
    return meant ? [`${name} is set, and nothing reads it. Is ${meant} meant?`] : []
  })
}
