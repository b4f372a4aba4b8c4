import fc from 'fast-check'

/** Factor for the number of samples, set by `npm run explore` */
const TIMES = Number(process.env.EXPLORE ?? 1)

/**
 * Seed of the samples. Usually fixed: every run has the same samples, so only a code change can make a test fail.
 * `npm run explore` uses other samples, and more. Its failures show their seed; make each one a separate test.
 */
export const SEED = process.env.EXPLORE ? Date.now() & 0x7FFF_FFFF : 1

fc.configureGlobal({ seed: SEED, numRuns: 100 * TIMES })

/** Returns the number of samples of a property, multiplied while exploring. */
export const runs = (count: number): number => count * TIMES
