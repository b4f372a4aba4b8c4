import { AsyncLocalStorage } from 'node:async_hooks'
import { randomUUID } from 'node:crypto'
import {
  defineEventHandler, getRequestHeader, getResponseHeader, setResponseHeader, setResponseStatus, type H3Event,
} from 'h3'
import type { FieldProblem } from '../ports/field-rules'
import { DomainError, FilesUnavailable, InvalidFields, SubmissionEnded, TooMany } from '../domain/errors'

/** Refusal by the HTTP layer, with its own status */
export class HttpError extends DomainError {
  constructor(readonly status: number, code: string, message: string) {
    super(code, message)
  }
}

const STATUS: Readonly<Record<string, number>> = {
  INVALID_SUBMISSION: 400, INVALID_REQUEST: 400, HUMAN_CHECK_FAILED: 403, NOT_A_REVIEWER: 403, SUBMISSION_GONE: 404,
  ALREADY_DECIDED: 409, WRONG_STATE: 409, SUBMISSION_ENDED: 410, TAKEN: 423, TOO_MANY_FORMS: 429,
  TOO_MANY_TESTS: 429, INVALID_FIELDS: 422, EMPTY_FORM: 422, IDEMPOTENCY_KEY_REUSED: 422, EMAIL_REFUSED: 502,
  FILES_TOO_LARGE: 413, FILE_TYPE_NOT_ACCEPTED: 415, TOO_MANY_BYTES: 429, FILES_UNAVAILABLE: 503, NO_SUCH_FILE: 404,
  FILE_GONE: 410, FILE_LOST: 410,
  SUBMISSION_UNREADABLE: 500,
  STORE_UNAVAILABLE: 503, BOT_UNAVAILABLE: 503, HUMAN_CHECK_UNAVAILABLE: 503, PEOPLE_UNKNOWN: 503,
  RECEIPT_TOO_EARLY: 503,
}

/** Wait after a 429 or 503 without a Retry-After of its own, s */
const RETRY_AFTER_S = 5

type Listener = (error: unknown) => void

let reportError: Listener = () => {}

/** Sets the listener for errors that no route expects. */
export function onUnexpectedError(listener: Listener): void {
  reportError = listener
}

/** Reports an error that occurs too late for an answer. */
export function reportUnexpected(error: unknown): void {
  reportError(error)
}

/** Defines a route whose answers, errors included, have our format. */
export function route<T>(run: (event: H3Event) => Promise<T>) {
  return defineEventHandler(event => answer(event, () => run(event)))
}

/** Body of a refused request. */
export interface ErrorBody {
  error: string
  /** The same text under the name that h3's errors use */
  message: string
  code: string
  /** Wrong fields, for code that writes its own messages about them */
  problems?: readonly FieldProblem[]
}

/**
 * Runs a route; a domain error becomes its status with `{ error, message, code }`, anything else a 500 without details.
 *
 * @param show replaces the body of an error
 */
export function answer<T, S = ErrorBody>(
  event: H3Event, run: () => Promise<T>,
  show: (refusal: ErrorBody) => Promise<S | ErrorBody> | ErrorBody = refusal => refusal,
): Promise<T | S | ErrorBody> {
  return withRequestId(event, async () => {
    try {
      return await run()
    }
    catch (error) {
      return show(refuse(event, error))
    }
  })
}

function refuse(event: H3Event, error: unknown): ErrorBody {
  const { status, ...body } = answerTo(error)
  setResponseStatus(event, status)
  const isTemporary = status === 429 || status === 503
  if (isTemporary && !getResponseHeader(event, 'Retry-After')) setResponseHeader(event, 'Retry-After', RETRY_AFTER_S)
  if (error instanceof TooMany) setResponseHeader(event, 'Retry-After', error.retryAfterS)
  return body
}

/** Returns the answer to an error. The details of an unexpected one are only in the log. */
export function answerTo(error: unknown): ErrorBody & { status: number, submission?: object } {
  // Nothing else records why the file storage failed.
  if (!(error instanceof DomainError) || error instanceof FilesUnavailable) reportError(error)
  const domainError = error instanceof DomainError
    ? error
    : new HttpError(500, 'UNEXPECTED',
        'Something went wrong here. Try again; the X-Request-Id of this answer finds it in the log.')
  const status = domainError instanceof HttpError ? domainError.status : STATUS[domainError.code] ?? 500
  const { submission } = domainError instanceof SubmissionEnded ? domainError : {}
  const { problems } = domainError instanceof InvalidFields ? domainError : {}
  const { message, code, line } = domainError
  return {
    // Pages show the timestamps of `line` in the reader's time zone.
    status, error: message, message, code, ...line !== message && { line }, ...submission && { submission },
    ...problems && { problems },
  }
}

const requestIds = new AsyncLocalStorage<string | undefined>()

/** Format of a request id that is accepted from a proxy; other text could forge log lines */
const ACCEPTED_ID = /^[\w.:-]{8,128}$/

/** Runs a request under its id. The answer and all log lines contain the id, even those of background work. */
function withRequestId<T>(event: H3Event, run: () => Promise<T>): Promise<T> {
  const sentId = getRequestHeader(event, 'x-request-id') ?? ''
  const id = ACCEPTED_ID.test(sentId) ? sentId : randomUUID()
  setResponseHeader(event, 'X-Request-Id', id)
  return requestIds.run(id, run)
}

/** Runs work without the id of the request that started it. Keeps other context of the host. */
export function detached<T>(run: () => T): T {
  return requestIds.run(undefined, run)
}

/** Returns the id of the current request, if any. */
export function requestId(): string | undefined {
  return requestIds.getStore()
}

/** Error for an address that does not exist */
export function noSuchRoute(): HttpError {
  const advice = 'Forms are sent to /api/form or /api/form/<form>; check the URL for a typing error.'
  return new HttpError(404, 'NO_SUCH_ROUTE', `There is nothing at this address. ${advice}`)
}
