import { readFileSync } from 'node:fs'
import { text, url } from '../variable'
import type { Config } from '../config'

/** Variables of the mail server that may send the emails */
export const mailVariables = {
  SMTP_URL: {
    schema: text.regex(/^(?!smtps?:\/\/[^@/?#]*[/?#][^@]*@)/, 'must not have /, ? or # in its password: write them as %2F, %3F and %23')
      .pipe(url(/^smtps?$/, 'must be an smtp:// or smtps:// URL'))
      .refine(hasHost, 'must name a host, and have a percent-encoded user and password'),
    about: 'Mail server that sends the emails, instead of Resend: smtp://user:password@host:587, or smtps://…:465.',
    where: 'Your mail provider.',
  },
  SMTP_TLS: {
    schema: text.regex(/^required$/, 'must be `required`, or not be set'),
    about: '`required`: send nothing if the mail server offers no TLS. Set it, unless the server is on your own network.',
  },
  SMTP_CA: { schema: text, about: 'Certificate of the authority that signed the one of the mail server: a file, or PEM.' },
  MAIL_FALLBACK: {
    schema: text.regex(/^resend$/, 'must be `resend`, or not be set'),
    about: '`resend`: Resend sends what the mail server has given up, unless it may have arrived.',
  },
} as const

interface MailValues {
  SMTP_URL?: string
  SMTP_TLS?: string
  SMTP_CA?: string
  MAIL_FALLBACK?: string
  MAIL_API_KEY?: string
  MAIL_WEBHOOK_SECRET?: string
}

/** Adds what is missing or contradicts. @param isSending false if emails may be kept here */
export function checkMail(
  values: MailValues, isSending: boolean, require: (names: string[], when: string) => void, problems: string[],
): void {
  const { SMTP_URL, MAIL_API_KEY, MAIL_WEBHOOK_SECRET, MAIL_FALLBACK } = values
  if (isSending && !SMTP_URL) {
    require(['MAIL_API_KEY'], MAIL_API_KEY ? '' : ', and so is SMTP_URL: one of them sends the emails')
  }
  if (isSending) require(['MAIL_FROM_ADDRESS', 'FORWARD_EMAIL'], '')
  for (const name of ['SMTP_TLS', 'SMTP_CA', 'MAIL_FALLBACK'] as const) {
    if (values[name]) require(['SMTP_URL'], `, but ${name} is set`)
  }
  if (MAIL_FALLBACK) require(['MAIL_API_KEY'], ', but MAIL_FALLBACK is set')
  if (SMTP_URL && MAIL_WEBHOOK_SECRET) {
    problems.push('MAIL_WEBHOOK_SECRET is set, but a mail server (SMTP_URL) reports nothing of that kind. Unset one of them.')
  }
  try {
    readCertificate(values.SMTP_CA)
  }
  catch {
    problems.push('SMTP_CA is no file that can be read, and no certificate in PEM.')
  }
}

export function readSmtp({ SMTP_URL, SMTP_TLS, SMTP_CA }: MailValues): Config['mail']['smtp'] {
  return SMTP_URL ? { url: SMTP_URL, isTlsRequired: SMTP_TLS === 'required', ca: readCertificate(SMTP_CA) } : undefined
}

/** @throws if it is neither PEM nor a file with it */
function readCertificate(value?: string): string | undefined {
  if (value === undefined) return undefined
  const pem = value.includes('-----BEGIN') ? value.replaceAll('\\n', '\n') : readFileSync(value, 'utf8')
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw new Error('No certificate.')
  return pem
}

function hasHost(value: string): boolean {
  try {
    const { hostname, username, password } = new URL(value)
    return decodeURIComponent(username + password) !== null && hostname !== ''
  }
  catch {
    return false
  }
}
