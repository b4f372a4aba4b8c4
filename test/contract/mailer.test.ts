import { randomUUID } from 'node:crypto'
import { createEmulator } from 'emulate'
import { beforeEach, describe, expect, test } from 'vitest'
import { createResendMailer } from '../../server/adapters/email/resend'
import { createOutboxMailer } from '../../server/adapters/email/kept-emails'
import { createSmtpMailer } from '../../server/adapters/email/smtp'
import { createHttpClient } from '../../server/adapters/http/client'
import type { Email, Mailer } from '../../server/ports/delivery'
import { endAfterTest } from '../support/lifetime'
import { freePort } from '../support/ports'
import { headerOf, startSmtp } from '../support/smtp'

interface Harness {
  mailer: Mailer
  /** Sent emails, oldest first. */
  sent(): Promise<Pick<Email, 'from' | 'subject' | 'html' | 'text'>[]>
}

const email: Email = {
  from: 'Formbot <bot@example.com>', to: ['team@example.com'], replyTo: 'ada@example.org', subject: 'Hello',
  html: '<p>Hello</p>', text: 'Hello',
}

const API_KEY = 're_test'

async function openResend() {
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
}

async function openSmtp() {
  const smtp = endAfterTest(await startSmtp())
  const mailer = createSmtpMailer({ host: '127.0.0.1', port: smtp.port, secure: false })
  endAfterTest({ close: () => mailer.close!() })
  return {
    mailer,
    // Mail systems that drop copies do so by the Message-ID.
    async sent() {
      const byId = new Map(smtp.emails.toReversed().map(each => [headerOf(each, 'Message-ID'), each]))
      return [...byId.values()].toReversed().map((each) => {
        const part = (type: string) => (
          new RegExp(`Content-Type: text/${type}[^]*?\r\n\r\n([^]*?)\r\n--`).exec(each.source)![1]!
        )
        return {
          from: headerOf(each, 'From')!, subject: headerOf(each, 'Subject')!, html: part('html'), text: part('plain'),
        }
      })
    },
  }
}

async function openOutbox() {
  const mailer = createOutboxMailer()
  return { mailer, sent: async () => [...mailer.sent] }
}

/** Contract of every `Mailer`. */
describe.each([['Resend', openResend], ['SMTP', openSmtp], ['Outbox', openOutbox]] as const)('%s mailer', (_, open) => {
  let harness: Harness
  let key: string

  beforeEach(async () => {
    harness = await open()
    key = randomUUID()
  })

  const subjects = async () => (await harness.sent()).map(({ subject }) => subject)

  test('an email is sent as it was written', async () => {
    expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
    const { from, subject, html, text } = email
    expect(await harness.sent()).toEqual([expect.objectContaining({ from, subject, html, text })])
  })

  test('one key with another rendering sends the first one only, and both calls succeed', async () => {
    expect(await harness.mailer.send(email, key)).toMatchObject({ ok: true })
    expect(await harness.mailer.send({ ...email, subject: 'Hello again' }, key)).toMatchObject({ ok: true })
    expect(await subjects()).toEqual(['Hello'])
  })

  test('two keys send two emails, also of the same text', async () => {
    await harness.mailer.send(email, key)
    await harness.mailer.send(email, `${key}-2`)
    expect(await subjects()).toEqual(['Hello', 'Hello'])
  })
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
