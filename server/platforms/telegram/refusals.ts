import { refused, type FailedOutcome } from '../shared/answers'

/** Fields of a Bot API answer besides `ok` (https://core.telegram.org/bots/api#making-requests). */
interface Refusal {
  error_code?: number
  description?: string
  parameters?: { retry_after?: unknown, migrate_to_chat_id?: unknown }
}

const REPORT = 'This is a bug; please report it.'

/** Causes that share one status and differ in their description; the first matching row counts. */
const CAUSES: readonly { says: RegExp, advice: string, content?: true, gone?: true }[] = [
  {
    says: /upgraded to a supergroup/i,
    advice: 'The group has become a supergroup, which has another id: change TELEGRAM_CHAT_ID.', gone: true,
  },
  {
    says: /(?:to edit|to be replied|reply message) not found|MESSAGE_ID_INVALID|message identifier/i,
    advice: 'The card was deleted.', gone: true,
  },
  {
    says: /can't be edited|MESSAGE_AUTHOR_REQUIRED/i,
    advice: 'The card belongs to another bot, or is too old to be edited.', gone: true,
  },
  {
    says: /thread not found|TOPIC_/i,
    advice: 'The topic was closed or deleted; open it again, or change TELEGRAM_CHAT_ID.',
  },
  {
    says: /rights|administrator|ADMIN_REQUIRED|WRITE_FORBIDDEN|CHAT_RESTRICTED|CHAT_SEND_/i,
    advice: 'Let the bot write in the group of TELEGRAM_CHAT_ID.',
  },
  {
    says: /chat not found|PEER_ID_INVALID|CHANNEL_(?:INVALID|PRIVATE)|chat_id|deactivated|chat was deleted/i,
    advice: 'Check TELEGRAM_CHAT_ID, and that the bot is in the group.',
  },
  { says: /can't parse|too[ _]long|entit|is empty|button|markup|utf-8/i, advice: REPORT, content: true },
]

/** Advice by status, if no row above matches. */
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'Check TELEGRAM_CHAT_ID; when it is right, please report this.',
  401: 'Check TELEGRAM_BOT_TOKEN.',
  403: 'Add the bot to the group of TELEGRAM_CHAT_ID, and let it write there.',
  404: 'Check TELEGRAM_BOT_TOKEN.',
  413: REPORT,
}

/** Outcome of a call that the Bot API refused. Leaves out the description, which quotes the sent message. */
export function telegramRefusal(
  status: number, { error_code: code = status, description = '', parameters = {} }: Refusal,
): FailedOutcome {
  const cause = code === 400 ? CAUSES.find(({ says }) => says.test(description)) : undefined
  const migrated = Number(parameters.migrate_to_chat_id)
  const upgraded = Number.isSafeInteger(migrated)
    ? `The group has become a supergroup: change TELEGRAM_CHAT_ID to ${migrated}.`
    : undefined
  return refused({
    reason: `Telegram answered ${Number(code)}`, advice: upgraded ?? cause?.advice ?? BY_STATUS[code],
    content: cause?.content ?? code === 413, gone: cause?.gone, limited: code === 429,
    pause: parameters.retry_after,
  })
}
