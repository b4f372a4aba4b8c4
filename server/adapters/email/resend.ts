import { Buffer } from 'node:buffer'
import type { CreateEmailOptions, ErrorResponse, Resend } from 'resend'
import { FILE_LOST, type Attachment, type Email, type Mailer, type Outcome } from '../../ports/delivery'
import type { HttpClient } from '../../ports/http'

export interface ResendOptions {
  apiKey: string
  /** API address for tests. Default: the SDK's own. */
  baseUrl?: string
  /** Timeout of an email, ms. */
  timeoutMs?: number
}

/**
 * Tag that names the submission in webhooks about an email. Ids use only characters that are allowed in tags:
 * https://resend.com/docs/dashboard/emails/tags
 */
export const SUBMISSION_TAG = 'submission'

interface Refusal {
  statusCode?: number | null
  name?: string
  message?: unknown
}

/** Max characters of Resend's own message that are kept. */
const MAX_ANSWER = 1000

/** Size from which an email is assumed to contain files, bytes. */
const LARGE_BYTES = 1_000_000

/**
 * Max pause that an answer may ask for, ms; a longer one is taken as a mistake and shortened. `backoff.ts` of the
 * domain decides how much of the pause to wait.
 */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1000

/** 4xx statuses that are temporary. */
const TEMPORARY_STATUSES = [408, 409, 429]

/**
 * Sends emails through Resend. Every failure is returned as an `Outcome`. Resend's own message is its `answer`, never
 * part of the reason, because it quotes addresses.
 */
export function createResendMailer({ apiKey, baseUrl, timeoutMs = 15_000 }: ResendOptions, http: HttpClient): Mailer {
  let client: Promise<Resend> | undefined
  const sendWithFiles = serializeSends(timeoutMs / 3)
  return {
    async send(email: Email, idempotencyKey: string): Promise<Outcome<string | undefined>> {
      try {
        client ??= connect(
          apiKey, baseUrl, request => http({ ...request, timeoutMs: timeFor(request, timeoutMs) }),
        ).catch((error) => {
          client = undefined
          throw error
        })
        const resend = await client
        const answer = await sendWithFiles(
          email, async () => resend.emails.send(await buildPayload(email), { idempotencyKey }),
        )
        if (!answer) return { ...retry('Other emails with files go first.'), busy: true }
        const { data, error, headers } = answer
        // Without an id, nobody knows if Resend took the email. Retry: Resend recognises the idempotency key.
        if (typeof data?.id === 'string' && !error) return { ok: true, value: data.id }
        const outcome = interpretRefusal(error ?? {}, headers ?? {})
        return outcome.ok ? outcome : { ...outcome, ...readAnswer(error ?? {}, apiKey) }
      }
      catch (error) {
        const { code } = error as { code?: string }
        if (code === 'FILES_UNAVAILABLE') return retry('A file of the submission cannot be read from its storage.')
        if (code === 'FILE_LOST') return retry(FILE_LOST)
        if (code === 'NO_ANSWER') return { ...retry('Resend did not answer in time.'), outage: true }
        return error instanceof TypeError
          ? retry('The email could not be handed to Resend. Check MAIL_API_KEY.')
          : { ...retry('Resend cannot be reached.'), outage: true }
      }
    },
  }
}

/** Returns the timeout of a request. An email with files takes longer to send. */
function timeFor({ body = '' }: Parameters<Send>[0], timeoutMs: number): number {
  return body.length > LARGE_BYTES ? timeoutMs * 1.5 : timeoutMs
}

/** Sends emails with files one at a time: each takes three times its size in memory. Returns null on a long wait. */
function serializeSends(patienceMs: number) {
  let currentSend: Promise<unknown> | null = null
  return async <T>({ attachments = [] }: Email, send: () => Promise<T>): Promise<T | null> => {
    if (attachments.every(({ content }) => typeof content === 'string')) return send()
    const { promise: timeout, resolve } = Promise.withResolvers<true>()
    const timer = setTimeout(resolve, patienceMs, true)
    while (currentSend) if (await Promise.race([currentSend, timeout]) === true) return null
    clearTimeout(timer)
    const ownSend = send()
    currentSend = ownSend.then(() => {}, () => {}).then(() => { currentSend = null })
    return ownSend
  }
}

async function buildPayload(
  { attachments = [], headers, submission, cc, bcc, ...email }: Email,
): Promise<CreateEmailOptions> {
  return {
    ...email, to: [...email.to], cc: cc && [...cc], bcc: bcc && [...bcc],
    ...submission ? { tags: [{ name: SUBMISSION_TAG, value: submission }] } : {},
    ...headers ? { headers: { ...headers } } : {},
    ...attachments.length > 0
      ? { attachments: await Promise.all(attachments.map(async ({ filename, contentType, content }) => (
          { filename: acceptedName(filename, contentType), contentType, content: await encodeBase64(content) }
        ))) }
      : {},
  }
}

async function encodeBase64(content: Attachment['content']): Promise<string> {
  if (typeof content === 'string') return Buffer.from(content).toString('base64')
  return Buffer.concat(await Array.fromAsync(content.read()), content.size).toString('base64')
}

type Send = (request: Omit<Parameters<HttpClient>[0], 'timeoutMs'>) => ReturnType<HttpClient>

/** Creates Resend's client over kept connections. Over `fetch`, an email is an eighth of the cost of a forward. */
async function connect(apiKey: string, baseUrl: string | undefined, send: Send): Promise<Resend> {
  const { Resend } = await import('resend')
  return new class extends Resend {
    override async fetchRequest<T>(
      path: string, { headers, body }: { headers?: Headers, body?: string } = {},
    ): Promise<Answer<T>> {
      const { status, json, headers: responseHeaders } = await send({
        method: 'POST', url: this.baseUrl + path, headers: Object.fromEntries(headers ?? []), body,
      })
      const answer = { headers: responseHeaders as Record<string, string> }
      const isObject = typeof json === 'object' && json !== null
      if (status < 200 || status > 299) {
        return { ...answer, data: null, error: { ...json as ErrorResponse, statusCode: status } }
      }
      return isObject
        ? { ...answer, data: json as T, error: null }
        : { ...answer, data: null, error: {} as ErrorResponse }
    }
  }(apiKey, { baseUrl })
}

type Answer<T> = Awaited<ReturnType<typeof Resend.prototype.fetchRequest<T>>>

function interpretRefusal({ statusCode: status, name }: Refusal, headers: Record<string, string>): Outcome {
  // The idempotency key covers submission, content, sender and recipients, so this very email was accepted before. Only
  // the person who decided and the time differ.
  if (name === 'invalid_idempotent_request') return { ok: true, value: undefined }
  if (typeof status !== 'number') return retry('Resend answered something unreadable.')
  if (status >= 400 && status < 500 && !TEMPORARY_STATUSES.includes(status)) {
    return { ok: false, reason: describeRefusal(status, name), permanent: true }
  }
  // An exhausted quota has the same status, but is not a rate limit.
  const isLimited = status === 429 && !name?.endsWith('_quota_exceeded')
  return {
    ...retry(status === 429 ? describeLimit(name) : `Resend answered ${status}.`),
    ...isLimited && { limited: isLimited }, ...readRetryAfter(headers),
  }
}

/** Returns what a failed answer says of itself, without the API key. */
function readAnswer({ statusCode: status, name, message }: Refusal, apiKey: string) {
  if (typeof status !== 'number') return {}
  const isOutage = status >= 500 || [401, 403, 408, 429].includes(status) || name?.endsWith('_api_key')
  const text = typeof message === 'string' ? message.replaceAll(apiKey, '***') : ''
  const answer = text.slice(0, MAX_ANSWER).toWellFormed()
  return { status, ...answer && { answer }, ...isOutage && { outage: true as const } }
}

function describeRefusal(status: number, name: string | undefined): string {
  if (status === 401 || name?.endsWith('_api_key')) return `Resend refused the API key (${status}). Check MAIL_API_KEY.`
  if (status === 403 || name === 'invalid_from_address') {
    return `Resend refused the sender (${status}). Check that the domain of MAIL_FROM_ADDRESS is verified in Resend.`
  }
  if (name === 'security_error') {
    return `Resend stopped the email for security (${status}). Look into the Resend account.`
  }
  if (name === 'invalid_attachment' || status === 413) {
    return `Resend refused the size or an attachment of the email (${status}). This is a bug; please report it.`
  }
  return `Resend refused the email (${status}). Check MAIL_FROM_ADDRESS, and to whom it goes: FORWARD_EMAIL, or "to" of its form.`
}

function describeLimit(name: string | undefined): string {
  if (name === 'daily_quota_exceeded') return 'The daily quota of the Resend account is used up.'
  if (name === 'monthly_quota_exceeded') return 'The monthly quota of the Resend account is used up.'
  return 'Resend is limiting the rate of emails.'
}

/** Reads two headers, both in seconds: https://resend.com/docs/api-reference/rate-limit */
function readRetryAfter(headers: Record<string, string>): { retryAfterMs?: number } {
  const seconds = [headers['retry-after'], headers['ratelimit-reset']].find(value => value
    && /^\d+(\.\d+)?$/.test(value))
  return seconds ? { retryAfterMs: Math.min(Number(seconds) * 1000, MAX_PAUSE_MS) } : {}
}

function retry(reason: string) {
  return { ok: false as const, reason, permanent: false }
}

/**
 * Extensions of attachments for which Resend rejects an email permanently:
 * https://resend.com/docs/knowledge-base/what-attachment-types-are-not-supported
 */
const REFUSED_EXTENSIONS = new Set(`
  adp app asp bas bat cer chm cmd com cpl crt csh der exe fxp gadget hlp hta inf ins isp its js jse ksh lib lnk mad maf
  mag mam maq mar mas mat mau mav maw mda mdb mde mdt mdw mdz msc msh msh1 msh2 mshxml msh1xml msh2xml msi msp mst ops
  pcd pif plg prf prg reg scf scr sct shb shs sys ps1 ps1xml ps2 ps2xml psc1 psc2 tmp url vb vbe vbs vps vsmacros vss
  vst vsw vxd ws wsc wsf wsh xnk
`.trim().split(/\s+/))

/** Matches a subtype that can serve as an extension. `plain` of `text/plain` is too long. */
const SHORT_SUBTYPE = /\/([a-z\d]{2,4})$/

/** Returns the name. If Resend rejects its extension, appends the extension of the type: senders choose the names. */
export function acceptedName(name: string, type: string): string {
  const extension = /\.([a-z\d]+)[. ]*$/i.exec(name)?.[1]
  if (!extension || !REFUSED_EXTENSIONS.has(extension.toLowerCase())) return name
  const safeExtension = SHORT_SUBTYPE.exec(type)?.[1] ?? (type.startsWith('text/') ? 'txt' : 'file')
  return `${name}.${safeExtension}`
}
