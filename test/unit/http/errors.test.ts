import { setResponseHeader, type H3Event } from 'h3'
import { afterEach, expect, test } from 'vitest'
import { FilesUnavailable, StoreUnavailable, SubmissionGone, TooManyForms } from '../../../server/domain/errors'
import { answer, answerTo, HttpError, onUnexpectedError } from '../../../server/http/errors'
import { httpEvent } from './event'

afterEach(() => onUnexpectedError(() => {}))

test('the log learns why files cannot be stored, and whoever sends one does not', () => {
  const reportedErrors: unknown[] = []
  onUnexpectedError(error => reportedErrors.push(error))
  const error = new FilesUnavailable(new Error('AccessDenied'))
  expect(answerTo(error)).toMatchObject({ status: 503, code: 'FILES_UNAVAILABLE' })
  expect(JSON.stringify(answerTo(error))).not.toContain('AccessDenied')
  // Not logged here: the Redis client reports this error itself, once per outage.
  answerTo(new StoreUnavailable(new Error('ECONNREFUSED')))
  expect(reportedErrors).toEqual([error, error])
})

/** `Retry-After` of the answer to an error. */
async function retryAfter(fail: (event: H3Event) => Error): Promise<unknown> {
  const event = httpEvent()
  await answer(event, async () => { throw fail(event) })
  return event.node.res.getHeader('Retry-After')
}

test('who may come again is told when: at the end of their window, as a route says, or in a moment', async () => {
  expect(await retryAfter(() => new TooManyForms(10, 41_500))).toBe(42)
  expect(await retryAfter((event) => {
    setResponseHeader(event, 'Retry-After', 7)
    return new HttpError(429, 'TOO_MANY_SIGN_INS', 'x')
  })).toBe(7)
  expect(await retryAfter(() => new StoreUnavailable(new Error('away')))).toBe(5)
  expect(await retryAfter(() => new SubmissionGone())).toBeUndefined()
})
