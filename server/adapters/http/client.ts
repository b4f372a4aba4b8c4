import { subscribe } from 'node:diagnostics_channel'
import http, { type ProxyEnv } from 'node:http'
import type { Socket } from 'node:net'
import { Agent, buildConnector, request, type Dispatcher } from 'undici'
import { jsonIn } from '../../../shared/utils/json'
import { withTimeout } from '../../../shared/utils/time'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../ports/http'

/** Idle time after which we close a connection, ms. Vendors close it after 5 s or more, perhaps during a request. */
const IDLE_MS = 4000

/** Max bytes read of an unneeded answer. Reading to its end keeps the connection. */
const IGNORED_BYTES = 64 * 1024

/** Max bytes of the beginning of a failed answer. */
const BEGINNING_BYTES = 2048

/** Max time to wait for the beginning of a failed answer, ms. */
const BEGINNING_MS = 1000

/** Window for retrying a request that failed on a stale connection, ms. Later, the vendor may have read the request. */
const STALE_MS = 1000

/** Default User-Agent: vendors behind Cloudflare reject clients without one. */
const USER_AGENT = 'form-triage-bot'

/** Longest answer, bytes. No vendor sends a longer one. */
const MAX_ANSWER = 8 * 1024 * 1024

/** No limits for single parts: the timeout covers the whole exchange, including the time to connect. */
const LIMITS = { headersTimeout: 0, bodyTimeout: 0 }

/** Error codes of a connection that the other end closed. */
const CLOSED_CODES = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/** `isKept` is true if the connection that failed had carried a request before. */
type Failure = Error & { code?: string, isKept?: boolean }

const createFailure = (code: string): Failure => Object.assign(new Error(code), { code })

/** Number of requests sent over each connection. */
const requests = new WeakMap<Socket, number>()
subscribe('undici:client:sendHeaders', (message) => {
  const { socket } = message as { socket: Socket }
  requests.set(socket, (requests.get(socket) ?? 0) + 1)
})

const dial = buildConnector({})
const connect: typeof dial = (options, callback) => dial(options, (...[error, socket]) => {
  socket?.prependListener('error', (socketError: Failure) => { socketError.isKept = requests.get(socket)! > 1 })
  return error ? callback(error, null) : callback(null, socket!)
})

interface HttpOptions { idleMs?: number, proxied?: Dispatcher | null }

/** @param proxied dispatcher that sends requests through a proxy and keeps its own connections */
export function createHttpClient({ idleMs = IDLE_MS, proxied = null }: HttpOptions = {}): HttpClient {
  // A vendor's `Keep-Alive` may shorten this time, never extend it.
  const dispatcher = proxied ?? new Agent({ connect, keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs })
  return (request) => {
    const controller = new AbortController()
    // Nothing can be aborted before there is a connection.
    return withTimeout(request.timeoutMs, exchange(request, dispatcher, controller.signal), () => {
      const timeoutError = createFailure('NO_ANSWER')
      controller.abort(timeoutError)
      return timeoutError
    })
  }
}

async function exchange(
  { url, method, headers, body, timeoutMs, ignoreBody }: HttpRequest, dispatcher: Dispatcher, signal: AbortSignal,
): Promise<HttpAnswer> {
  const startedAt = performance.now()
  const send = () => request(url, {
    ...LIMITS, dispatcher, signal, method, headers: { 'user-agent': USER_AGENT, ...headers }, body,
  })
  const answer = await send().catch((error: Failure) => {
    const { isKept, code = 'NO_HTTP_ANSWER' } = error
    const isStale = isKept && CLOSED_CODES.includes(code) && performance.now() - startedAt < STALE_MS
    if (!isStale) throw Object.assign(error, { code })
    return send()
  })
  const { statusCode: status, headers: fields, body: stream } = answer
  if (ignoreBody && (status < 200 || status > 299)) {
    const leftMs = timeoutMs - (performance.now() - startedAt)
    return { status, headers: fields, json: undefined, beginning: await readBeginning(stream, leftMs) }
  }
  if (ignoreBody) {
    const options = { limit: IGNORED_BYTES, signal: AbortSignal.timeout(timeoutMs) }
    stream.dump(options).catch(() => { /* Nobody reads it. */ })
    return { status, headers: fields, json: undefined }
  }
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if ((length += chunk.length) > MAX_ANSWER) throw createFailure('ANSWER_TOO_LONG')
    chunks.push(chunk)
  }
  return { status, headers: fields, json: jsonIn(Buffer.concat(chunks).toString()) }
}

/** Resolves with what arrived until an end, a failure, or half of the time that is left. */
async function readBeginning(stream: Dispatcher.ResponseData['body'], leftMs: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => stream.destroy(), Math.max(Math.min(BEGINNING_MS, leftMs / 2), 0))
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      if ((length += chunk.length) >= BEGINNING_BYTES) break
    }
  }
  catch { /* What arrived is enough. */ }
  finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, BEGINNING_BYTES)
}

/** Key of the dispatcher that `fetch` uses, shared by all copies of undici and Node's own. */
const DISPATCHER = Symbol.for('undici.globalDispatcher.1')

export const NOT_PROXIED
  = 'HTTPS_PROXY and HTTP_PROXY are not obeyed by this version of Node: run 24.14 or newer. Vendors are called directly.'

/**
 * Makes `fetch` and all connections of `node:http` use the proxies in these variables. Returns the dispatcher for our
 * own calls, or null on a Node that cannot do this (before 24.14).
 */
export function obeyProxy(variables: ProxyEnv): Dispatcher | null {
  if (!('setGlobalProxyFromEnv' in http)) return null
  http.setGlobalProxyFromEnv(variables)
  return (globalThis as { [DISPATCHER]?: Dispatcher })[DISPATCHER] ?? null
}
