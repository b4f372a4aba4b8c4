import { expect, test } from 'vitest'
import { requireCron } from '../../../../server/http/auth/guards'
import { httpEvent } from '../event'

const SECRET = 'a-cron-secret-of-some-length'

/** Status that refuses a call; null if the call passes. */
function refusal(authorization: string | undefined, secret: string | undefined, optional: boolean): number | null {
  try {
    requireCron(httpEvent({ authorization }), secret, { optional })
    return null
  }
  catch (error) {
    return (error as { status: number }).status
  }
}

test.each([false, true])('once there is a secret nobody calls without it, whether it has to be set or not (optional: %s)', (optional) => {
  const calls = [undefined, `Bearer ${SECRET}x`, SECRET, `Bearer ${SECRET}`]
  expect(calls.map(header => refusal(header, SECRET, optional))).toEqual([401, 401, 401, null])
})

test('without a secret nobody calls but where none has to be set', () => {
  expect([refusal(undefined, undefined, false), refusal('Bearer undefined', undefined, false)]).toEqual([403, 403])
  expect(refusal(undefined, undefined, true)).toBeNull()
})
