import { Readable } from 'node:stream'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createResendMailer } from '../../../../server/adapters/email/resend'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { FileLost, FilesUnavailable } from '../../../../server/domain/errors'
import { FILE_LOST, type Email } from '../../../../server/ports/delivery'
import { endAfterTest } from '../../../support/lifetime'
import { startProxy, type Proxy } from '../../../support/proxy'
import { until } from '../../../support/until'

const API_KEY = 're_secret_key'
const email: Email = {
  from: 'Formbot <bot@example.com>', to: ['team@example.com'], replyTo: 'ada@example.org', subject: 'Hello',
  html: '<p>Form data</p>', text: 'Form data',
}
const withFile = (read = () => Readable.from([Buffer.from('a')])): Email => (
  { ...email, attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: { size: 1, read } }] }
)

let vendor: Proxy
beforeEach(async () => { vendor = endAfterTest(await startProxy(() => Response.json({ id: '1' }))) })

const createMailer = (options: { apiKey?: string, timeoutMs?: number } = {}) => (
  createResendMailer({ apiKey: API_KEY, baseUrl: vendor.url, ...options }, createHttpClient())
)
const send = (options?: { apiKey?: string, timeoutMs?: number }) => createMailer(options).send(email, 'key-1')

function respond(status: number, body: string, headers: Record<string, string> = {}) {
  vendor.fault = () => ({ status, body, headers })
}

function refuse(statusCode: number, name: string, headers?: Record<string, string>) {
  const message = `No: ${API_KEY}, ${email.to}, ${email.text}`
  respond(statusCode, JSON.stringify({ statusCode, name, message }), headers)
}

/** Holds all answers back; the test releases them one by one, oldest first. */
function holdAnswers() {
  const held: (() => void)[] = []
  vendor.fault = () => {
    const gate = Promise.withResolvers<null>()
    held.push(() => gate.resolve(null))
    return { hold: gate.promise }
  }
  return { held, accept: () => held.shift()!() }
}

describe('Resend', () => {
  test('an accepted email arrived with key, reply address and both bodies, and has the id that Resend gave it', async () => {
    expect(await send()).toEqual({ ok: true, value: '1' })
    expect(vendor.requests).toMatchObject([{
      path: '/emails', headers: { 'authorization': `Bearer ${API_KEY}`, 'idempotency-key': 'key-1' },
    }])
    const { replyTo, ...rest } = email
    expect(JSON.parse(vendor.requests[0]!.body)).toEqual({ ...rest, reply_to: replyTo })
  })

  test('of emails with files one goes at a time, and none waits long: nothing was attempted then', async () => {
    const { held, accept } = holdAnswers()
    const mailer = createMailer()
    const firstSend = mailer.send(withFile(), 'one')
    await until('the first', () => held.length === 1)
    // The first email was started with real timers, so it does not time out.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const secondSend = mailer.send(withFile(), 'two')
    await vi.advanceTimersByTimeAsync(5000)
    vi.useRealTimers()
    expect(await secondSend).toMatchObject({ ok: false, busy: true })
    expect(vendor.requests).toHaveLength(1)
    accept()
    expect(await firstSend).toEqual({ ok: true, value: '1' })
    const second = mailer.send(withFile(), 'two')
    await until('the second', () => held.length === 1)
    accept()
    expect(await second).toEqual({ ok: true, value: '1' })
  })

  test('of many emails with files that wait one goes next, and others without files go by', async () => {
    const { held, accept } = holdAnswers()
    const mailer = createMailer({ timeoutMs: 60_000 })
    const sends = ['one', 'two', 'three'].map(key => mailer.send(withFile(), key))
    await until('the first', () => held.length === 1)
    accept()
    await sends[0]
    await until('the second', () => held.length === 1)
    const plainSend = mailer.send(email, 'plain')
    await until('the one without files', () => held.length > 1)
    expect(vendor.requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['one', 'two', 'plain'])
    accept()
    accept()
    await until('the third', () => held.length === 1)
    accept()
    for (const send of [...sends, plainSend]) expect(await send).toEqual({ ok: true, value: '1' })
  })

  test('headers and attachments arrive, these in base64', async () => {
    await createMailer().send({ ...email, headers: { 'Auto-Submitted': 'auto-generated' }, attachments: [
      { filename: 'a.json', contentType: 'application/json', content: '{"ä":1}' },
    ] }, 'key-2')
    expect(JSON.parse(vendor.requests[0]!.body)).toMatchObject({
      headers: { 'Auto-Submitted': 'auto-generated' },
      attachments: [
        { filename: 'a.json', content_type: 'application/json', content: Buffer.from('{"ä":1}').toString('base64') },
      ],
    })
  })

  test.each([
    [400, 'validation_error', true, 'FORWARD_EMAIL, or "to" of its form'],
    [400, 'invalid_idempotency_key', true, '400'],
    [401, 'validation_error', true, 'MAIL_API_KEY'],
    [401, 'missing_api_key', true, 'MAIL_API_KEY'],
    [403, 'invalid_api_key', true, 'MAIL_API_KEY'],
    [403, 'validation_error', true, 'MAIL_FROM_ADDRESS'],
    [404, 'not_found', true, '404'],
    [408, 'application_error', false, '408'],
    [409, 'concurrent_idempotent_requests', false, '409'],
    [422, 'invalid_from_address', true, 'MAIL_FROM_ADDRESS'],
    [429, 'rate_limit_exceeded', false, 'rate'],
    [429, 'daily_quota_exceeded', false, 'daily quota'],
    [429, 'monthly_quota_exceeded', false, 'monthly quota'],
    [500, 'internal_server_error', false, '500'],
    [503, 'application_error', false, '503'],
  ])('%i %s: permanent is %s, the reason names %s', async (status, name, permanent, expectedText) => {
    refuse(status, name)
    expect(await send()).toEqual({
      ok: false, permanent, reason: expect.stringContaining(expectedText),
      // Only the rate limit counts as "limited". A used-up quota lasts longer.
      ...name === 'rate_limit_exceeded' && { limited: true },
      status, answer: 'No: ***, team@example.com, Form data',
      ...(status >= 500 || [401, 403, 408, 429].includes(status)) && { outage: true },
    })
  })

  test('a reason is one line without key, addresses or form data', async () => {
    for (const [status, name] of [
      [401, 'validation_error'], [403, 'validation_error'], [422, 'validation_error'], [429, 'rate_limit_exceeded'],
      [500, 'application_error'],
    ] as const) {
      refuse(status, name)
      const outcome = await send()
      expect(outcome.ok || outcome.reason).not.toMatch(/re_secret|@|Form data|\n/)
    }
  })

  test('a key that was used for another rendering of the same submission counts as sent', async () => {
    refuse(409, 'invalid_idempotent_request')
    expect(await send()).toEqual({ ok: true, value: undefined })
  })

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'ratelimit-reset': '3' }, 3000],
    [{ 'retry-after': '7', 'ratelimit-reset': '3' }, 7000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': 'soon' }, undefined],
    [{ 'retry-after': '9'.repeat(400) }, 24 * 60 * 60 * 1000],
  ])('429 with %j waits %s ms', async (headers, retryAfterMs) => {
    refuse(429, 'rate_limit_exceeded', headers)
    expect(await send()).toEqual({
      ok: false, permanent: false, limited: true, reason: expect.any(String),
      ...retryAfterMs !== undefined && { retryAfterMs }, status: 429, answer: expect.any(String), outage: true,
    })
  })

  test.each([
    ['an HTML error page', 502, '<h1>Bad gateway</h1>'],
    ['an error without a status', 500, '{"message":"?"}'],
    ['an error that is null', 500, 'null'],
    ['a success that is not JSON', 200, 'OK'],
    ['a success that is null', 200, 'null'],
    // A proxy between the service and Resend may answer like this.
    ['a success without an id', 200, '{}'],
  ])('%s is a failure to repeat', async (_, status, body) => {
    respond(status, body)
    expect(await send()).toMatchObject({ ok: false, permanent: false })
  })

  test('a server that never answers is given up', async () => {
    holdAnswers()
    expect(await send({ timeoutMs: 50 })).toEqual({
      ok: false, permanent: false, reason: 'Resend did not answer in time.', outage: true,
    })
  })

  test.each([
    [FilesUnavailable, 'A file of the submission cannot be read from its storage.'], [FileLost, FILE_LOST],
  ])('a file that is not to be read is named as the cause, and nothing is sent without it', async (FileError, reason) => {
    const lost = withFile(() => Readable.from((async function* (): AsyncGenerator<Buffer> {
      yield* []
      throw new FileError(new Error('gone'))
    })()))
    expect(await createMailer().send(lost, 'one')).toEqual({ ok: false, permanent: false, reason })
    expect(vendor.requests).toEqual([])
  })

  test('nobody listening is a failure to repeat', async () => {
    await vendor.close()
    expect(await send()).toEqual({ ok: false, permanent: false, reason: 'Resend cannot be reached.', outage: true })
  })

  test('a key that cannot be a header is named, not thrown and not shown', async () => {
    const outcome = await send({ apiKey: 'two\nlines' })
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('MAIL_API_KEY') })
    expect(JSON.stringify(outcome)).not.toContain('lines')
  })
})
