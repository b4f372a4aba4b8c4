import http, { type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { HttpAnswer, HttpClient, HttpRequest } from '../../ports/http'

/**
 * Vendors close idle connections after 5 s and more: ours go first, so that none is closed while a request is on its
 * way.
 */
const IDLE_MS = 4000

/** An answer nobody asked for is read up to here, bytes, to keep its connection. */
const IGNORED_BYTES = 64 * 1024

/**
 * That a kept connection was closed meanwhile shows within a round trip, ms; whoever closes it later may have read the
 * request.
 */
const STALE_MS = 1000

/** Names us where the request does not: vendors behind Cloudflare refuse who has no name. */
const USER_AGENT = 'form-triage-bot'

/** No vendor's answer is longer, characters. */
const MAX_ANSWER = 8 * 1024 * 1024

class HttpFailure extends Error {
  constructor(readonly code: string) {
    super(code)
  }
}

/** A connection that was kept, and that the other end closed when we wrote to it. */
class ClosedMeanwhile extends HttpFailure {}

/** node:http with keep-alive costs a quarter of the CPU time that global `fetch` takes. */
export function createHttpClient(): HttpClient {
  const agent = { keepAlive: true, timeout: IDLE_MS }
  const plain = { send: http.request, agent: new http.Agent(agent) }
  const secure = { send: https.request, agent: new https.Agent(agent) }
  return async (request) => {
    const scheme = request.url.startsWith('https:') ? secure : plain
    try {
      return await exchange(request, scheme)
    }
    catch (error) {
      if (!(error instanceof ClosedMeanwhile)) throw error
      return exchange(request, { ...scheme, agent: false })
    }
  }
}

interface Scheme {
  send: typeof http.request
  /** False for a connection of its own. */
  agent: http.Agent | false
}

function exchange(
  { method, url, headers, body, timeoutMs, ignoreBody }: HttpRequest, { send, agent }: Scheme,
): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const startedAt = performance.now()
    let answered = false
    const request = send(url, {
      method, agent, headers: { 'user-agent': USER_AGENT, ...headers, ...length },
    }, (response) => {
      answered = true
      response.on('error', reject)
      if (ignoreBody) {
        resolve(answer(response))
        ignore(response)
      }
      else {
        read(response).then(text => resolve(answer(response, text)), reject)
      }
    })
    const timer = setTimeout(() => request.destroy(new HttpFailure('NO_ANSWER')), timeoutMs)
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isClosed = error.code === 'ECONNRESET' || error.code === 'EPIPE'
      const isStale = isClosed && request.reusedSocket && !answered && performance.now() - startedAt < STALE_MS
      reject(isStale ? new ClosedMeanwhile(error.code!) : error)
    }).on('close', () => {
      clearTimeout(timer)
      // Such as a switch to another protocol, of which node tells nothing else.
      if (!answered) reject(new HttpFailure('NO_HTTP_ANSWER'))
    })
    request.end(body)
  })
}

function answer({ statusCode = 0, headers }: IncomingMessage, text = ''): HttpAnswer {
  return { status: statusCode, headers, json: parse(text) }
}

function parse(text: string): unknown {
  try {
    return text ? JSON.parse(text) : undefined
  }
  catch {
    return undefined
  }
}

function read(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.length > MAX_ANSWER) response.destroy(new HttpFailure('ANSWER_TOO_LONG'))
    }).on('end', () => resolve(text)).on('error', reject)
  })
}

function ignore(response: IncomingMessage): void {
  let left = IGNORED_BYTES
  response.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) response.destroy()
  })
}
