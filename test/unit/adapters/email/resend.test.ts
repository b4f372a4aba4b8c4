import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createResendMailer } from '../../../../server/adapters/email/resend'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { FileLost, FilesUnavailable } from '../../../../server/domain/errors'
import { FILE_LOST, type Email } from '../../../../server/ports/delivery'
import { until } from '../../../support/until'

const API_KEY = 're_secret_key'
const email: Email = {
  from: 'Formbot <bot@example.com>', to: ['team@example.com'], replyTo: 'ada@example.org', subject: 'Hello',
  html: '<p>Form data</p>', text: 'Form data',
}

let server: Server
let baseUrl: string
let answer: (response: ServerResponse) => void
let requests: { url: string | undefined, headers: IncomingHttpHeaders, body: unknown }[]

beforeEach(async () => {
  requests = []
  server = createServer(async (request, response) => {
    requests.push({ url: request.url, headers: request.headers, body: JSON.parse(await text(request)) })
    answer(response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

function send(options: { apiKey?: string, timeoutMs?: number } = {}) {
  return createResendMailer({ apiKey: API_KEY, baseUrl, ...options }, createHttpClient()).send(email, 'key-1')
}

function refuse(statusCode: number, name: string, headers: Record<string, string> = {}) {
  answer = response => response.writeHead(statusCode, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify({ statusCode, name, message: `No: ${API_KEY}, ${email.to}, ${email.text}` }))
}

describe('Resend', () => {
  test('an accepted email arrived with key, reply address and both bodies, and has the id that Resend gave it', async () => {
    answer = response => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}')
    expect(await send()).toEqual({ ok: true, value: '1' })
    expect(requests).toEqual([expect.objectContaining({
      url: '/emails',
      headers: expect.objectContaining({ 'authorization': `Bearer ${API_KEY}`, 'idempotency-key': 'key-1' }),
      body: {
        from: email.from, to: email.to, reply_to: email.replyTo, subject: email.subject, html: email.html,
        text: email.text,
      },
    })])
  })

  test('of emails with files one goes at a time, and none waits long: nothing was attempted then', async () => {
    const responses: ServerResponse[] = []
    answer = response => responses.push(response)
    const accept = () => responses.shift()!.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}')
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: {
      size: 1, read: () => Readable.from([Buffer.from('a')]),
    } }]
    const mailer = createResendMailer({ apiKey: API_KEY, baseUrl }, createHttpClient())
    const firstSend = mailer.send({ ...email, attachments }, 'one')
    await until('the first', () => responses.length === 1)
    // The first email was started with real timers, so it does not time out.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const secondSend = mailer.send({ ...email, attachments }, 'two')
    await vi.advanceTimersByTimeAsync(5000)
    vi.useRealTimers()
    expect(await secondSend).toMatchObject({ ok: false, busy: true })
    expect(requests).toHaveLength(1)
    accept()
    expect(await firstSend).toEqual({ ok: true, value: '1' })
    const second = mailer.send({ ...email, attachments }, 'two')
    await until('the second', () => responses.length === 1)
    accept()
    expect(await second).toEqual({ ok: true, value: '1' })
  })

  test('of many emails with files that wait one goes next, and others without files go by', async () => {
    const responses: ServerResponse[] = []
    answer = response => responses.push(response)
    const accept = () => responses.shift()!.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}')
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: {
      size: 1, read: () => Readable.from([Buffer.from('a')]),
    } }]
    const mailer = createResendMailer({ apiKey: API_KEY, baseUrl, timeoutMs: 60_000 }, createHttpClient())
    const sends = ['one', 'two', 'three'].map(key => mailer.send({ ...email, attachments }, key))
    await until('the first', () => responses.length === 1)
    accept()
    await sends[0]
    await until('the second', () => responses.length === 1)
    const plainSend = mailer.send(email, 'plain')
    await until('the one without files', () => responses.length > 1)
    expect(requests.map(({ headers }) => headers['idempotency-key'])).toEqual(['one', 'two', 'plain'])
    accept()
    accept()
    await until('the third', () => responses.length === 1)
    accept()
    for (const send of [...sends, plainSend]) expect(await send).toEqual({ ok: true, value: '1' })
  })

  test('headers and attachments arrive, these in base64', async () => {
    answer = response => response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"1"}')
    const mailer = createResendMailer({ apiKey: API_KEY, baseUrl }, createHttpClient())
    await mailer.send({ ...email, headers: { 'Auto-Submitted': 'auto-generated' }, attachments: [
      { filename: 'a.json', contentType: 'application/json', content: '{"ä":1}' },
    ] }, 'key-2')
    expect(requests[0]!.body).toMatchObject({
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
      // A used-up quota is more than a rate limit.
      ...name === 'rate_limit_exceeded' && { limited: true },
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
      ...retryAfterMs !== undefined && { retryAfterMs },
    })
  })

  test.each([
    ['an HTML error page', 502, '<h1>Bad gateway</h1>'],
    ['an error without a status', 500, '{"message":"?"}'],
    ['an error that is null', 500, 'null'],
    ['a success that is not JSON', 200, 'OK'],
    ['a success that is null', 200, 'null'],
    // A proxy in between may answer like this.
    ['a success without an id', 200, '{}'],
  ])('%s is a failure to repeat', async (_, status, body) => {
    answer = response => response.writeHead(status).end(body)
    expect(await send()).toMatchObject({ ok: false, permanent: false })
  })

  test('a server that never answers is given up', async () => {
    answer = () => {}
    expect(await send({ timeoutMs: 50 })).toEqual({
      ok: false, permanent: false, reason: 'Resend did not answer in time.',
    })
  })

  test('a server that stops in the middle of its answer is given up', async () => {
    answer = response => response.writeHead(500).write('{"sta')
    expect(await send({ timeoutMs: 50 })).toMatchObject({
      ok: false, permanent: false, reason: 'Resend did not answer in time.',
    })
  })

  test.each([
    [FilesUnavailable, 'A file of the submission cannot be read from its storage.'], [FileLost, FILE_LOST],
  ])('a file that is not to be read is named as the cause, and nothing is sent without it', async (FileError, reason) => {
    const lostContent = { size: 1, read: () => Readable.from((async function* (): AsyncGenerator<Buffer> {
      yield* []
      throw new FileError(new Error('gone'))
    })()) }
    const mailer = createResendMailer({ apiKey: API_KEY, baseUrl }, createHttpClient())
    const attachments = [{ filename: 'a.txt', contentType: 'text/plain', content: lostContent }]
    expect(await mailer.send({ ...email, attachments }, 'one')).toEqual({ ok: false, permanent: false, reason })
    expect(requests).toEqual([])
  })

  test('nobody listening is a failure to repeat', async () => {
    server.close()
    await once(server, 'close')
    expect(await send()).toEqual({ ok: false, permanent: false, reason: 'Resend cannot be reached.' })
  })

  test('a key that cannot be a header is named, not thrown and not shown', async () => {
    const outcome = await send({ apiKey: 'two\nlines' })
    expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining('MAIL_API_KEY') })
    expect(JSON.stringify(outcome)).not.toContain('lines')
  })
})
