import type { Outcome } from '../../../ports/delivery'
import { within } from '../within'

/** Refusals that no retry changes, and what to check (https://developers.google.com/workspace/chat/api/guides/message-error-codes). */
const PERMANENT: Readonly<Record<number, string>> = {
  400: 'This is a bug; please report it.',
  401: 'Check GOOGLE_CHAT_CREDENTIALS.',
  403: 'Add the Chat app to the space of GOOGLE_CHAT_SPACE, and check that GOOGLE_CHAT_CREDENTIALS are of its project.',
  404: 'The card was deleted, or GOOGLE_CHAT_SPACE is wrong.',
}

/** Those of what was sent, wherever it was sent to. */
const CONTENT: readonly number[] = [400]

/** One answer is wanted, whatever it is: what is due again is decided elsewhere. */
export const plainCall = (timeoutMs: number) => ({ timeout: timeoutMs, retry: false, validateStatus: () => true })

interface Answer<T> {
  status: number
  headers: object
  data: T
}

/** @param timeoutMs bound of one call, sign-in included */
export async function callGoogle<T>(call: () => Promise<Answer<T>>, timeoutMs: number): Promise<Outcome<T>> {
  try {
    const { status, headers, data } = await within(timeoutMs, call())
    if (status >= 200 && status < 300) return { ok: true, value: data }
    const { status: code } = (data as { error?: { status?: unknown } } | undefined)?.error ?? {}
    // A plain object or `Headers`, by the version of Google's client.
    const seconds = Number(new Headers(headers as HeadersInit).get('retry-after'))
    const advice = PERMANENT[status]
    const content = CONTENT.includes(status)
    return {
      ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...status === 404 ? { gone: true } : {},
      reason: `Google Chat answered ${status}${typeof code === 'string' ? ` ${code.replace(/[^\w.-]/g, '')}` : ''}.${advice ? ` ${advice}` : ''}`,
      ...seconds > 0 ? { retryAfterMs: seconds * 1000 } : {},
    }
  }
  catch (error) {
    const { name, code, status } = error as Error & { code?: string, status?: number }
    // Only the sign-in throws for a status.
    if (status === 400 || status === 401 || code?.startsWith('ERR_OSSL')) return { ok: false, permanent: true, reason: 'Google\'s sign-in refused the service account. Check GOOGLE_CHAT_CREDENTIALS.' }
    return { ok: false, permanent: false, reason: `Google Chat: ${name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : status ? `HTTP ${status} from sign-in` : 'no connection'}.` }
  }
}
