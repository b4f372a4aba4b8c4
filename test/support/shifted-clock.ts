import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const PRELOAD = pathToFileURL(resolve(import.meta.dirname, 'shift-clock.mjs')).href

/** Environment of a server whose clock is ahead by so many ms; behind if negative */
export function shiftedClock(ms: number): Record<string, string> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, CLOCK_SHIFT_MS: String(ms) }
}
