import type { Email, Mailer, Outcome } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'

export interface ResendOptions {
  apiKey: string
  /** Another API address, for tests. */
  baseUrl?: string
  /** An email that takes longer has failed, ms. */
  timeoutMs?: number
}

/** An accepted email has an id, a refusal a name. */
interface ResendAnswer {
  id?: string
  name?: string
}

/** A longer pause is somebody's mistake; the submission would outwait its own expiry. */
const MAX_PAUSE_MS = 24 * 60 * 60 * 1000

/** Statuses that pass by themselves, among those that blame the request. */
const PASSING = [408, 409, 429]

const RESEND_API = 'https://api.resend.com'

/**
 * Sends emails through Resend's REST API (https://resend.com/docs/api-reference/emails/send-email). Every way in which
 * that fails comes back as an `Outcome`; Resend's own messages stay behind, because they quote addresses.
 * Not through Resend's package: it is one POST, and the package brings what parses incoming mail along.
 */
export function createResendMailer({ apiKey, baseUrl = RESEND_API, timeoutMs = 15_000 }: ResendOptions, http: HttpClient): Mailer {
  return {
    async send({ replyTo, ...email }: Email, idempotencyKey: string): Promise<Outcome> {
      const headers = { 'authorization': `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': idempotencyKey }
      try {
        const answer = await http({ method: 'POST', url: `${baseUrl}/emails`, headers, body: JSON.stringify({ ...email, reply_to: replyTo }), timeoutMs })
        return outcome(answer)
      }
      catch (error) {
        const { code } = error as { code?: string }
        if (code === 'NO_ANSWER') return retry(`Resend did not answer within ${timeoutMs / 1000} s.`)
        return retry(code === 'ERR_INVALID_CHAR' ? 'The email could not be handed to Resend. Check MAIL_API_KEY.' : 'Resend cannot be reached.')
      }
    },
  }
}

function outcome({ status, headers, json }: HttpAnswer): Outcome {
  const answer = json as ResendAnswer | null | undefined
  if (status >= 200 && status < 300) return answer?.id ? { ok: true, value: undefined } : retry('Resend answered something unreadable.')
  const { name } = answer ?? {}
  // The key names submission and content, so this very email was accepted before; only who and when differ.
  if (name === 'invalid_idempotent_request') return { ok: true, value: undefined }
  if (status >= 400 && status < 500 && !PASSING.includes(status)) return { ok: false, reason: cause(status, name), permanent: true }
  return { ...retry(status === 429 ? limit(name) : `Resend answered ${status}.`), ...retryAfter(headers) }
}

function cause(status: number, name: string | undefined): string {
  if (status === 401 || name?.endsWith('_api_key')) return `Resend refused the API key (${status}). Check MAIL_API_KEY.`
  if (status === 403 || name === 'invalid_from_address') return `Resend refused the sender (${status}). Check that the domain of MAIL_FROM_ADDRESS is verified in Resend.`
  return `Resend refused the email (${status}). Check MAIL_FROM_ADDRESS and FORWARD_EMAIL.`
}

function limit(name: string | undefined): string {
  if (name === 'daily_quota_exceeded') return 'The daily quota of the Resend account is used up.'
  if (name === 'monthly_quota_exceeded') return 'The monthly quota of the Resend account is used up.'
  return 'Resend is limiting the rate of emails.'
}

/** Both headers count seconds: https://resend.com/docs/api-reference/rate-limit */
function retryAfter(headers: HttpAnswer['headers']): { retryAfterMs?: number } {
  const seconds = [headers['retry-after'], headers['ratelimit-reset']].find(value => typeof value === 'string' && /^\d+(\.\d+)?$/.test(value))
  return seconds ? { retryAfterMs: Math.min(Number(seconds) * 1000, MAX_PAUSE_MS) } : {}
}

function retry(reason: string) {
  return { ok: false as const, reason, permanent: false }
}
