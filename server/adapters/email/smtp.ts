import { Readable } from 'node:stream'
import { rootCertificates } from 'node:tls'
import type SmtpConnection from 'nodemailer/lib/smtp-connection'
import { oneLine } from '../../../shared/utils/text'
import { withTimeout } from '../../../shared/utils/time'
import { memoizeAsync } from '../../../shared/utils/turns'
import { FILE_LOST, type Attachment, type Email, type Mailer, type Outcome } from '../../ports/delivery'
import { describeFailure, type SmtpError } from './smtp-failures'

export interface SmtpOptions {
  host: string
  port: number
  /** True for TLS from the first byte (`smtps:`). Otherwise STARTTLS is used where the server offers it. */
  secure: boolean
  user?: string
  password?: string
  /** True to refuse a server without STARTTLS. */
  requireTls?: boolean
  /** Certificate of an authority to trust beside the public ones, PEM. */
  ca?: string
  /** Max time of one attempt, from the connection to the last answer, ms. Keep it below the lease of the work. */
  timeoutMs?: number
  /** Idle time after which a kept connection is closed, ms. */
  idleMs?: number
}

/** Max connections at a time. Postfix allows one client 50 (`smtpd_client_connection_count_limit`), hosters fewer. */
const MAX_CONNECTIONS = 5

/** Base64 in lines of 76 characters takes 1.37 times the size of a file. */
const ENCODED = 1.37

/** Longest answer of a server that is shown to people, characters. */
const MAX_ANSWER = 200

type SendInfo = Parameters<NonNullable<Parameters<SmtpConnection['send']>[2]>>[1] & object
type MailOutcome = Outcome<string | undefined>

const loadLibraries = memoizeAsync(async () => {
  const [connection, composer] = await Promise.all([
    import('nodemailer/lib/smtp-connection'), import('nodemailer/lib/mail-composer'),
  ])
  return { Connection: connection.default, Composer: composer.default }
})

/**
 * Sends emails through a mail server. SMTP has no idempotency key, so all attempts have the same `Message-ID`, and an
 * attempt whose last answer is lost is reported as `mayHaveArrived`.
 */
export function createSmtpMailer(options: SmtpOptions): Mailer {
  const { timeoutMs = 20_000 } = options
  const pool = new Pool(options)
  return {
    close: () => pool.close(),
    async send(email, idempotencyKey) {
      if (!await pool.reserve(timeoutMs / 4)) return { ...retry('Other emails go first.'), busy: true }
      const attempt: Attempt = { email, idempotencyKey, isHandedOver: false, stop: new AbortController() }
      try {
        const sent = await withTimeout(timeoutMs * 3 / 4, transmit(attempt, pool), () => {
          attempt.stop.abort()
          return Object.assign(new Error('timeout'), { code: 'NO_ANSWER' })
        })
        return readAnswer(sent, options)
      }
      catch (error) {
        return readError(error as SmtpError, attempt, options)
      }
      finally {
        pool.release()
      }
    },
  }
}

/** One attempt at an email. */
interface Attempt {
  email: Email
  idempotencyKey: string
  /** True once the whole email is on its way: from then on, the server may have it. */
  isHandedOver: boolean
  stop: AbortController
}

/** Sends over a kept connection; if the server has closed that meanwhile, over a new one. */
async function transmit(attempt: Attempt, pool: Pool): Promise<SendInfo> {
  const kept = pool.takeKept()
  if (kept) {
    try {
      return await sendOver(kept, attempt, pool)
    }
    catch (error) {
      const isStale = (error as SmtpError).responseCode === undefined || (error as SmtpError).responseCode === 421
      if (!isStale || attempt.isHandedOver || attempt.stop.signal.aborted) throw error
    }
  }
  return sendOver(await pool.open(attempt.stop.signal), attempt, pool)
}

/** Sends over this connection, and keeps it if the server took the email. */
function sendOver(connection: SmtpConnection, attempt: Attempt, pool: Pool): Promise<SendInfo> {
  const { email, idempotencyKey, stop: { signal } } = attempt
  return orClose(connection, signal, async () => {
    const { Composer } = await loadLibraries()
    const message = new Composer(buildMessage(email, idempotencyKey)).compile()
    const stream = message.createReadStream()
    stream.once('end', () => { attempt.isHandedOver = true })
    const to = [...email.to, ...email.cc ?? [], ...email.bcc ?? []]
    const envelope = { from: message.getEnvelope().from || undefined, to, size: sizeOf(email) }
    const info = await step<SendInfo>(connection, done => connection.send(envelope, stream, done))
    pool.keep(connection)
    return info
  })
}

/** Runs steps on a connection. Closes it if one fails, or if the signal aborts. */
async function orClose<T>(connection: SmtpConnection, signal: AbortSignal, steps: () => Promise<T>): Promise<T> {
  const close = () => connection.close()
  signal.addEventListener('abort', close)
  try {
    signal.throwIfAborted()
    return await steps()
  }
  catch (error) {
    close()
    throw error
  }
  finally {
    signal.removeEventListener('abort', close)
  }
}

/** Waits for one command. Rejects if the connection ends meanwhile. */
function step<T>(
  connection: SmtpConnection, start: (done: (error?: Error | null, result?: T) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    connection.on('error', reject)
    connection.on('end', () => reject(Object.assign(new Error('closed'), { code: 'ECONNECTION' })))
    start((error, result) => error ? reject(error) : resolve(result as T))
  })
}

function readAnswer({ accepted, rejected, rejectedErrors, response }: SendInfo, options: SmtpOptions): MailOutcome {
  if (rejected.length === 0) return { ok: true, value: undefined, said: quote(response, options) }
  const refusal = { rejected, rejectedErrors, responseCode: rejectedErrors?.[0]?.responseCode }
  return {
    ok: false, ...describeFailure(refusal, false), accepted,
    answer: quote(rejectedErrors?.[0]?.response ?? response, options),
  }
}

function readError(error: SmtpError, { isHandedOver }: Attempt, options: SmtpOptions): MailOutcome {
  const codes = [error.code, error.originalCode]
  if (codes.includes('FILE_LOST')) return retry(FILE_LOST)
  if (codes.includes('FILES_UNAVAILABLE')) return retry('A file of the submission cannot be read from its storage.')
  const { response } = error
  return { ok: false, ...describeFailure(error, isHandedOver), ...response && { answer: quote(response, options) } }
}

/** Returns an answer of the server in one line, without what is secret. */
function quote(response: string, { user, password }: SmtpOptions): string {
  const secrets = [password, user].flatMap(secret => secret ? [secret] : [])
  return secrets.reduce((text, secret) => text.replaceAll(secret, '***'), oneLine(response)).slice(0, MAX_ANSWER)
}

/** Estimates the size of the encoded email, bytes; a server with a smaller limit (SIZE) then refuses it at once. */
function sizeOf({ html = '', text, attachments = [] }: Email): number {
  const files = attachments.reduce((sum, { content }) => (
    sum + (typeof content === 'string' ? Buffer.byteLength(content) : content.size)
  ), 0)
  return Math.ceil(Buffer.byteLength(html + text) + files * ENCODED)
}

/** Builds the message for the composer, which encodes every header: no line break of a value ends one. */
function buildMessage(
  { from, to, cc = [], replyTo, subject, html, text, headers = {}, attachments = [] }: Email, key: string,
) {
  const domain = /@([\w.-]+)>?$/.exec(from)?.[1] ?? 'localhost'
  const messageId = headers['Message-ID'] ?? `<${key.replace(/[^\w.-]/g, '')}@${domain}>`
  return {
    from, to: [...to], cc: [...cc], ...replyTo && { replyTo: { name: '', address: replyTo } }, subject, html, text,
    // The first email of a submission does not refer to itself: only Resend needs that.
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== messageId)), messageId,
    attachments: attachments.map(attach), disableFileAccess: true, disableUrlAccess: true,
  }
}

function attach({ filename, contentType, content }: Attachment) {
  return {
    filename: oneLine(filename), contentDisposition: 'attachment',
    // A nested message would be sent without encoding, as its sender wrote it.
    contentType: /^(?:message|multipart)\//i.test(contentType) ? 'application/octet-stream' : contentType,
    content: typeof content === 'string' ? content : Readable.from(content.read()),
  }
}

/** Keeps connections that have sent an email, until they are idle for a while. */
class Pool {
  private readonly idle = new Map<SmtpConnection, NodeJS.Timeout>()
  private readonly waiting = new Set<() => void>()
  private reserved = 0
  private isClosed = false

  constructor(private readonly options: SmtpOptions) {}

  /** Waits for one of the connections; resolves with false if all stay in use. */
  async reserve(patienceMs: number): Promise<boolean> {
    if (this.reserved < MAX_CONNECTIONS) {
      this.reserved++
      return true
    }
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const take = () => resolve(true)
    this.waiting.add(take)
    const timer = setTimeout(() => {
      this.waiting.delete(take)
      resolve(false)
    }, patienceMs)
    return promise.finally(() => clearTimeout(timer))
  }

  release(): void {
    const [next] = this.waiting
    if (!next) return void this.reserved--
    this.waiting.delete(next)
    next()
  }

  takeKept(): SmtpConnection | undefined {
    const connection = [...this.idle.keys()].at(-1)
    if (connection) this.remove(connection)
    return connection
  }

  keep(connection: SmtpConnection): void {
    if (this.isClosed) return connection.quit()
    const remove = () => this.remove(connection)
    connection.removeAllListeners('error')
    connection.removeAllListeners('end')
    connection.on('error', remove)
    connection.on('end', remove)
    const timer = setTimeout(() => {
      remove()
      connection.quit()
    }, this.options.idleMs ?? 10_000)
    this.idle.set(connection, timer.unref())
  }

  async open(signal: AbortSignal): Promise<SmtpConnection> {
    const { host, port, secure, requireTls, ca, user, password, timeoutMs = 20_000 } = this.options
    const { Connection } = await loadLibraries()
    const connection = new Connection({
      host, port, secure, requireTLS: requireTls, socketCloseTimeout: 0, connectionTimeout: timeoutMs,
      ...ca && { tls: { ca: [...rootCertificates, ca] } },
    })
    return orClose(connection, signal, async () => {
      await step(connection, done => connection.connect(done))
      if (user !== undefined) await step(connection, done => connection.login({ user, pass: password ?? '' }, done))
      return connection
    })
  }

  close(): void {
    this.isClosed = true
    for (let kept = this.takeKept(); kept; kept = this.takeKept()) kept.quit()
  }

  private remove(connection: SmtpConnection): void {
    clearTimeout(this.idle.get(connection))
    this.idle.delete(connection)
  }
}

function retry(reason: string) {
  return { ok: false as const, reason, permanent: false }
}
