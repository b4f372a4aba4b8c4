import { expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { problemsOf, PRODUCTION, VALID } from '../../fixtures/config/env'

test('without the secret of the webhook there are no receipts; with it form data waits for them, an hour by default', () => {
  const env = { ...PRODUCTION, MAIL_WEBHOOK_SECRET: VALID.MAIL_WEBHOOK_SECRET }
  expect(readConfig(PRODUCTION).mail.receipts).toBeUndefined()
  expect(readConfig(env).mail.receipts).toEqual({ secret: VALID.MAIL_WEBHOOK_SECRET, waitMs: 3_600_000 })
  expect(readConfig({ ...env, RECEIPT_WAIT: '0' }).mail.receipts?.waitMs).toBe(0)
  expect(problemsOf({ ...PRODUCTION, RECEIPT_WAIT: '1h' })).toEqual([
    expect.stringContaining('MAIL_WEBHOOK_SECRET is missing, but RECEIPT_WAIT is set'),
  ])
})
