import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'

const PRELOAD = pathToFileURL(resolve(import.meta.dirname, 'repoint.mjs')).href

/** Environment of a server whose vendors' built-in hosts are redirected to loopback */
export function repointed(hosts: Record<string, string>): Record<string, string> {
  return { NODE_OPTIONS: `--import ${PRELOAD}`, REPOINTED_HOSTS: JSON.stringify(hosts) }
}
