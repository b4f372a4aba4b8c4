import type { Outcome } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'
import { refused, type FailedOutcome } from './answers'

/** Timeout of the request, ms. */
const TIMEOUT_MS = 10_000

interface IdentityRequest {
  label: string
  url: string
  token?: string
  /** Reads the bot's name from the answer. */
  name: (json: unknown) => unknown
  refusal: (answer: HttpAnswer) => FailedOutcome
}

/** Asks a platform for the bot's name, which also checks the bot's credentials. */
export async function identified(
  http: HttpClient, { label, url, token, name, refusal }: IdentityRequest,
): Promise<Outcome<string>> {
  try {
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    const answer = await http({ method: 'GET', url, headers, timeoutMs: TIMEOUT_MS })
    return answer.status === 200 ? { ok: true, value: String(name(answer.json)) } : refusal(answer)
  }
  catch {
    return refused({ reason: `${label}: no connection, or no answer in ${TIMEOUT_MS / 1000} s` })
  }
}
