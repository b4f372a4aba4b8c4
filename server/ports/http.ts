export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A request to another system. */
export interface HttpRequest {
  method: HttpMethod
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Limit of the whole exchange, ms. */
  timeoutMs: number
  /** Only the status counts: resolves before the body is read, and reads little of it. */
  ignoreBody?: boolean
}

export interface HttpAnswer {
  /** Any status: error statuses do not reject. Redirects are not followed. */
  status: number
  /** By lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed body; undefined if it is not JSON, and with `ignoreBody`. */
  json: unknown
}

/**
 * Sends one request over connections that are kept open. Retries once, within the same `timeoutMs`, only if a kept
 * connection turns out to be closed before any answer: usually the vendor has not seen the request then. Rejects with
 * an Error whose `code` gives the cause: `NO_ANSWER` after `timeoutMs`, else Node's code (`ECONNREFUSED`).
 */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>
