import http, { type ProxyEnv } from 'node:http'
import type { Dispatcher } from 'undici'

/** Key of the dispatcher that `fetch` uses, shared by all copies of undici and node's own. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')

export const NOT_PROXIED
  = 'HTTPS_PROXY and HTTP_PROXY are not obeyed by this version of Node: run 24.14 or newer. Vendors are called directly.'

/**
 * Has `fetch` and the connections of `node:http` go through the proxies that the variables name, whoever makes them;
 * returns what our own calls go through. Null on a node that cannot do it, before 24.14.
 */
export function obeyProxy(variables: ProxyEnv): Dispatcher | null {
  if (!('setGlobalProxyFromEnv' in http)) return null
  http.setGlobalProxyFromEnv(variables)
  return (globalThis as { [DISPATCHER]?: Dispatcher })[DISPATCHER] ?? null
}
