import { refused, type FailedOutcome } from '../shared/answers'

interface Refusal {
  status: number
  errorCode?: number
  subcode?: number
}

const TOKEN = 'Check WHATSAPP_ACCESS_TOKEN; one of API Setup ends after a day.'
const PERMISSION = 'Give WHATSAPP_ACCESS_TOKEN the permission whatsapp_business_messaging for this account.'
const NUMBER = 'Check WHATSAPP_PHONE_NUMBER_ID, and that the number is registered.'
const ACCOUNT = 'See in the WhatsApp Manager what keeps the account from writing.'
const REPORT = 'This is a bug; please report it.'

/** Advice for people (https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes). */
const ADVICE: Readonly<Record<number, string>> = {
  0: TOKEN, 190: TOKEN,
  3: PERMISSION, 10: PERMISSION, 131005: PERMISSION,
  33: NUMBER, 133010: NUMBER,
  368: ACCOUNT, 131031: ACCOUNT, 131042: ACCOUNT, 131045: ACCOUNT,
  100: REPORT, 131008: REPORT, 131009: REPORT, 131051: REPORT,
  131021: 'WHATSAPP_CHAT_ID is the bot\'s own number; it has to be that of the reviewer.',
  131026: 'Check WHATSAPP_CHAT_ID: the number is not on WhatsApp, or has not taken its newest terms.',
  131030: 'Add the number of WHATSAPP_CHAT_ID under WhatsApp → API Setup → To.',
  131047: 'The person of WHATSAPP_CHAT_ID has to write to the bot first: 24 hours have passed.',
}

/** Limit because people reported messages as spam, not because of the rate. */
const SPAM_LIMIT = 131048

/** Seconds until a retry is worthwhile, by error code of a limit; a minute if WhatsApp gives none. */
const PAUSES: Readonly<Record<number, number>> = { 4: 60, 80007: 60, 130429: 1, [SPAM_LIMIT]: 60, 131056: 6 }

const BY_STATUS: Readonly<Record<number, string>> = { 401: TOKEN, 403: PERMISSION, 404: NUMBER }

/** Outcome of a message that WhatsApp refused. Leaves out the description, which may quote the sent message. */
export function whatsAppRefusal({ status, errorCode: code = status, subcode }: Refusal): FailedOutcome {
  // The number is unknown, or belongs to somebody else.
  const cause = code === 100 && subcode === 33 ? 33 : code
  const pause = PAUSES[cause] ?? (status === 429 ? 60 : undefined)
  const advice = ADVICE[cause] ?? (cause >= 200 && cause < 300 ? PERMISSION : BY_STATUS[status])
  return refused({
    reason: `WhatsApp answered ${code}`, content: advice === REPORT, pause,
    limited: pause !== undefined && cause !== SPAM_LIMIT,
    advice: pause === undefined ? advice : undefined,
  })
}
