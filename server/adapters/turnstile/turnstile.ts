import { createHash } from 'node:crypto'
import type { Outcome } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'
import type { HumanCheck } from '../../ports/sender'

export interface TurnstileOptions {
  secretKey: string
  /** Another verifier, for tests. */
  verifyUrl?: string
  /** Timeout of the verifier, ms. */
  timeoutMs?: number
}

const VERIFY_URL = 'https://challenges.cloudflare.com/turnstile/v0/siteverify'

/** Longest token, characters: https://developers.cloudflare.com/turnstile/get-started/server-side-validation */
const MAX_TOKEN = 2048

/** Error codes that blame the token. All others blame us or Cloudflare (same page). */
const TOKEN_REFUSED = ['missing-input-response', 'invalid-input-response', 'timeout-or-duplicate']
const SECRET_REFUSED = ['missing-input-secret', 'invalid-input-secret']

/** Asks Cloudflare Turnstile if a person filled in the form. */
export function createTurnstile(
  { secretKey, verifyUrl = VERIFY_URL, timeoutMs = 5000 }: TurnstileOptions, http: HttpClient,
): HumanCheck {
  return {
    field: 'cf-turnstile-response',
    async verify(token, { address, attemptKey }): Promise<Outcome> {
      if (token.length > MAX_TOKEN) return refusedToken
      const body = new URLSearchParams({
        secret: secretKey, response: token,
        ...address ? { remoteip: address } : {},
        ...attemptKey ? { idempotency_key: uuidOf(`${attemptKey} ${token}`) } : {},
      })
      return http({
        method: 'POST', url: verifyUrl, headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: String(body), timeoutMs,
      }).then(toOutcome, ({ code }: { code?: string }) => unavailable(code === 'NO_ANSWER'
        ? `Turnstile did not answer within ${timeoutMs / 1000} s.`
        : 'Turnstile cannot be reached.'))
    },
  }
}

const refusedToken: Outcome = {
  ok: false,
  reason: 'The Turnstile token was refused: it is wrong, older than 5 minutes, or was used before. Let the widget make a new one (turnstile.reset()) and send the form again.',
  permanent: true,
}

function toOutcome({ status, json }: HttpAnswer): Outcome {
  const { success, 'error-codes': codes } = (json ?? {}) as { 'success'?: unknown, 'error-codes'?: unknown }
  const errors = Array.isArray(codes) ? codes : []
  if (success === true) return { ok: true, value: undefined }
  if (errors.some(code => SECRET_REFUSED.includes(code))) {
    return unavailable('Turnstile refused the secret. Check TURNSTILE_SECRET_KEY.')
  }
  if (success === false && errors.every(code => TOKEN_REFUSED.includes(code))) return refusedToken
  return unavailable(`Turnstile answered ${status} without a result.`)
}

function unavailable(reason: string): Outcome {
  return { ok: false, reason, permanent: false }
}

/**
 * Returns the same UUID for the same text, because Cloudflare accepts only UUIDs as idempotency keys. Version 8:
 * https://www.rfc-editor.org/rfc/rfc9562#section-5.8
 */
function uuidOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  bytes[6] = bytes[6]! & 0x0F | 0x80
  bytes[8] = bytes[8]! & 0x3F | 0x80
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
}
