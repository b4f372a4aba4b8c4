import { getResponseHeader, setResponseHeader, setResponseStatus, type H3Event } from 'h3'
import { DomainError, TooManyForms } from '../domain/errors'
import { withRequestId } from './request-id'

/** A request that HTTP itself refuses. */
export class HttpError extends DomainError {
  constructor(readonly status: number, code: string, message: string) {
    super(code, message)
  }
}

const STATUS: Readonly<Record<string, number>> = { INVALID_SUBMISSION: 400, INVALID_REQUEST: 400, SUBMISSION_GONE: 404, ALREADY_DECIDED: 409, WRONG_STATE: 409, SUBMISSION_ENDED: 410, STORE_UNAVAILABLE: 503, BOT_UNAVAILABLE: 503, TOO_MANY_FORMS: 429, HUMAN_CHECK_FAILED: 403, HUMAN_CHECK_UNAVAILABLE: 503 }

/** What a browser or a sender should wait after a 429 or 503 that says nothing else, in seconds. */
const RETRY_AFTER_S = 5

type Listener = (error: unknown) => void

let unexpected: Listener = () => {}

/** Who is told of errors that no route expects. */
export function onUnexpectedError(listener: Listener): void {
  unexpected = listener
}

/** Tells of an error that no answer can tell of any more. */
export function reportUnexpected(error: unknown): void {
  unexpected(error)
}

/** Runs a route; a domain error becomes its status with `{ error, code }`, anything else a 500 without details. */
export function answer<T>(event: H3Event, route: () => Promise<T>): Promise<T | { error: string, code: string }> {
  return withRequestId(event, async () => {
    try {
      return await route()
    }
    catch (error) {
      return refusal(event, error)
    }
  })
}

function refusal(event: H3Event, error: unknown): { error: string, code: string } {
  if (!(error instanceof DomainError)) unexpected(error)
  const known = error instanceof DomainError ? error : new HttpError(500, 'UNEXPECTED', 'Something went wrong here. Try again; the X-Request-Id of this answer finds it in the log.')
  const status = known instanceof HttpError ? known.status : STATUS[known.code] ?? 500
  setResponseStatus(event, status)
  if ((status === 429 || status === 503) && !getResponseHeader(event, 'Retry-After')) setResponseHeader(event, 'Retry-After', RETRY_AFTER_S)
  if (known instanceof TooManyForms) setResponseHeader(event, 'Retry-After', known.retryAfterS)
  return { error: known.message, code: known.code }
}
