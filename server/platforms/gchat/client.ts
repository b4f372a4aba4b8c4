import type { Outcome } from '../../ports/delivery'
import { codeIn, refused } from '../shared/answers'
import { answeredWithin } from '../shared/patience'

/** Timeout of a call including sign-in, ms; well below the lease of outstanding work */
const TIMEOUT_MS = 10_000

/** Makes one try and accepts any status: other code decides on retries. */
const CALL_OPTIONS = { timeout: TIMEOUT_MS, retry: false, validateStatus: () => true }

/** Pause if Google limits the rate without naming a duration, s: a space accepts one message per second */
const MIN_PAUSE_S = 1

/** The clock matters because the sign-in tokens contain the time. */
const CHECK_KEY = 'Check GOOGLE_CHAT_CREDENTIALS, and the clock of this machine.'

/** Advice on permanent refusals: https://developers.google.com/workspace/chat/api/guides/message-error-codes */
const PERMANENT_ADVICE: Readonly<Record<number, string>> = {
  400: 'This is a bug; please report it.',
  401: 'Check GOOGLE_CHAT_CREDENTIALS.',
  403: 'Add the Chat app to the space of GOOGLE_CHAT_SPACE, and check that GOOGLE_CHAT_CREDENTIALS are of its project.',
  404: 'The card was deleted, or GOOGLE_CHAT_SPACE is wrong.',
}

/** Statuses that refuse the content, in any space */
const CONTENT_STATUSES: readonly number[] = [400]

/** Advice by error status or reason, because 400 and 403 have several causes */
const ADVICE_BY_STATUS: Readonly<Record<string, string>> = {
  FAILED_PRECONDITION: 'The space in GOOGLE_CHAT_SPACE refuses messages from the app with its current settings.',
  SERVICE_DISABLED: 'Switch on the Google Chat API in the project of GOOGLE_CHAT_CREDENTIALS.',
}

/** Errors about quotas; some of Google's services report them with 403 */
const RATE_LIMIT_ERRORS = /^(?:RESOURCE_EXHAUSTED|RATE_LIMIT_EXCEEDED|rateLimitExceeded|userRateLimitExceeded)$/

interface GoogleError {
  status?: unknown
  details?: readonly { reason?: unknown }[]
  errors?: readonly { reason?: unknown }[]
}

interface Answer<T> {
  status: number
  headers: object
  data: T
}

export async function callGoogle<T>(call: (options: typeof CALL_OPTIONS) => Promise<Answer<T>>): Promise<Outcome<T>> {
  try {
    const { status, headers, data } = await answeredWithin(TIMEOUT_MS, call(CALL_OPTIONS))
    if (status >= 200 && status < 300) {
      return { ok: true, value: typeof data === 'object' && data !== null ? data : {} as T }
    }
    const { code, reasons } = readError(data)
    const specificAdvice = ADVICE_BY_STATUS[reasons.find(reason => Object.hasOwn(ADVICE_BY_STATUS, reason)) ?? '']
    const isLimited = status === 429 || reasons.some(reason => RATE_LIMIT_ERRORS.test(reason))
    const advice = isLimited ? undefined : specificAdvice ?? PERMANENT_ADVICE[status]
    return refused({
      reason: `Google Chat answered ${status}${code ? ` ${code}` : ''}`, advice,
      content: advice !== undefined && !specificAdvice && CONTENT_STATUSES.includes(status), gone: status === 404,
      limited: isLimited,
      // A plain object or `Headers`, depending on the version of Google's client
      pause: new Headers(headers as HeadersInit).get('retry-after') ?? (isLimited ? MIN_PAUSE_S : undefined),
    })
  }
  catch (error) {
    const { name, code, status } = error as Error & { code?: string, status?: number }
    // Only a failed sign-in throws an error with a status.
    if (status === 400 || status === 401 || code?.startsWith('ERR_OSSL')) {
      return refused({ reason: 'Google\'s sign-in refused the service account', advice: CHECK_KEY })
    }
    const cause = status ? `HTTP ${status} from sign-in` : 'no connection'
    return refused({
      reason: `Google Chat: ${name === 'TimeoutError' ? `no answer in ${TIMEOUT_MS / 1000} s` : cause}`,
    })
  }
}

/** Reads the status name and the reasons in its details (https://cloud.google.com/apis/design/errors#error_info). */
function readError(data: unknown): { code: string, reasons: string[] } {
  const { status, details, errors } = (data as { error?: GoogleError } | null | undefined)?.error ?? {}
  const lists = [details, errors].flatMap(list => Array.isArray(list) ? list as { reason?: unknown }[] : [])
  const reasons = [...lists.map(entry => entry?.reason), status].filter(reason => typeof reason === 'string')
  return { code: codeIn(status), reasons }
}
