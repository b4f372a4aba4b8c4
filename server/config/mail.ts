import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SmtpOptions } from '../adapters/email/smtp'
import type { Require, Values } from '../variable'
import type { coreVariables } from './core'

export interface MailConfig {
  apiKey?: string
  baseUrl?: string
  /** Mail server; Resend is then only the fallback, if `fallback` is set. */
  smtp?: SmtpOptions
  fallback: boolean
  /** Name of what sends the emails, for people; absent if they are kept here. */
  carrier?: string
  fromAddress: string
  fromName: string
  to: readonly string[]
  /** Secret for Resend's reports on emails, and how long the form data is kept for them, ms. */
  receipts?: { secret: string, waitMs: number }
}

type MailValues = Values<typeof coreVariables>

/** Requires what sends emails and the addresses, unless a sandbox keeps the emails. */
export function requireMail(values: MailValues, isOptional: boolean, require: Require, problems: string[]): void {
  const { SMTP_URL, SMTP_TLS, SMTP_CA, MAIL_FALLBACK, MAIL_API_KEY, MAIL_WEBHOOK_SECRET } = values
  const isUsed = [SMTP_URL, MAIL_API_KEY, MAIL_WEBHOOK_SECRET, MAIL_FALLBACK].some(value => value !== undefined)
  if (isUsed || !isOptional) {
    // A wrong SMTP_URL is reported already.
    const isReported = problems.some(problem => problem.startsWith('SMTP_URL '))
    if (!SMTP_URL && !isReported) require(['MAIL_API_KEY'], ', and so is SMTP_URL, for any other mail server')
    require(['MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'], '')
  }
  if (MAIL_FALLBACK) require(['SMTP_URL', 'MAIL_API_KEY'], ', but MAIL_FALLBACK is set')
  if (SMTP_TLS) require(['SMTP_URL'], ', but SMTP_TLS is set')
  if (SMTP_CA) require(['SMTP_URL'], ', but SMTP_CA is set')
  if (SMTP_URL && MAIL_WEBHOOK_SECRET && !MAIL_FALLBACK) problems.push(
    'MAIL_WEBHOOK_SECRET is set, but SMTP_URL sends the emails, and there are no receipts with SMTP. Unset one of them.',
  )
}

/** Reads the settings of emails. Adds to `problems` if SMTP_CA cannot be read. */
export function readMail(values: MailValues, problems: string[]): MailConfig {
  const { SMTP_URL, MAIL_API_KEY, MAIL_WEBHOOK_SECRET } = values
  return {
    apiKey: MAIL_API_KEY, baseUrl: values.RESEND_BASE_URL,
    ...SMTP_URL !== undefined && { smtp: readSmtp(SMTP_URL, values, problems) },
    fallback: values.MAIL_FALLBACK !== undefined,
    carrier: SMTP_URL ? 'SMTP server' : MAIL_API_KEY ? 'Resend' : undefined,
    fromAddress: values.MAIL_FROM_ADDRESS ?? 'forms@example.com', fromName: values.MAIL_FROM_NAME ?? 'Formbot',
    to: values.FORWARD_EMAIL ?? ['team@example.com'],
    receipts: MAIL_WEBHOOK_SECRET
      ? { secret: MAIL_WEBHOOK_SECRET, waitMs: values.RECEIPT_WAIT ?? 60 * 60 * 1000 }
      : undefined,
  }
}

function readSmtp(smtpUrl: string, { SMTP_TLS, SMTP_CA }: MailValues, problems: string[]): SmtpOptions {
  const { protocol, hostname, port, username, password } = new URL(smtpUrl)
  const secure = protocol === 'smtps:'
  return {
    // Brackets of an IPv6 address belong to the URL.
    host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (secure ? 465 : 587), secure,
    ...username !== '' && { user: decodeURIComponent(username), password: decodeURIComponent(password) },
    requireTls: SMTP_TLS === 'required', ...SMTP_CA !== undefined && { ca: readAuthority(SMTP_CA, problems) },
  }
}

function readAuthority(value: string, problems: string[]): string | undefined {
  try {
    // In many places a variable has one line.
    const pem = value.includes('-----BEGIN') ? value.replaceAll('\\n', '\n') : readFileSync(value, 'utf8')
    new X509Certificate(pem)
    return pem
  }
  catch {
    problems.push('SMTP_CA must be the path of a PEM file with a certificate, or its text: it cannot be read.')
    return undefined
  }
}
