import { createServer } from 'node:net'
import { once } from 'node:events'
import { beforeAll, describe, expect, test } from 'vitest'
import { createSmtpMailer, type SmtpOptions } from '../../../../server/adapters/email/smtp'
import type { Email } from '../../../../server/ports/delivery'
import { endAfterTest, sharedFolder } from '../../../support/lifetime'
import { freePort } from '../../../support/ports'
import { headerOf, selfSigned, startSmtp } from '../../../support/smtp'
import { until } from '../../../support/until'

const email: Email = {
  from: '"Formbot" <bot@example.com>', to: ['ada@example.com', 'bob@example.com'], replyTo: 'eve@example.org',
  subject: 'Hello', html: '<p>Hello</p>', text: 'Hello',
  headers: { References: '<one@example.com>' },
}

let certificate: ReturnType<typeof selfSigned>
beforeAll(() => { certificate = selfSigned(sharedFolder()) })

type Server = Parameters<typeof startSmtp>[0]

async function open(server: Server = {}, options: Partial<SmtpOptions> = {}) {
  const smtp = endAfterTest(await startSmtp(server))
  const mailer = createSmtpMailer({ host: '127.0.0.1', port: smtp.port, secure: false, timeoutMs: 8000, ...options })
  endAfterTest({ close: () => mailer.close!() })
  return { smtp, mailer }
}

const withSignIn: Server = {
  authOptional: false, disabledCommands: ['STARTTLS'], allowInsecureAuth: true,
  onAuth({ username, password }, _, done) {
    const isRight = username === 'user' && password === 'p@ss:word'
    done(isRight ? null : Object.assign(new Error(`Wrong: ${password}`), { responseCode: 535 }), { user: 1 })
  },
}

describe('an email', () => {
  test('arrives with its headers, under a Message-ID of its key', async () => {
    const { smtp, mailer } = await open()
    expect(await mailer.send(email, 'key-1')).toMatchObject({
      ok: true, said: expect.stringContaining('queued as ABC123'),
    })
    const [received] = smtp.emails
    expect(received).toMatchObject({ from: 'bot@example.com', to: ['ada@example.com', 'bob@example.com'] })
    expect(headerOf(received!, 'Message-ID')).toBe('<key-1@example.com>')
    expect(headerOf(received!, 'References')).toBe('<one@example.com>')
    expect(headerOf(received!, 'Reply-To')).toBe('eve@example.org')
  })

  test('has the Message-ID that its writer gave it, to which a correction refers; the first refers to no other', async () => {
    const { smtp, mailer } = await open()
    const first = { 'Message-ID': '<one@example.com>', 'References': '<one@example.com>' }
    await mailer.send({ ...email, headers: first }, 'key-1')
    await mailer.send({ ...email, headers: {
      ...first, 'Message-ID': '<two@example.com>', 'In-Reply-To': '<one@example.com>',
    } }, 'key-2')
    const names = ['Message-ID', 'In-Reply-To', 'References']
    expect(smtp.emails.map(each => names.map(name => headerOf(each, name)))).toEqual([
      ['<one@example.com>', undefined, undefined], ['<two@example.com>', '<one@example.com>', '<one@example.com>'],
    ])
  })

  test('has no header more for a line break in any of its values', async () => {
    const { smtp, mailer } = await open()
    const evil = 'x\r\nBcc: evil@example.com\r\n\r\nbody'
    await mailer.send({
      ...email, from: `"${evil}" <bot@example.com>`, replyTo: `eve@example.org\r\nBcc: evil@example.com`, subject: evil,
      headers: { 'X-Evil': evil }, text: 'Hello\r\n.\r\nMAIL FROM:<evil@example.com>',
      attachments: [{ filename: evil, contentType: 'text/plain\r\nBcc: evil@example.com', content: 'a\r\n.\r\nb' }],
    }, 'key\r\nBcc: evil@example.com')
    expect(smtp.emails).toHaveLength(1)
    expect(smtp.emails[0]!.to).toEqual(email.to)
    expect(smtp.emails[0]!.source).not.toMatch(/^Bcc:/im)
    expect(smtp.emails[0]!.source).toContain('Hello\r\n.\r\nMAIL FROM:<evil@example.com>')
  })

  test('streams its files', async () => {
    const { smtp, mailer } = await open()
    const chunk = Buffer.alloc(100_000, 'a')
    const read = async function* () { for (let index = 0; index < 20; index++) yield chunk }
    await mailer.send({ ...email, attachments: [{
      filename: 'a.bin', contentType: 'application/octet-stream', content: { size: 2_000_000, read },
    }] }, 'key')
    const body = smtp.emails[0]!.source.split(/filename="?a.bin"?\r\n/)[1]!.split('\r\n\r\n')[0]!.split('\r\n--')[0]!
    expect(Buffer.from(body, 'base64')).toHaveLength(2_000_000)
  })

  test('whose file cannot be read is not sent, also not in part', async () => {
    const { smtp, mailer } = await open()
    const read = async function* () {
      yield Buffer.alloc(100_000)
      throw Object.assign(new Error('lost'), { code: 'FILE_LOST' })
    }
    const outcome = await mailer.send({ ...email, attachments: [{
      filename: 'a.bin', contentType: 'image/png', content: { size: 200_000, read },
    }] }, 'key')
    expect(outcome).toMatchObject({
      ok: false, permanent: false, reason: expect.stringContaining('not in its storage'),
    })
    await until('the connection is closed', () => smtp.connections.open === 0)
    expect(smtp.emails).toEqual([])
  })
})

describe('a server', () => {
  test('that greylists three times gets the email at the fourth attempt, under the same Message-ID', async () => {
    const { smtp, mailer } = await open()
    let attempts = 0
    smtp.faults.recipient = address => address.startsWith('ada') && ++attempts <= 3 ? [451, 'Greylisted'] : undefined
    const toAda = { ...email, to: ['ada@example.com'] }
    for (let attempt = 1; attempt <= 3; attempt++) {
      expect(await mailer.send(toAda, 'key')).toMatchObject({
        ok: false, permanent: false, refused: toAda.to, reason: 'The mail server refused a recipient (451).',
      })
    }
    expect(await mailer.send(toAda, 'key')).toMatchObject({ ok: true })
    expect(smtp.emails).toHaveLength(1)
  })

  test('that refuses one of two recipients is reported with both lists', async () => {
    const { smtp, mailer } = await open()
    smtp.faults.recipient = address => address.startsWith('bob') ? [550, `No ${address}`] : undefined
    expect(await mailer.send(email, 'key')).toEqual({
      ok: false, permanent: true, reason: 'The mail server refused a recipient (550).',
      accepted: ['ada@example.com'], refused: ['bob@example.com'], status: 550,
      answer: expect.stringContaining('No bob@example.com'),
    })
    expect(smtp.emails[0]!.to).toEqual(['ada@example.com'])
  })

  test.each([
    [451, false], [554, true],
  ])('that answers %i has not got the email; for good: %s', async (code, permanent) => {
    const { smtp, mailer } = await open()
    smtp.faults.data = () => [code, 'Secret of eve@example.org']
    const outcome = await mailer.send(email, 'key')
    expect(outcome).toMatchObject({ ok: false, permanent, reason: expect.stringContaining(`(${code})`) })
    expect(outcome).toMatchObject({ status: code, answer: expect.stringContaining('Secret of eve@example.org') })
    expect(outcome).not.toHaveProperty('mayHaveArrived')
    expect(outcome).not.toHaveProperty('outage')
    expect(outcome.ok || outcome.reason).not.toContain('eve@example.org')
  })

  test('that dies after the message may have it', async () => {
    const { smtp, mailer } = await open()
    smtp.faults.data = () => 'die'
    expect(await mailer.send(email, 'key')).toMatchObject({ ok: false, permanent: false, mayHaveArrived: true })
    smtp.faults.data = undefined
    await mailer.send(email, 'key')
    expect(smtp.emails.map(received => headerOf(received, 'Message-ID'))).toEqual(
      ['<key@example.com>', '<key@example.com>'],
    )
  })

  test('that answers after the time of an attempt may have the email', async () => {
    const { smtp, mailer } = await open({}, { timeoutMs: 400 })
    const { promise, resolve } = Promise.withResolvers<null>()
    smtp.faults.data = () => promise
    const startedAt = performance.now()
    expect(await mailer.send(email, 'key')).toMatchObject({ ok: false, mayHaveArrived: true })
    expect(performance.now() - startedAt).toBeGreaterThan(290)
    await until('the connection is closed', () => smtp.connections.open === 0)
    resolve(null)
  })

  test('that never greets is left in time, and has not got the email', async () => {
    const port = await freePort()
    const silent = createServer(socket => socket.on('error', () => {}))
    await once(silent.listen(port, '127.0.0.1'), 'listening')
    endAfterTest({ close: () => silent.close() })
    const mailer = createSmtpMailer({ host: '127.0.0.1', port, secure: false, timeoutMs: 400 })
    expect(await mailer.send(email, 'key')).toEqual({
      ok: false, permanent: false, reason: 'The mail server did not answer in time. Check SMTP_URL.', outage: true,
    })
  })

  test('that is not there is a temporary failure', async () => {
    const mailer = createSmtpMailer({ host: '127.0.0.1', port: await freePort(), secure: false })
    expect(await mailer.send(email, 'key')).toEqual({
      ok: false, permanent: false, reason: 'The mail server cannot be reached. Check SMTP_URL.', outage: true,
    })
  })

  test('whose size is smaller than the email refuses it for good, before it gets it', async () => {
    const { smtp, mailer } = await open({ size: 10_000 })
    const content = 'a'.repeat(20_000)
    expect(await mailer.send({ ...email, attachments: [{ filename: 'a', contentType: 'text/plain', content }] }, 'key'))
      .toMatchObject({ ok: false, permanent: true, reason: expect.stringContaining('larger than') })
    expect(smtp.emails).toEqual([])
  })
})

describe('signing in', () => {
  test('works with the right password', async () => {
    const { smtp, mailer } = await open(withSignIn, { user: 'user', password: 'p@ss:word' })
    expect(await mailer.send(email, 'key')).toMatchObject({ ok: true })
    expect(smtp.emails).toHaveLength(1)
  })

  test('with a wrong one fails for good and names SMTP_URL, never the password', async () => {
    const { mailer } = await open(withSignIn, { user: 'user', password: 'wrong-secret' })
    const outcome = await mailer.send(email, 'key')
    expect(outcome).toMatchObject({
      ok: false, permanent: true, outage: true, status: 535, reason: expect.stringContaining('SMTP_URL'),
    })
    expect(JSON.stringify(outcome)).not.toContain('wrong-secret')
  })

  test('that is missing names SMTP_URL', async () => {
    const { mailer } = await open(withSignIn)
    expect(await mailer.send(email, 'key')).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('Put user and password into SMTP_URL'),
    })
  })
})

describe('encryption', () => {
  test('is refused for a self-signed certificate, with what to set', async () => {
    const { smtp, mailer } = await open({ ...certificate, disabledCommands: ['AUTH'] })
    expect(await mailer.send(email, 'key')).toMatchObject({
      ok: false, permanent: false, reason: expect.stringMatching(/not trusted \(.*SELF_SIGNED.*\)\. Set SMTP_CA/),
    })
    expect(smtp.emails).toEqual([])
  })

  test.each([[true], [false]])('works with that certificate as SMTP_CA, from the start: %s', async (secure) => {
    const { smtp, mailer } = await open(
      { ...certificate, secure, disabledCommands: ['AUTH'] }, { secure, ca: certificate.cert, requireTls: !secure },
    )
    expect(await mailer.send(email, 'key')).toMatchObject({ ok: true })
    expect(smtp.emails[0]!.source).toContain('Hello')
  })

  test('that is required and not offered sends nothing', async () => {
    const { smtp, mailer } = await open({}, { requireTls: true })
    expect(await mailer.send(email, 'key')).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('SMTP_TLS=required'),
    })
    expect(smtp.emails).toEqual([])
  })
})

describe('connections', () => {
  test('are kept for the next email, and closed when idle', async () => {
    const { smtp, mailer } = await open({}, { idleMs: 200 })
    await mailer.send(email, 'one')
    await mailer.send(email, 'two')
    expect(smtp.emails).toHaveLength(2)
    expect(smtp.connections.opened).toBe(1)
    await until('it is closed', () => smtp.connections.open === 0)
  })

  test('that the server has closed are replaced', async () => {
    const { smtp, mailer } = await open()
    await mailer.send(email, 'one')
    const { port } = smtp
    await smtp.close()
    const next = endAfterTest(await startSmtp({ port }))
    expect(await mailer.send(email, 'two')).toMatchObject({ ok: true })
    expect(next.emails).toHaveLength(1)
  })

  test('are closed at the end', async () => {
    const { smtp, mailer } = await open()
    await mailer.send(email, 'one')
    mailer.close!()
    await until('it is closed', () => smtp.connections.open === 0)
  })

  test('are five at most, and further emails wait for one', async () => {
    const { smtp, mailer } = await open()
    const outcomes = await Promise.all(Array.from({ length: 12 }, (_, index) => mailer.send(email, `key-${index}`)))
    expect(outcomes.every(({ ok }) => ok)).toBe(true)
    expect(smtp.connections.opened).toBeLessThanOrEqual(5)
  })
})
