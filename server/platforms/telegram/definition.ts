import { base, flag, text, type Values } from '../../variable'
import type { Definition } from '../platform'
import { sdkLogger } from '../shared/logger'
import { identified } from '../shared/identified'
import { throughSdk } from '../shared/through-sdk'
import type { TelegramSettings } from './adapter'
import { escapeTelegram, linksLength } from './escape'
import { telegramRefusal } from './refusals'
import { roomsOf } from './topics'

const usualChat = text.regex(
  /^-?\d+(?:\/\d+)?$/, 'must be a chat id such as -1001234567890 or a topic such as -1001234567890/7',
)

const variables = {
  TELEGRAM_BOT_TOKEN: {
    schema: text, usual: text.regex(/^\d+:[\w-]{20,}$/, 'must be a bot token such as 110201543:AAH…'),
    about: 'Token of the Telegram bot.', where: 'https://t.me/BotFather → /newbot.',
  },
  TELEGRAM_WEBHOOK_SECRET_TOKEN: {
    schema: text.min(16, 'must have at least 16 characters'),
    usual: text.regex(/^[\w-]{1,256}$/, 'must have only letters, digits, _ and -'),
    about: 'Verifies that webhooks come from Telegram; given to setWebhook.', where: 'Make one: openssl rand -hex 32.',
  },
  TELEGRAM_POLLING: {
    schema: flag,
    about: '1: the bot fetches clicks and messages from Telegram instead of being called. TELEGRAM_WEBHOOK_SECRET_TOKEN and a public URL are then not needed. Not on a serverless host.',
    example: '1',
  },
  TELEGRAM_CHAT_ID: {
    schema: text, usual: usualChat,
    about: 'Telegram group in which cards are posted; for one of its topics, with / and message_thread_id. Without it Telegram has no cards.',
    where: 'Add the bot to the group, write there, and look for chat.id in https://api.telegram.org/bot<token>/getUpdates.',
    example: '-1001234567890',
  },
  TELEGRAM_API_BASE_URL: {
    schema: base,
    about: 'Base URL of the Bot API, for a server of your own or tests. Default: https://api.telegram.org.',
    example: 'https://api.telegram.org',
  },
} as const

/**
 * Telegram shows a card as one text, through markdown, so form text is escaped; limits apply to the escaped text.
 *
 * - 4,096 characters a message, of which 900 are left for title, line ends and links: 600 for links as the SDK writes
 *   them, each address twice (https://core.telegram.org/bots/api#sendmessage)
 * - the SDK cuts longer answers. It counts the backslashes that it puts before punctuation, and makes each email
 *   address a link, which contains it twice. Answers below a third of the limit lose nothing
 * - 64 bytes of data behind a button: the SDK, the longest action and a UUID fill them
 *   (https://core.telegram.org/bots/api#inlinekeyboardbutton)
 * - 20 messages a minute to a group (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this)
 */
export const telegram: Definition = {
  key: 'telegram', label: 'Telegram', aliases: [], icon: 'i-lucide-send',
  about: 'The same cards in a Telegram group; editing opens the submission here.',
  card: {
    fields: 40, fieldsPerGroup: 40, label: 100, value: 1500, total: 3200, isText: true,
    links: { length: linksLength, room: 600 },
  },
  cardIntervalMs: 3000,
  modal: null,
  messageLength: 1200,
  escape: escapeTelegram,
  isCard: ({ card }) => Boolean(card),
  mention: null,
  variables,
  needs: ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET_TOKEN'],
  outgoing: { name: 'polling', variable: 'TELEGRAM_POLLING', replaced: ['TELEGRAM_WEBHOOK_SECRET_TOKEN'] },
  channel: { variable: 'TELEGRAM_CHAT_ID', usual: usualChat },
  person: { id: /^\d+$/, example: 'telegram:123' },
  read: (values: Values<typeof variables>, { serverless }): TelegramSettings => ({
    botToken: values.TELEGRAM_BOT_TOKEN!, secretToken: values.TELEGRAM_WEBHOOK_SECRET_TOKEN,
    polling: values.TELEGRAM_POLLING === true && !serverless, chatId: values.TELEGRAM_CHAT_ID,
    apiUrl: values.TELEGRAM_API_BASE_URL,
  }),
  setup: (siteUrl, settings: TelegramSettings | undefined) => [
    {
      text: 'Ask BotFather for a bot. For the agent to know what was said in a group before somebody asks it, send BotFather /setprivacy → Disable. Then add the bot to your group; one that is there already has to be removed and added again. Set TELEGRAM_BOT_TOKEN and TELEGRAM_CHAT_ID.',
      link: { label: 'BotFather', to: 'https://t.me/BotFather' },
    },
    settings?.polling
      ? { text: 'TELEGRAM_POLLING is set: the bot calls Telegram, and nothing else is to be done.' }
      : {
          text: 'Without a public URL: set TELEGRAM_POLLING=1 and restart. The bot then fetches clicks and messages from Telegram. With one: set TELEGRAM_WEBHOOK_SECRET_TOKEN to something random (openssl rand -hex 32), tell Telegram where the service is, and restart.',
          code: {
            label: 'setWebhook',
            text: [
              'curl "https://api.telegram.org/bot$TELEGRAM_BOT_TOKEN/setWebhook"',
              `-d "url=${siteUrl ?? 'https://<your host>'}/api/webhooks/telegram"`,
              '-d "secret_token=$TELEGRAM_WEBHOOK_SECRET_TOKEN"',
              '-d \'allowed_updates=["message","callback_query"]\'',
            ].join(' \\\n  '),
          },
        },
  ],
  connect: (settings: TelegramSettings, { log, http }) => ({
    ...throughSdk(telegram, settings.chatId ?? null, async () => (
      new (await import('./adapter')).FormTelegramAdapter(settings, sdkLogger(log, 'telegram'))
    )),
    listensOnly: settings.polling,
    listener: settings.polling
      ? async options => (await import('./polling')).createListener(settings, options)
      : undefined,
    channelsOf: roomsOf,
    room: async (bot, chat = settings.chatId) => (
      (await import('../shared/sdk-room')).createSdkRoom(telegram, chat!.replace('/', ':'), bot)
    ),
    identify: () => identified(http, {
      label: 'Telegram', url: `${settings.apiUrl ?? 'https://api.telegram.org'}/bot${settings.botToken}/getMe`,
      name: answer => (answer as { result?: { username?: unknown } } | undefined)?.result?.username,
      refusal: ({ status, json }) => telegramRefusal(status, (json ?? {}) as object),
    }),
  }),
}
