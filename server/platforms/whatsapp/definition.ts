import { base, text, token, type Values } from '../../variable'
import type { Definition } from '../platform'
import { identified } from '../shared/identified'
import { sdkLogger } from '../shared/logger'
import type { WhatsAppSettings } from './adapter'
import { escapeWhatsApp, linkLines } from './escape'
import { whatsAppRefusal } from './refusals'

const APP = 'https://developers.facebook.com/apps → your app → '

/** Phone number as WhatsApp has it, or an id in its place (`US.13491208655302741918`). */
const PERSON = /^(?:\d{6,15}|[A-Z]{2}\.(?:ENT\.)?[A-Za-z\d]{1,128})$/
const usualChat = text.regex(PERSON, 'must be a phone number in digits with its country code, such as 4915112345678')

/** Version that the SDK's adapter calls. */
const API_VERSION = 'v25.0'

interface GraphError { code?: number, error_subcode?: number }

const variables = {
  WHATSAPP_ACCESS_TOKEN: {
    schema: token, about: 'Token of a system user for the WhatsApp Cloud API.',
    where: 'https://business.facebook.com/settings/system-users → Generate token, with whatsapp_business_messaging.',
  },
  WHATSAPP_APP_SECRET: {
    schema: text, usual: text.regex(/^[\da-f]{32}$/, 'must be 32 hexadecimal digits'),
    about: 'Verifies that webhooks come from WhatsApp.', where: `${APP}App settings → Basic → App secret.`,
  },
  WHATSAPP_VERIFY_TOKEN: {
    schema: text.min(16, 'must have at least 16 characters'),
    about: 'Confirms the address of the webhook to Meta.', where: 'Make one: openssl rand -hex 32.',
  },
  WHATSAPP_PHONE_NUMBER_ID: {
    schema: text, usual: text.regex(/^\d+$/, 'must be the id of a phone number such as 106540352242922'),
    about: 'Id of the number that the bot writes from.', where: `${APP}WhatsApp → API Setup → Phone number ID.`,
    example: '106540352242922',
  },
  WHATSAPP_CHAT_ID: {
    schema: text, usual: usualChat,
    about: 'Number of the reviewer who gets the cards on WhatsApp, in digits with the country code. Without it WhatsApp has no cards.',
    where: 'They write to the bot first: it may answer for 24 hours. In Brazil, Mexico and Argentina WhatsApp may have the '
      + 'number with a digit more or less than people dial; the status says so.',
    example: '4915112345678',
  },
  WHATSAPP_API_URL: {
    schema: base, about: 'Base URL of the Graph API, for tests. Default: https://graph.facebook.com.',
    example: 'https://graph.facebook.com',
  },
} as const

/**
 * A chat with one reviewer: the adapter has no groups. No sent message can be changed (the Cloud API has no call for
 * it, and the adapter's `editMessage` throws): a new state is sent below the card, quoting it.
 *
 * - a message with buttons has 60 characters in its head and 1,024 below; 370 of these are kept free, 320 for links and
 *   the rest for line ends; 3 buttons of 20 characters
 *   (https://developers.facebook.com/docs/whatsapp/cloud-api/messages/interactive-reply-buttons-messages)
 * - a message to one person every 6 s; bursts count against later messages
 *   (https://developers.facebook.com/docs/whatsapp/cloud-api/overview#pair-rate-limits)
 * - only approved templates, except within 24 hours after the person wrote or pressed a button
 *   (https://developers.facebook.com/docs/whatsapp/cloud-api/guides/send-messages#customer-service-windows)
 */
export const whatsapp: Definition = {
  key: 'whatsapp', label: 'WhatsApp', aliases: [], icon: 'i-lucide-message-circle',
  about: 'Cards in a WhatsApp chat with one reviewer; decisions are announced below them; editing opens the submission here.',
  card: {
    fields: 10, fieldsPerGroup: 10, label: 60, value: 400, total: 650, isText: true,
    links: { length: links => linkLines(links).join('\n').length, room: 320 },
  },
  cardIntervalMs: 6000,
  // https://developers.facebook.com/documentation/business-messaging/whatsapp/webhooks/overview
  webhookBytes: 3 * 1024 * 1024,
  modal: null,
  verifiesWebhook: true,
  escape: escapeWhatsApp,
  // WhatsApp has no call for earlier messages, and the SDK remembers only the title of a card.
  isCard: () => false,
  mention: null,
  variables,
  needs: [
    'WHATSAPP_ACCESS_TOKEN', 'WHATSAPP_APP_SECRET', 'WHATSAPP_VERIFY_TOKEN', 'WHATSAPP_PHONE_NUMBER_ID',
  ],
  channel: { variable: 'WHATSAPP_CHAT_ID', usual: usualChat },
  person: { id: PERSON, example: 'whatsapp:4915112345678' },
  read: (values: Values<typeof variables>, { channels }): WhatsAppSettings => ({
    accessToken: values.WHATSAPP_ACCESS_TOKEN!, appSecret: values.WHATSAPP_APP_SECRET!,
    verifyToken: values.WHATSAPP_VERIFY_TOKEN!, phoneNumberId: values.WHATSAPP_PHONE_NUMBER_ID!,
    chatId: values.WHATSAPP_CHAT_ID, chatIds: [values.WHATSAPP_CHAT_ID ?? [], ...channels].flat(),
    apiUrl: values.WHATSAPP_API_URL?.replace(/(?<!\/)\/+$/, ''),
  }),
  setup: siteUrl => [
    {
      text: 'Create an app of the type Business with the product WhatsApp. Set WHATSAPP_ACCESS_TOKEN, '
        + 'WHATSAPP_APP_SECRET, WHATSAPP_PHONE_NUMBER_ID and WHATSAPP_CHAT_ID, and WHATSAPP_VERIFY_TOKEN to something '
        + 'random. Restart.',
      link: { label: 'Meta for developers', to: 'https://developers.facebook.com/apps' },
    },
    {
      text: 'Under WhatsApp → Configuration, give this address and WHATSAPP_VERIFY_TOKEN, and subscribe to messages.',
      code: { label: 'Callback URL', text: `${siteUrl ?? 'https://<your host>'}/api/webhooks/whatsapp` },
    },
    { text: 'The reviewer writes to the number: the bot may answer for 24 hours after each message or press.' },
  ],
  connect(settings: WhatsAppSettings, { log, http }) {
    const { phoneNumberId, chatId, accessToken, apiUrl = 'https://graph.facebook.com' } = settings
    return {
      platform: whatsapp,
      channelId: chatId ?? null,
      // Threads are `whatsapp:<number of the bot>:<person>`; the app's other numbers are not ours.
      channelsOf: (threadId) => {
        const [, number, person = ''] = threadId.split(':')
        return [number === phoneNumberId ? person : `${number}:${person}`]
      },
      idsOf: (userId, { raw }) => [...new Set([userId, ...idsIn(raw)])],
      pressOf: raw => (raw as { press?: unknown }).press,
      identify: () => identified(http, {
        label: 'WhatsApp', token: accessToken, url: `${apiUrl}/${API_VERSION}/${phoneNumberId}?fields=verified_name`,
        name: number => (number as { verified_name?: unknown } | undefined)?.verified_name,
        refusal: ({ status, json }) => {
          const { code: errorCode, error_subcode: subcode } = (json as { error?: GraphError } | undefined)?.error ?? {}
          return whatsAppRefusal({ status, errorCode, subcode })
        },
      }),
      adapter: async () => new (await import('./adapter')).FormWhatsAppAdapter(settings, sdkLogger(log, 'whatsapp')),
      room: async (bot, channel = chatId) => (
        (await import('../shared/sdk-room')).createSdkRoom(whatsapp, `${phoneNumberId}:${channel}`, bot)
      ),
    }
  },
}

/** Ids of the sender of a message or a click, as the adapter found them. */
function idsIn(raw: unknown): readonly string[] {
  const { ids, message } = raw as { ids?: readonly string[], message?: { ids?: readonly string[] } }
  return ids ?? message?.ids ?? []
}
