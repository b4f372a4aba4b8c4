import { closestMatch } from 'leven'

/** Typing errors between two names; letters that changed places are two. */
const MOST_ERRORS = 2

/** Shorter names are near to those of other programs (HOST, HOME). */
const SHORTEST = 8

/**
 * One line for each variable that nothing reads and that is nearly called like one of ours that is not set.
 *
 * @param given names of the variables that are set
 * @param known names that are read
 */
export function misspelt(given: readonly string[], known: readonly string[]): string[] {
  const unset = known.filter(name => !given.includes(name) && name.length >= SHORTEST)
  return given.filter(name => !known.includes(name)).flatMap((name) => {
    // Nobody errs at the first letter; counting the errors to each of them would be a tenth of the start.
    const alike = unset.filter(other => other[0] === name[0] && Math.abs(other.length - name.length) <= MOST_ERRORS)
    const meant = closestMatch(name, alike, { maxDistance: MOST_ERRORS })
    return meant ? [`${name} is set, and nothing reads it. Is ${meant} meant?`] : []
  })
}
