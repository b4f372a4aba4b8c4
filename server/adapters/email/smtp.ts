import { Readable } from 'node:stream'
import type SmtpConnection from 'nodemailer/lib/smtp-connection'
import type { Email, Mailer, Outcome, Refused, Sent } from '../../ports/delivery'

export interface SmtpOptions {
  /** `smtp://user:password@host:587`, with STARTTLS if the server offers it, or `smtps://…:465`. */
  url: string
  /** True to send nothing without TLS. */
  isTlsRequired: boolean
  /** Certificate of a private authority, PEM. */
  ca?: string
  /** Max time of one attempt, connecting included, ms: less than a lease, so that no two attempts overlap. */
  attemptMs: number
}

/** Sessions at a time: servers refuse more from one address, many from ten on. */
const MOST_SESSIONS = 5

/** Time for which a session is kept for the next email, ms: less than the 5 min of RFC 5321, 4.5.3.2. */
const IDLE_MS = 30_000

const CERTIFICATE = /self[- ]signed|certificate|issuer|altname/i

/** Error of nodemailer. `response` is what the server said; it may quote addresses. */
interface SmtpError extends Error {
  code?: string
  responseCode?: number
  response?: string
  rejectedErrors?: { recipient?: string, responseCode?: number, response?: string }[]
}

/**
 * Sends emails through any mail server. SMTP has no idempotency key: every attempt has the same Message-ID, and an
 * outcome says if an email may have arrived although the server did not confirm it.
 */
export function createSmtpMailer(options: SmtpOptions): Mailer & { close: () => void } {
  const sessions = createSessions(options)
  return {
    close: sessions.close,
    async send(email, key) {
      const progress = { isHandedOver: false }
      let session: SmtpConnection | undefined
      const { promise: timeout, reject } = Promise.withResolvers<never>()
      const timer = setTimeout(() => reject(Object.assign(new Error('The time is over.'), { code: 'ETIMEDOUT' })),
        options.attemptMs)
      try {
        const turn = sessions.turn()
        if (!await Promise.race([turn, timeout.catch(() => false)])) {
          void turn.then(sessions.leave)
          return { ok: false, reason: 'Other emails go first.', permanent: false, busy: true }
        }
        try {
          const opening = sessions.open()
          session = await Promise.race([opening, timeout]).catch((error) => {
            opening.then(late => late.close(), () => { /* Nothing was opened. */ })
            throw error
          })
          const sent = await Promise.race([transmit(session, email, key, progress), timeout])
          sessions.keep(session)
          return { ok: true, value: sent }
        }
        finally {
          sessions.leave()
        }
      }
      catch (error) {
        session?.close()
        return outcomeOf(error as SmtpError, progress.isHandedOver)
      }
      finally {
        clearTimeout(timer)
      }
    },
  }
}

/** Loads nodemailer when it is first needed. */
export async function loadSmtp() {
  const [{ default: Connection }, { default: MailComposer }] = await Promise.all([
    import('nodemailer/lib/smtp-connection'), import('nodemailer/lib/mail-composer'),
  ])
  return { Connection, MailComposer }
}

/** Opens sessions, a few at a time, and keeps them while emails follow each other. */
function createSessions({ url, isTlsRequired, ca }: SmtpOptions) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const isSecure = protocol === 'smtps:'
  const user = decodeURIComponent(username)
  const idle = new Map<SmtpConnection, ReturnType<typeof setTimeout>>()
  const waiting: (() => void)[] = []
  let count = 0

  const drop = (session: SmtpConnection) => {
    clearTimeout(idle.get(session))
    idle.delete(session)
    session.close()
  }
  return {
    async turn(): Promise<true> {
      if (count >= MOST_SESSIONS) await new Promise<void>(resolve => waiting.push(resolve))
      else count++
      return true
    },
    leave() {
      const next = waiting.shift()
      if (next) next()
      else count--
    },
    async open(): Promise<SmtpConnection> {
      for (const [session] of idle) {
        clearTimeout(idle.get(session))
        idle.delete(session)
        // The server may have closed it meanwhile.
        if (await ask(session, done => session.reset(done)).then(() => true, () => false)) return session
        session.close()
      }
      const { Connection } = await loadSmtp()
      const session = new Connection({
        host: hostname, port: Number(port) || (isSecure ? 465 : 587), secure: isSecure, requireTLS: isTlsRequired,
        tls: ca ? { ca } : {},
      })
      session.on('error', () => { /* The step that runs gets it. */ })
      session.on('end', () => drop(session))
      try {
        await ask(session, done => session.connect(done))
        if (user) {
          await ask(session, done => session.login({ user, pass: decodeURIComponent(password) }, done))
        }
        return session
      }
      catch (error) {
        session.close()
        throw error
      }
    },
    keep(session: SmtpConnection) {
      idle.set(session, setTimeout(() => drop(session), IDLE_MS).unref())
    },
    close: () => [...idle.keys()].forEach(drop),
  }
}

/** Resolves with the result of one step of a session; rejects if the session ends before. */
function ask<T>(session: SmtpConnection, act: (done: (error?: Error | null, value?: T) => void) => void): Promise<T> {
  const { promise, resolve, reject } = Promise.withResolvers<T>()
  const onEnd = () => reject(new Error('The connection was closed.'))
  session.once('error', reject).once('end', onEnd)
  act((error, value) => error ? reject(error) : resolve(value as T))
  return promise.finally(() => session.off('error', reject).off('end', onEnd))
}

async function transmit(
  session: SmtpConnection, email: Email, key: string, progress: { isHandedOver: boolean },
): Promise<Sent> {
  const { MailComposer } = await loadSmtp()
  const message = new MailComposer(messageOf(email, key)).compile()
  const content = message.createReadStream()
  content.once('end', () => { progress.isHandedOver = true })
  const { rejectedErrors = [] } = await ask<{ rejectedErrors?: SmtpError['rejectedErrors'] }>(
    session, done => session.send(message.getEnvelope(), content, done),
  )
  const refused = rejectedErrors.map(({ recipient = '', response = '' }): Refused => ({ address: recipient, answer: response }))
  return refused.length > 0 ? { refused } : {}
}

function messageOf({ attachments = [], headers = {}, submission, ...email }: Email, key: string) {
  const { 'Message-ID': messageId, ...otherHeaders } = headers
  const domain = /@([^>@]+)>?$/.exec(email.from)?.[1] ?? 'localhost'
  return {
    ...email, to: [...email.to], headers: otherHeaders,
    messageId: messageId ?? `<${key.replace(/[^\w.-]/g, '')}@${domain}>`,
    attachments: attachments.map(({ content, ...file }) => (
      { ...file, content: typeof content === 'string' ? content : Readable.from(content.read()) }
    )),
    // Form text must never name a file or a URL that is read.
    disableFileAccess: true, disableUrlAccess: true,
  }
}

function outcomeOf(error: SmtpError, isHandedOver: boolean): Outcome<Sent> {
  const { code = '', responseCode, response, message } = error
  const refuse = (reason: string, permanent: boolean): Outcome<Sent> => (
    { ok: false, reason, permanent, ...response && { answer: response } }
  )
  if (code === 'FILES_UNAVAILABLE') return refuse('A file of the submission cannot be read from its storage.', false)
  if (code === 'FILE_LOST') return refuse('A file of the submission is not in its storage any more.', false)
  if (code === 'ETLS' && !CERTIFICATE.test(message)) {
    return refuse('The mail server offers no TLS, which SMTP_TLS=required asks for, or it fails.', true)
  }
  // Recipients may be refused for different reasons; one that may pass later decides.
  const codes = error.rejectedErrors?.map(each => each.responseCode ?? 0) ?? (responseCode ? [responseCode] : [])
  const isPermanent = codes.length > 0 && codes.every(each => each >= 500)
  const said = [...new Set(codes)].join(', ')
  if (code === 'EAUTH' || responseCode === 530 || responseCode === 535) {
    return refuse(`The mail server refused user or password${said && ` (${said})`}. Check SMTP_URL.`, isPermanent)
  }
  if (codes.includes(552)) return refuse('The mail server refused the size of the email (552).', true)
  if (codes.length > 0) return refuse(
    isPermanent
      ? `The mail server refused the email (${said}). Check MAIL_FROM_ADDRESS, and to whom it goes: FORWARD_EMAIL, or "to" of its form.`
      : `The mail server asks to try again later (${said}).`, isPermanent,
  )
  if (isHandedOver) return { ...unconfirmed, ...response && { answer: response } }
  if (CERTIFICATE.test(message)) {
    return refuse('The certificate of the mail server is not trusted: it is self-signed, of a private authority, of another host, or has expired. Set SMTP_CA to the certificate of its authority.', false)
  }
  return refuse(
    code === 'ETIMEDOUT' ? 'The mail server did not answer in time.' : 'The mail server cannot be reached. Check SMTP_URL.',
    false,
  )
}

const unconfirmed = {
  ok: false, permanent: false, isUncertain: true,
  reason: 'The mail server took the email and did not confirm it. It is sent again, and may arrive twice.',
} as const
