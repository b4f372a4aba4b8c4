import { createEmulator } from 'emulate'
import { describe, expect, test } from 'vitest'
import { createResendMailer } from '../../server/adapters/email/resend'
import { createHttpClient } from '../../server/adapters/http/client'
import { createOutboxMailer } from '../../server/adapters/embedded/outbox-mailer'
import type { Email } from '../../server/ports/delivery'
import { endAfterTest } from '../support/lifetime'
import { freePort } from '../support/ports'
import { mailerContract } from './mailer'

const API_KEY = 're_test'

mailerContract('Resend', async () => {
  const port = await freePort()
  endAfterTest(await createEmulator({ service: 'resend', port }))
  const baseUrl = `http://127.0.0.1:${port}`
  return {
    mailer: createResendMailer({ apiKey: API_KEY, baseUrl }, createHttpClient()),
    async sent() {
      const response = await fetch(`${baseUrl}/emails`, { headers: { authorization: `Bearer ${API_KEY}` } })
      return (await response.json() as { data: Email[] }).data
    },
  }
})

mailerContract('Outbox', async () => {
  const mailer = createOutboxMailer()
  return { mailer, sent: async () => [...mailer.sent] }
})

describe('Outbox mailer', () => {
  const email: Email = { from: 'a@example.com', to: ['b@example.com'], subject: '', html: '', text: '' }

  test('keeps the newest fifty', async () => {
    const mailer = createOutboxMailer()
    for (let index = 1; index <= 60; index++) await mailer.send({ ...email, subject: String(index) }, `key-${index}`)
    expect(mailer.sent.map(({ subject }) => Number(subject))).toEqual(
      Array.from({ length: 50 }, (_, index) => index + 11),
    )
  })

  test('tells of every new email, not of a repeated one', async () => {
    const counts: number[] = []
    const mailer = createOutboxMailer(() => counts.push(mailer.sent.length))
    for (const key of ['one', 'one', 'two']) await mailer.send(email, key)
    expect(counts).toEqual([1, 2])
  })
})
