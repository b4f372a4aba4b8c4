import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

/** Environment of a server that first loads a module of this folder */
export const preloaded = (name: string, env: Record<string, string>) => ({
  NODE_OPTIONS: `--import ${pathToFileURL(resolve(import.meta.dirname, name)).href}`, ...env,
})

/** Environment of a server that redirects calls of these vendor hosts to loopback */
export const repointed = (hosts: Record<string, string>) => (
  preloaded('repoint.mjs', { REPOINTED_HOSTS: JSON.stringify(hosts) })
)

/** Environment of a server with a clock that is `ms` ahead, or behind if negative */
export const shiftedClock = (ms: number) => preloaded('shift-clock.mjs', { CLOCK_SHIFT_MS: String(ms) })
