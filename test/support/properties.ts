import fc from 'fast-check'

/** Factor for the number of samples: `npm run explore` */
const TIMES = Number(process.env.EXPLORE ?? 1)

/**
 * Fixed, so that a commit passes or fails for its own sake: the samples are the same each time. Exploring takes other
 * samples, and more; a failure shows its seed, and becomes a test of its own.
 */
export const SEED = process.env.EXPLORE ? Date.now() & 0x7FFF_FFFF : 1

fc.configureGlobal({ seed: SEED, numRuns: 100 * TIMES })

/** Returns the number of samples of a property, multiplied while exploring. */
export const runs = (count: number): number => count * TIMES
