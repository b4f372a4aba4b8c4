import { refused, type FailedOutcome } from '../shared/answers'

/** Fields of a Bot API answer besides `ok` (https://core.telegram.org/bots/api#making-requests). */
interface Refusal {
  error_code?: number
  description?: string
  parameters?: { retry_after?: unknown, migrate_to_chat_id?: unknown }
}

/** getUpdates, while a webhook is set or another process asks with the same token */
const CONFLICT = { code: 409, hint: ': another service uses this bot. Give each service a bot of its own', pauseS: 3 }

const REPORT_ADVICE = 'This is a bug; please report it.'

/** Causes that share one status and differ in their description; the first matching row counts. */
const CAUSES: readonly { pattern: RegExp, advice: string, content?: true, gone?: true }[] = [
  {
    pattern: /upgraded to a supergroup/i,
    advice: 'The group has become a supergroup, which has another id: change TELEGRAM_CHAT_ID.', gone: true,
  },
  {
    pattern: /(?:to edit|to be replied|reply message) not found|MESSAGE_ID_INVALID|message identifier/i,
    advice: 'The card was deleted.', gone: true,
  },
  {
    pattern: /can't be edited|MESSAGE_AUTHOR_REQUIRED/i,
    advice: 'The card belongs to another bot, or is too old to be edited.', gone: true,
  },
  {
    pattern: /thread not found|TOPIC_/i,
    advice: 'The topic was closed or deleted; open it again, or change TELEGRAM_CHAT_ID.',
  },
  {
    pattern: /rights|administrator|ADMIN_REQUIRED|WRITE_FORBIDDEN|CHAT_RESTRICTED|CHAT_SEND_/i,
    advice: 'Let the bot write in the group of TELEGRAM_CHAT_ID.',
  },
  {
    pattern: /chat not found|PEER_ID_INVALID|CHANNEL_(?:INVALID|PRIVATE)|chat_id|deactivated|chat was deleted/i,
    advice: 'Check TELEGRAM_CHAT_ID, and that the bot is in the group.',
  },
  { pattern: /can't parse|too[ _]long|entit|is empty|button|markup|utf-8/i, advice: REPORT_ADVICE, content: true },
]

/** Advice by status, if no row above matches. */
const ADVICE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Check TELEGRAM_CHAT_ID; when it is right, please report this.',
  401: 'Check TELEGRAM_BOT_TOKEN.',
  403: 'Add the bot to the group of TELEGRAM_CHAT_ID, and let it write there.',
  404: 'Check TELEGRAM_BOT_TOKEN.',
  413: REPORT_ADVICE,
}

/** Outcome of a call that the Bot API refused. Leaves out the description, which quotes the sent message. */
export function telegramRefusal(
  status: number, { error_code: code = status, description = '', parameters = {} }: Refusal,
): FailedOutcome {
  const isConflict = code === CONFLICT.code
  const cause = code === 400 ? CAUSES.find(({ pattern }) => pattern.test(description)) : undefined
  const newChatId = Number(parameters.migrate_to_chat_id)
  const upgradeAdvice = Number.isSafeInteger(newChatId)
    ? `The group has become a supergroup: change TELEGRAM_CHAT_ID to ${newChatId}.`
    : undefined
  return refused({
    reason: `Telegram answered ${Number(code)}${isConflict ? CONFLICT.hint : ''}`, advice: upgradeAdvice ?? cause?.advice ?? ADVICE_BY_STATUS[code],
    content: cause?.content ?? code === 413, gone: cause?.gone, limited: code === 429,
    pause: parameters.retry_after ?? (isConflict ? CONFLICT.pauseS : undefined),
  })
}
