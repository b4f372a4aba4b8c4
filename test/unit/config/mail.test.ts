import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../server/config'
import { PRODUCTION, problemsOf } from '../../fixtures/config/env'

const SMTP = { ...PRODUCTION, MAIL_API_KEY: undefined, SMTP_URL: 'smtp://user:pass@mail.example.com' }

describe('a mail server', () => {
  test('replaces Resend, with the usual port of its scheme', () => {
    expect(readConfig(SMTP).mail).toMatchObject({
      smtp: { host: 'mail.example.com', port: 587, secure: false, user: 'user', password: 'pass', requireTls: false },
      carrier: 'SMTP server', fallback: false,
    })
    expect(readConfig({ ...SMTP, SMTP_URL: 'smtps://mail.example.com' }).mail.smtp).toEqual({
      host: 'mail.example.com', port: 465, secure: true, requireTls: false,
    })
  })

  test('is used if Resend is set up, too', () => {
    const { mail } = readConfig({ ...SMTP, MAIL_API_KEY: 're_1' })
    expect(mail).toMatchObject({ carrier: 'SMTP server', fallback: false })
  })

  test('needs a sender and a recipient, as Resend does', () => {
    expect(problemsOf({ ...SMTP, MAIL_FROM_ADDRESS: undefined, FORWARD_EMAIL: undefined })).toEqual([
      expect.stringMatching(/^MAIL_FROM_ADDRESS is missing/), expect.stringMatching(/^FORWARD_EMAIL is missing/),
    ])
  })

  test('and Resend are both named if neither is set', () => {
    expect(problemsOf({ ...SMTP, SMTP_URL: undefined })).toEqual([
      expect.stringMatching(/^MAIL_API_KEY is missing, and so is SMTP_URL/),
    ])
  })

  test.each([
    'mail.example.com:587', 'http://mail.example.com', 'smtp://', 'smtp://:587', 'smtp://user:pass@', 'smtp://host/path',
    'smtp://host?tls=1', 'smtp://user:a/b@host', 'smtp://user:%zz@host',
  ])('is refused with one problem for the URL %s, which is not quoted', (url) => {
    const problems = problemsOf({ ...SMTP, SMTP_URL: url })
    expect(problems).toEqual([expect.stringMatching(/^SMTP_URL is malformed: must /)])
    expect(problems[0]).not.toMatch(/a\/b|%zz|user:pass@ /)
  })
})

describe('what goes with it', () => {
  test.each([
    [{ SMTP_TLS: 'yes' }, /^SMTP_TLS is malformed: must be required/],
    [{ MAIL_FALLBACK: 'smtp' }, /^MAIL_FALLBACK is malformed: must be resend/],
    [{ MAIL_FALLBACK: 'resend' }, /^MAIL_API_KEY is missing, but MAIL_FALLBACK is set/],
    [{ SMTP_CA: '/nowhere/ca.pem' }, /^SMTP_CA must be/],
    [{ SMTP_CA: '-----BEGIN CERTIFICATE-----' }, /^SMTP_CA must be/],
    [{ MAIL_WEBHOOK_SECRET: `whsec_${'b'.repeat(32)}` }, /^MAIL_WEBHOOK_SECRET is set, but .* no receipts with SMTP/],
  ])('is refused: %o', (extra, problem) => {
    expect(problemsOf({ ...SMTP, ...extra })).toEqual([expect.stringMatching(problem)])
  })

  test.each([['SMTP_TLS', 'required'], ['SMTP_CA', '/nowhere/ca.pem'], ['MAIL_FALLBACK', 'resend']])(
    '%s needs SMTP_URL', (name, value) => {
      expect(problemsOf({ ...PRODUCTION, [name]: value })).toEqual([expect.stringMatching(/^SMTP_URL is missing, but/)])
    },
  )

  test('receipts are allowed for the fallback', () => {
    const secret = `whsec_${'b'.repeat(32)}`
    const env = { ...SMTP, MAIL_API_KEY: 're_1', MAIL_FALLBACK: 'resend', MAIL_WEBHOOK_SECRET: secret }
    expect(readConfig(env).mail).toMatchObject({ fallback: true, receipts: {} })
  })
})
