export type HttpMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A request to another system. */
export interface HttpRequest {
  method: HttpMethod
  url: string
  headers: Readonly<Record<string, string>>
  body?: string | Uint8Array
  /** Max time until the answer is complete, ms. */
  timeoutMs: number
  /** True if a success needs no body: resolves before it arrives, and reads little. Of a failure, see `beginning`. */
  ignoreBody?: boolean
}

export interface HttpAnswer {
  /** Any HTTP status: errors do not reject, and redirects are not followed. */
  status: number
  /** Headers by lower-case name. */
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Parsed body; undefined if it is not JSON, or if `ignoreBody` is set. */
  json: unknown
  /** First bytes of a failed answer (not 2xx), if `ignoreBody` is set: what arrived in a second, at most. */
  beginning?: Uint8Array
}

/**
 * Sends one request over connections that are kept open. Retries once, within the same `timeoutMs`, only if a kept
 * connection closes before any answer: in this case the vendor has usually not seen the request. Rejects with an Error
 * whose `code` gives the cause: `NO_ANSWER` after `timeoutMs`, else Node's code (`ECONNREFUSED`).
 */
export type HttpClient = (request: HttpRequest) => Promise<HttpAnswer>
