/** Error of nodemailer's SMTP connection. `response` quotes the server, which may name addresses. */
export interface SmtpError {
  /** Step that failed, such as `EAUTH`. */
  code?: string
  /** Code of the system or of TLS behind it, such as `ECONNREFUSED`. */
  originalCode?: string
  response?: string
  responseCode?: number
  command?: string
  rejected?: readonly string[]
  rejectedErrors?: readonly SmtpError[]
}

interface Failure {
  reason: string
  permanent: boolean
  /** Recipients that the server refused. */
  refused?: readonly string[]
  mayHaveArrived?: true
  /** True if the server would take no email now. */
  outage?: true
  status?: number
}

/** Failures of nodemailer without an answer that are about the email itself. */
const OWN_FAULTS = ['EMESSAGE', 'EENVELOPE']

/** Steps before the first email: what is refused there is refused to every email. */
const OPENING = ['CONN', 'EHLO', 'HELO', 'STARTTLS']

/** Codes of TLS for a certificate that the system's authorities do not vouch for. */
const UNTRUSTED = /SELF_SIGNED|UNABLE_TO_|CERT_|ALTNAME/

/**
 * Says why the server did not take an email, without quoting it. 4xx and lost connections are temporary, 5xx is
 * permanent (RFC 5321, 4.2.1).
 *
 * @param isHandedOver true if the whole email was on its way, so that only the server's answer can be missing
 */
export function describeFailure(error: SmtpError, isHandedOver: boolean): Failure {
  const { code = '', command = '', responseCode: status } = error
  const isOutage = status === undefined
    ? !OWN_FAULTS.includes(code)
    : [421, 530].includes(status) || code === 'EAUTH' || OPENING.includes(command)
  return {
    ...status !== undefined && { status }, ...isOutage && { outage: true }, ...describeCause(error, isHandedOver),
  }
}

function describeCause(error: SmtpError, isHandedOver: boolean): Failure {
  const { code, originalCode, command, responseCode: status } = error
  const isAnswered = status !== undefined && status !== 421 && command === 'DATA'
  if (isHandedOver && !isAnswered) {
    return {
      reason: 'The mail server got the email, but its answer was lost: it may have arrived.',
      permanent: false, mayHaveArrived: true,
    }
  }
  const untrusted = [code, originalCode].find(each => each && UNTRUSTED.test(each))
  if (untrusted) {
    return {
      reason: `The certificate of the mail server is not trusted (${untrusted}). Set SMTP_CA to the certificate of its authority, or correct the host in SMTP_URL.`,
      permanent: false,
    }
  }
  if (code === 'EAUTH') return describeSignIn(status)
  if (code === 'ETLS' && status) {
    return { reason: 'The mail server offers no STARTTLS, which SMTP_TLS=required demands.', permanent: true }
  }
  return status ? describeAnswer(error, status) : describeLocal(error)
}

function describeSignIn(status: number | undefined): Failure {
  const permanent = status === undefined || status >= 500
  return {
    reason: `The mail server refused the sign-in (${status ?? 'no known method'}). Check user and password in SMTP_URL.`,
    permanent,
  }
}

function describeAnswer({ command, rejected, rejectedErrors = [] }: SmtpError, status: number): Failure {
  if (rejected) {
    // Retry while one of the refusals is temporary.
    const statuses = rejectedErrors.map(({ responseCode = 0 }) => responseCode)
    const shown = statuses.find(each => each < 500) ?? statuses[0] ?? status
    return {
      reason: `The mail server refused ${rejected.length === 1 ? 'a recipient' : `${rejected.length} recipients`} (${shown}).`,
      permanent: shown >= 500, refused: rejected, status: shown,
    }
  }
  if (status < 500) return { reason: `The mail server takes no emails for the moment (${status}).`, permanent: false }
  if (status === 530) {
    return { reason: 'The mail server wants a sign-in (530). Put user and password into SMTP_URL.', permanent: true }
  }
  if (status === 552 || status === 523) return describeSize(` (${status})`)
  const advice = command === 'MAIL FROM'
    ? 'Check MAIL_FROM_ADDRESS, and that the user of SMTP_URL may send as it.'
    : 'Check MAIL_FROM_ADDRESS, and to whom it goes: FORWARD_EMAIL, or "to" of its form.'
  return { reason: `The mail server refused the email (${status}). ${advice}`, permanent: true }
}

/** Failures without an answer of the server. */
function describeLocal({ code, command }: SmtpError): Failure {
  if (code === 'EMESSAGE') return describeSize('')
  if (code === 'EENVELOPE') return { reason: 'An address of the email is not valid.', permanent: true }
  if (code === 'NO_ANSWER' || code === 'ETIMEDOUT') {
    return { reason: 'The mail server did not answer in time. Check SMTP_URL.', permanent: false }
  }
  return {
    reason: command === 'CONN' || code === 'EDNS'
      ? 'The mail server cannot be reached. Check SMTP_URL.'
      : 'The connection to the mail server failed.',
    permanent: false,
  }
}

function describeSize(status: string): Failure {
  return { reason: `The email with its files is larger than the mail server accepts${status}.`, permanent: true }
}
