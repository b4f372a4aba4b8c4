import { afterEach, expect, test } from 'vitest'
import { FilesUnavailable, StoreUnavailable } from '../../../server/domain/errors'
import { answerTo, onUnexpectedError } from '../../../server/http/errors'

afterEach(() => onUnexpectedError(() => {}))

test('the log learns why files cannot be stored, and whoever sends one does not', () => {
  const told: unknown[] = []
  onUnexpectedError(error => told.push(error))
  const error = new FilesUnavailable(new Error('AccessDenied'))
  expect(answerTo(error)).toMatchObject({ status: 503, code: 'FILES_UNAVAILABLE' })
  expect(JSON.stringify(answerTo(error))).not.toContain('AccessDenied')
  // Of Redis its client tells, once for each outage.
  answerTo(new StoreUnavailable(new Error('ECONNREFUSED')))
  expect(told).toEqual([error, error])
})
