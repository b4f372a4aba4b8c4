export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A request to another system. */
export interface HttpRequest {
  method: HttpMethod
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Bound of the whole exchange, ms. */
  timeoutMs: number
  /** The status is all that counts: resolves before the answer was read, of which little is waited for. */
  ignoreBody?: boolean
}

export interface HttpAnswer {
  /** Any: an error status is an answer too. Redirects are not followed. */
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body; undefined when it is no JSON, and with `ignoreBody`. */
  json: unknown
}

/**
 * Sends one request over connections that are kept open. Tries once more, within the same `timeoutMs`, only when a kept
 * connection turns out to be closed before any answer came: the vendor, as a rule, has not seen the request then.
 * Rejects with an Error whose `code` says why: `NO_ANSWER` after `timeoutMs`, else what node calls it (`ECONNREFUSED`).
 */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>
