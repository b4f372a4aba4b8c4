import { closestMatch } from 'leven'

/** Max typing errors between two names; two swapped letters count twice. */
const MOST_ERRORS = 2

/** Min length of a name: shorter ones are too close to those of other programs (HOST, HOME). */
const SHORTEST = 8

/**
 * Returns a line for each unknown variable whose name is close to one of ours that is not set.
 *
 * @param setNames names of the variables that are set
 * @param knownNames names that are read
 */
export function misspelt(setNames: readonly string[], knownNames: readonly string[]): string[] {
  const unset = knownNames.filter(name => !setNames.includes(name) && name.length >= SHORTEST)
  return setNames.filter(name => !knownNames.includes(name)).flatMap((name) => {
    // Nobody mistypes the first letter, and comparing with every name would take a tenth of the start-up time.
    const candidates = unset.filter(candidate => (
      candidate[0] === name[0] && Math.abs(candidate.length - name.length) <= MOST_ERRORS
    ))
    const closestName = closestMatch(name, candidates, { maxDistance: MOST_ERRORS })
    return closestName ? [`${name} is set but unknown. Did you mean ${closestName}?`] : []
  })
}
