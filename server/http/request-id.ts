import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import { getRequestHeader, setResponseHeader, type H3Event } from 'h3'

const current = new AsyncLocalStorage<string>()

/** An id that a proxy in front gave is kept when it is one, and not text to smuggle into logs. */
const ACCEPTABLE = /^[\w.:-]{8,128}$/

/** Runs a request under its id, which its answer names and every log line of it carries, those of its background work too. */
export function withRequestId<T>(event: H3Event, run: () => Promise<T>): Promise<T> {
  const given = getRequestHeader(event, 'x-request-id') ?? ''
  const id = ACCEPTABLE.test(given) ? given : randomUUID()
  setResponseHeader(event, 'X-Request-Id', id)
  return current.run(id, run)
}

/** The id of the request that is being handled, if any. */
export function requestId(): string | undefined {
  return current.getStore()
}
