import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const PRELOAD = pathToFileURL(resolve(import.meta.dirname, 'shift-clock.mjs')).href

/** Environment of a server on a machine whose clock is ahead by so many ms; behind when less than 0. */
export function shiftedClock(ms: number): Record<string, string> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, CLOCK_SHIFT_MS: String(ms) }
}
