// Preloaded into the built server: redirects its calls of vendors to loopback. Needed because some SDKs have built-in
// addresses of sign-in services and signing keys. Calls to hosts that are neither listed nor loopback fail.
import http from 'node:http'
import https from 'node:https'
import { syncBuiltinESMExports } from 'node:module'

/** @type {Record<string, string>} */
const targets = JSON.parse(process.env.REPOINTED_HOSTS ?? '{}')

/** @param {string} host */
function targetOf(host) {
  const target = targets[host]
  if (!target) throw new Error(`The test reached for the internet: ${host}. Add it to repointed().`)
  return new URL(target)
}

https.request = (...args) => {
  const callback = args.find(arg => typeof arg === 'function')
  const [from, more] = [args[0], typeof args[1] === 'object' ? args[1] : {}]
  const url = typeof from === 'string' ? new URL(from) : from
  const options = { ...url instanceof URL ? { hostname: url.hostname, path: url.pathname + url.search } : url, ...more }
  const target = targetOf(options.hostname ?? String(options.host).split(':')[0])
  return http.request({
    ...options, protocol: 'http:', hostname: target.hostname, host: target.hostname, port: target.port,
    agent: undefined, agents: undefined,
  }, callback)
}
https.get = (...args) => https.request(...args).end()
syncBuiltinESMExports()

const { fetch } = globalThis
globalThis.fetch = (input, init) => {
  const url = new URL(input instanceof Request ? input.url : input)
  if (url.hostname === '127.0.0.1') return fetch(input, init)
  const target = new URL(url.pathname + url.search, targetOf(url.hostname))
  return fetch(input instanceof Request ? new Request(target, input) : target, init)
}
