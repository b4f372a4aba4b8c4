import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { withFallback } from '../../../../server/adapters/email/fallback'
import { createSmtpMailer, type SmtpOptions } from '../../../../server/adapters/email/smtp'
import type { Email, Mailer, Outcome, Sent } from '../../../../server/ports/delivery'
import { endAfterTest, sharedFolder } from '../../../support/lifetime'
import { freePort } from '../../../support/ports'
import { headerOf, startSmtp, type SmtpDouble } from '../../../support/smtp'
import { until } from '../../../support/until'

const EMAIL: Email = {
  from: 'Formbot <bot@example.com>', to: ['a@example.com', 'b@example.com'], subject: 'Hello', text: 'Hello',
}
const SENT = { ok: true, value: {} }

let server: SmtpDouble
beforeEach(async () => { server = endAfterTest(await startSmtp()) })

function mailer(options: Partial<SmtpOptions> = {}, scheme = 'smtp') {
  return endAfterTest(createSmtpMailer({
    url: `${scheme}://127.0.0.1:${server.port}`, isTlsRequired: false, attemptMs: 5000, ...options,
  }))
}

describe('an email by SMTP', () => {
  test('has the same Message-ID on every attempt, and that of the thread if it has one', async () => {
    const smtp = mailer()
    server.fault.data = () => [451, '4.7.1 Greylisted']
    for (let attempt = 0; attempt < 3; attempt++) {
      expect(await smtp.send(EMAIL, 'key-1')).toMatchObject({
        ok: false, permanent: false, reason: 'The mail server asks to try again later (451).', answer: expect.stringContaining('4.7.1'),
      })
    }
    server.fault = {}
    for (const key of ['key-1', 'key-1', 'key-2']) expect(await smtp.send(EMAIL, key)).toEqual(SENT)
    expect(await smtp.send({ ...EMAIL, headers: { 'Message-ID': '<thread@example.com>', 'X-Entity-Ref-ID': 'id' } }, 'key-3'))
      .toEqual(SENT)
    expect(server.mails.map(mail => headerOf(mail, 'Message-ID'))).toEqual([
      '<key-1@example.com>', '<key-1@example.com>', '<key-2@example.com>', '<thread@example.com>',
    ])
    expect(headerOf(server.mails[3]!, 'X-Entity-Ref-ID')).toBe('id')
  })

  test('keeps what people typed out of its headers, whatever line breaks it has', async () => {
    const hostile = 'x\r\nBcc: eve@example.com\r\n\r\n<script>'
    expect(await mailer().send({
      ...EMAIL, subject: hostile, replyTo: 'ada@example.com', html: `<p>${hostile}</p>`, text: hostile,
      headers: { 'X-Entity-Ref-ID': hostile },
      attachments: [{ filename: hostile, contentType: 'text/plain', content: 'a' }],
    }, 'k\r\nBcc: eve@example.com')).toEqual(SENT)
    const [mail] = server.mails
    expect(mail!.to).toEqual(['a@example.com', 'b@example.com'])
    expect(headerOf(mail!, 'Bcc')).toBeUndefined()
    expect(headerOf(mail!, 'Subject')).toBe('x Bcc: eve@example.com  <script>')
    expect(headerOf(mail!, 'Reply-To')).toBe('ada@example.com')
  })

  test('reads no file that a text names, and streams the files that it has', async () => {
    const content = Buffer.alloc(300_000, 'x')
    async function* read() {
      for (let at = 0; at < content.length; at += 10_000) yield content.subarray(at, at + 10_000)
    }
    expect(await mailer().send({
      ...EMAIL, text: '/etc/hostname', attachments: [
        { filename: 'a.bin', contentType: 'application/octet-stream', content: { size: content.length, read } },
      ],
    }, 'k')).toEqual(SENT)
    const { raw } = server.mails[0]!
    expect(raw).toContain('/etc/hostname')
    expect(raw.replace(/\r\n/g, '')).toContain(content.toString('base64').slice(0, 1000))
  })

  test('of whose recipients one is refused goes to the other, and names the one', async () => {
    server.fault.recipient = address => address.startsWith('b') ? [550, '5.1.1 User unknown'] : undefined
    expect(await mailer().send(EMAIL, 'k')).toEqual({ ok: true, value: {
      refused: [{ address: 'b@example.com', answer: expect.stringContaining('550 5.1.1 User unknown') }],
    } })
    expect(server.mails.map(({ to }) => to)).toEqual([['a@example.com']])
  })

  test('whose recipients are all refused is permanently refused, unless one may pass later', async () => {
    const smtp = mailer()
    server.fault.recipient = () => [550, '5.1.1 User unknown']
    expect(await smtp.send(EMAIL, 'k')).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('refused the email (550). Check MAIL_FROM_ADDRESS'),
    })
    server.fault.recipient = address => address.startsWith('b') ? [451, 'Later'] : [550, 'No']
    expect(await smtp.send(EMAIL, 'k')).toMatchObject({ ok: false, permanent: false })
    expect(server.mails).toEqual([])
  })

  test('that the server took without an answer may have arrived, and is said to', async () => {
    const smtp = mailer()
    server.fault.data = () => 'die'
    expect(await smtp.send(EMAIL, 'k')).toMatchObject({
      ok: false, permanent: false, isUncertain: true, reason: expect.stringContaining('may arrive twice'),
    })
    server.fault = {}
    expect(await smtp.send(EMAIL, 'k')).toEqual(SENT)
    expect(server.mails.map(mail => headerOf(mail, 'Message-ID'))).toEqual(['<k@example.com>', '<k@example.com>'])
  })

  test('ends within the time of an attempt, and only what was handed over is uncertain', async () => {
    const never = new Promise<void>(() => {})
    server.fault.data = () => never
    const startedAt = performance.now()
    expect(await mailer({ attemptMs: 300 }).send(EMAIL, 'k')).toMatchObject({ ok: false, isUncertain: true })
    expect(performance.now() - startedAt).toBeLessThan(2000)
    await until('its connection closed', () => server.connections.open === 0)
    const silent = endAfterTest(createServer().listen(0, '127.0.0.1'))
    await once(silent, 'listening')
    const { port } = silent.address() as AddressInfo
    const late = await mailer({ attemptMs: 300, url: `smtp://127.0.0.1:${port}` }).send(EMAIL, 'k')
    expect(late).toEqual({ ok: false, permanent: false, reason: 'The mail server did not answer in time.' })
  })

  test('of more than a few at once waits for its turn, and all share few connections', async () => {
    const smtp = mailer()
    const outcomes = await Promise.all(Array.from({ length: 40 }, (_, index) => smtp.send(EMAIL, `k${index}`)))
    expect(outcomes).toEqual(Array.from({ length: 40 }, () => SENT))
    expect(server.mails).toHaveLength(40)
    expect(server.connections.count).toBeLessThanOrEqual(5)
  })

  test('that gets no turn in time was not attempted, and the turns after it are not lost', async () => {
    const gate = Promise.withResolvers<void>()
    server.fault.data = () => gate.promise
    const patient = mailer({ attemptMs: 400 })
    const first = Array.from({ length: 5 }, (_, index) => patient.send(EMAIL, `k${index}`))
    const sixth = await patient.send(EMAIL, 'k6')
    expect(['Other emails go first.', 'The mail server did not answer in time.'])
      .toContain((sixth as { reason: string }).reason)
    await Promise.all(first)
    gate.resolve()
    server.fault = {}
    for (let index = 0; index < 8; index++) expect(await patient.send(EMAIL, `after${index}`)).toEqual(SENT)
  })

  test('over a connection that the server closed meanwhile goes out over a new one', async () => {
    const smtp = mailer()
    expect(await smtp.send(EMAIL, 'one')).toEqual(SENT)
    await server.close()
    server = endAfterTest(await startSmtp())
    const other = mailer()
    expect(await other.send(EMAIL, 'two')).toEqual(SENT)
    expect(await other.send(EMAIL, 'three')).toEqual(SENT)
    expect(server.connections.count).toBe(1)
    other.close()
    await until('no connection', () => server.connections.open === 0)
    expect(await other.send(EMAIL, 'four')).toEqual(SENT)
  })

  test('that is too large for the server is refused for good', async () => {
    server = endAfterTest(await startSmtp({ size: 1000 }))
    expect(await mailer().send({ ...EMAIL, text: 'x'.repeat(5000) }, 'k')).toMatchObject({
      ok: false, permanent: true, reason: 'The mail server refused the size of the email (552).',
    })
  })

  test('to a server that is not there is tried again', async () => {
    expect(await mailer({ url: `smtp://127.0.0.1:${await freePort()}` }).send(EMAIL, 'k')).toEqual({
      ok: false, permanent: false, reason: 'The mail server cannot be reached. Check SMTP_URL.',
    })
  })
})

describe('a mail server with a password', () => {
  beforeEach(async () => {
    server = endAfterTest(await startSmtp({
      authOptional: false, allowInsecureAuth: true,
      onAuth: ({ username, password }, _, done) => (
        username === 'ada@example.com' && password === 'p@ss/word' ? done(null, { user: 1 }) : done(new Error('Invalid username or password'))
      ),
    }))
  })
  const signedIn = (password: string) => mailer({
    url: `smtp://${encodeURIComponent('ada@example.com')}:${encodeURIComponent(password)}@127.0.0.1:${server.port}`,
  })

  test('gets user and password as they are, whatever characters they have', async () => {
    expect(await signedIn('p@ss/word').send(EMAIL, 'k')).toEqual(SENT)
  })

  test('that refuses them is named with the variable, and its answer has no password', async () => {
    const outcome = await signedIn('wrong-secret').send(EMAIL, 'k')
    expect(outcome).toMatchObject({
      ok: false, permanent: true, reason: 'The mail server refused user or password (535). Check SMTP_URL.',
    })
    expect(JSON.stringify(outcome)).not.toContain('wrong-secret')
    expect(await mailer().send(EMAIL, 'k')).toMatchObject({ ok: false, permanent: true, reason: expect.stringContaining('SMTP_URL') })
  })
})

describe('TLS', () => {
  const dir = sharedFolder()
  const [key, cert] = [join(dir, 'key.pem'), join(dir, 'cert.pem')]
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', cert, '-days', '2', '-subj', '/CN=127.0.0.1',
    '-addext', 'subjectAltName=IP:127.0.0.1',
  ], { stdio: 'ignore' })
  const files = { key: readFileSync(key), cert: readFileSync(cert) }

  test.each([['smtp', {}], ['smtps', { secure: true }]] as const)('by %s:// a private authority is trusted once it is set, and named before', async (scheme, options) => {
    server = endAfterTest(await startSmtp({ ...files, ...options }))
    expect(await mailer({}, scheme).send(EMAIL, 'k')).toMatchObject({
      ok: false, permanent: false, reason: expect.stringContaining('Set SMTP_CA to the certificate of its authority'),
    })
    expect(await mailer({ ca: files.cert.toString() }, scheme).send(EMAIL, 'k')).toEqual(SENT)
  })

  test('that is required and not offered stops the email before anything is said', async () => {
    expect(await mailer({ isTlsRequired: true }).send(EMAIL, 'k')).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('SMTP_TLS=required'),
    })
    expect(server.mails).toEqual([])
    expect(await mailer().send(EMAIL, 'k')).toEqual(SENT)
  })
})

describe('the fallback', () => {
  const said = (outcome: Outcome<Sent>) => {
    const calls: string[] = []
    return { calls, send: async (_: Email, key: string) => { calls.push(key); return outcome } } satisfies Mailer & { calls: string[] }
  }
  const later = { ok: false, permanent: false, reason: 'Later.' } as const

  test.each<[string, Outcome<Sent>, Parameters<Mailer['send']>[2], boolean]>([
    ['what was sent', { ok: true, value: {} }, {}, false],
    ['what was refused for good', { ...later, permanent: true }, {}, true],
    ['what is tried again', later, {}, false],
    ['what fails for the last time', later, { isLast: true }, true],
    ['what waits for its turn', { ...later, busy: true }, { isLast: true }, false],
    ['what may have arrived', { ...later, isUncertain: true }, { isLast: true }, false],
    ['what may have arrived earlier', { ...later, permanent: true }, { isLast: true, isUncertain: true }, false],
  ])('of %s', async (_, outcome, attempt, isTaken) => {
    const [first, second] = [said(outcome), said({ ok: true, value: { messageId: 'second' } })]
    const result = await withFallback(first, second).send(EMAIL, 'k', attempt)
    expect(second.calls).toEqual(isTaken ? ['k'] : [])
    expect(result).toEqual(isTaken ? { ok: true, value: { messageId: 'second' } } : outcome)
  })
})
