import fc from 'fast-check'

/** How many times as many samples are taken: `npm run explore`. */
const TIMES = Number(process.env.EXPLORE ?? 1)

/**
 * Whether a commit lands depends on the commit: its samples are the same each time. Who explores takes others, and
 * more; what they find fails there by its seed, and becomes a test of its own.
 */
export const SEED = process.env.EXPLORE ? Date.now() & 0x7FFF_FFFF : 1

fc.configureGlobal({ seed: SEED, numRuns: 100 * TIMES })

/** So many samples of a property, or as many more as somebody explores. */
export const runs = (count: number): number => count * TIMES
