import { refused, type FailedOutcome } from '../shared/answers'

interface Refusal {
  status: number
  errorCode?: number
  subcode?: number
}

const TOKEN_ADVICE = 'Check WHATSAPP_ACCESS_TOKEN; one of API Setup ends after a day.'
const PERMISSION_ADVICE = 'Give WHATSAPP_ACCESS_TOKEN the permission whatsapp_business_messaging for this account.'
const NUMBER_ADVICE = 'Check WHATSAPP_PHONE_NUMBER_ID, and that the number is registered.'
const ACCOUNT_ADVICE = 'See in the WhatsApp Manager what keeps the account from writing.'
const REPORT_ADVICE = 'This is a bug; please report it.'

/** Advice for people (https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
const ADVICE: Readonly<Record<number, string>> = {
  0: TOKEN_ADVICE, 190: TOKEN_ADVICE,
  3: PERMISSION_ADVICE, 10: PERMISSION_ADVICE, 131005: PERMISSION_ADVICE,
  33: NUMBER_ADVICE, 133010: NUMBER_ADVICE,
  368: ACCOUNT_ADVICE, 131031: ACCOUNT_ADVICE, 131042: ACCOUNT_ADVICE, 131045: ACCOUNT_ADVICE,
  100: REPORT_ADVICE, 131008: REPORT_ADVICE, 131009: REPORT_ADVICE, 131051: REPORT_ADVICE,
  131021: 'WHATSAPP_CHAT_ID is the bot\'s own number; it has to be that of the reviewer.',
  131026: 'Check WHATSAPP_CHAT_ID: the number is not on WhatsApp, or has not taken its newest terms.',
  131030: 'Add the number of WHATSAPP_CHAT_ID under WhatsApp → API Setup → To.',
  131047: 'The person of WHATSAPP_CHAT_ID has to write to the bot first: 24 hours have passed.',
}

/** Error code of a limit that follows spam reports, not a high rate. */
const SPAM_LIMIT = 131048

/** Seconds until a retry is worthwhile, by error code of a limit; a minute if WhatsApp gives none. */
const PAUSES_S: Readonly<Record<number, number>> = { 4: 60, 80007: 60, 130429: 1, [SPAM_LIMIT]: 60, 131056: 6 }

const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  401: TOKEN_ADVICE, 403: PERMISSION_ADVICE, 404: NUMBER_ADVICE,
}

/** Outcome of a message that WhatsApp refused. Leaves out the description, which may quote the sent message. */
export function whatsAppRefusal({ status, errorCode: code = status, subcode }: Refusal): FailedOutcome {
  // The number is unknown, or belongs to somebody else.
  const cause = code === 100 && subcode === 33 ? 33 : code
  const pause = PAUSES_S[cause] ?? (status === 429 ? 60 : undefined)
  const advice = ADVICE[cause] ?? (cause >= 200 && cause < 300 ? PERMISSION_ADVICE : ADVICE_BY_STATUS[status])
  return refused({
    reason: `WhatsApp answered ${code}`, content: advice === REPORT_ADVICE, pause,
    limited: pause !== undefined && cause !== SPAM_LIMIT,
    advice: pause === undefined ? advice : undefined,
  })
}
