import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { jsonIn } from '../../../shared/utils/json'
import { base, text, type Values } from '../../variable'
import type { Definition } from '../platform'
import { sdkLogger } from '../shared/logger'
import type { FormGoogleChatAdapter, GoogleChatSettings } from './adapter'
import { escapeText } from './cards'
import { mentionedPeople } from './events'

const serviceAccount = text.transform((json, context) => {
  const key = z.object({
    client_email: z.email(), private_key: z.string().startsWith('-----BEGIN'),
  }).safeParse(jsonIn(json))
  if (key.success && isRsaKey(key.data.private_key)) return key.data
  context.addIssue(key.success
    ? 'its private_key cannot be read: keep the \\n in it as they are in the file; systemd drops each \\ unless the JSON stands in single quotes'
    : 'must be the JSON key of a service account')
  return z.NEVER
})

const usualSpace = text.regex(/^spaces\/[\w-]+$/, 'must be a space such as spaces/AAAAbbbbCCC')

const variables = {
  GOOGLE_CHAT_CREDENTIALS: {
    schema: serviceAccount, about: 'JSON key of the service account that the Google Chat app acts as, on one line.',
    where: 'https://console.cloud.google.com/iam-admin/serviceaccounts → your account → Keys → Add key → JSON.',
    example: '\'{"type":"service_account",…}\'',
  },
  GOOGLE_CHAT_PROJECT_NUMBER: {
    schema: text, usual: text.regex(/^\d{6,}$/, 'must be a project number'),
    about: 'Verifies that webhooks come from Google Chat for this app.',
    where: 'https://console.cloud.google.com/home/dashboard → Project number.',
  },
  GOOGLE_CHAT_SPACE: {
    schema: text, usual: usualSpace,
    about: 'Google Chat space in which cards are posted. Without it Google Chat has no cards.',
    where: 'The part after /room/ or #chat/space/ in the address of the space, behind spaces/. Add the app there.',
    example: 'spaces/AAAAbbbbCCC',
  },
  GOOGLE_CHAT_BOT_USER_ID: {
    schema: text, usual: text.regex(/^users\/\w+$/, 'must be a user such as users/123456'),
    about: 'The Chat app\'s own user, to tell its messages from other bots\'. Optional: learned from the first message that mentions it.',
    example: 'users/123456',
  },
  GOOGLE_CHAT_API_URL: {
    schema: base, about: 'Base URL of the Google Chat API, for tests. Default: https://chat.googleapis.com/.',
    example: 'https://chat.googleapis.com/',
  },
} as const

/**
 * Google Chat renders a subset of HTML in cards, so form text is escaped. The limits apply to the escaped text.
 *
 * - 32,000 bytes per message: 8,000 characters of 3 bytes, and 80 fields with 45 bytes of structure each
 *   (https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.messages/create)
 * - 100 widgets per card; every field is one
 *   (https://developers.google.com/workspace/chat/api/reference/rest/v1/cards)
 * - one message per second and space (https://developers.google.com/workspace/chat/limits)
 * - no modals: a dialog is a form of add-on widgets that answers a click; the SDK does not support that
 */
export const gchat: Definition = {
  key: 'gchat', label: 'Google Chat', aliases: [], icon: 'i-lucide-message-circle',
  about: 'The same cards in a Google Chat space; editing opens the submission here.',
  card: {
    fields: 80, fieldsPerGroup: 1, blocks: 80, label: 150, value: 3000, total: 8000,
    pictures: { most: 4, public: true },
  },
  cardIntervalMs: 1000,
  webhookBytes: 256 * 1024,
  modal: null,
  escape: escapeText,
  isCard: ({ cardsV2 }) => Array.isArray(cardsV2) && cardsV2.length > 0,
  mention: null,
  variables,
  needs: ['GOOGLE_CHAT_CREDENTIALS', 'GOOGLE_CHAT_PROJECT_NUMBER'],
  needsSite: 'Google Chat sends clicks there and signs them for it',
  channel: { variable: 'GOOGLE_CHAT_SPACE', usual: usualSpace },
  person: { id: /^users\/\w+$/, example: 'gchat:users/123' },
  read: (values: Values<typeof variables>, { siteUrl }): GoogleChatSettings => ({
    credentials: values.GOOGLE_CHAT_CREDENTIALS!, projectNumber: values.GOOGLE_CHAT_PROJECT_NUMBER!,
    space: values.GOOGLE_CHAT_SPACE,
    endpointUrl: `${siteUrl}/api/webhooks/gchat`, botUserId: values.GOOGLE_CHAT_BOT_USER_ID,
    apiUrl: values.GOOGLE_CHAT_API_URL?.replace(/(?<!\/)\/*$/, '/'),
  }),
  setup: siteUrl => [
    {
      text: 'Enable the Google Chat API and create a service account with a JSON key. Set GOOGLE_CHAT_CREDENTIALS to the JSON on one line, and GOOGLE_CHAT_PROJECT_NUMBER.',
      link: { label: 'Google Cloud console', to: 'https://console.cloud.google.com/apis/library/chat.googleapis.com' },
    },
    {
      text: 'Under Configuration, switch on interactive features and joining spaces, with this HTTP endpoint URL for all triggers.',
      code: { label: 'HTTP endpoint URL', text: `${siteUrl ?? 'https://<your host>'}/api/webhooks/gchat` },
    },
    {
      text: 'Add the app to the space. The part of its address after #chat/space/ is its id: set GOOGLE_CHAT_SPACE to spaces/ and that id. Restart.',
    },
  ],
  connect(settings: GoogleChatSettings, { log, isCardOf }) {
    const adapter = async () => (
      new (await import('./adapter')).FormGoogleChatAdapter(settings, sdkLogger(log, 'gchat'), isCardOf)
    )
    return {
      platform: gchat,
      channelId: settings.space ?? null,
      // Events have no id; the time of the click, to the microsecond, identifies them.
      pressOf: raw => (raw as { chat?: { eventTime?: unknown } }).chat?.eventTime,
      mentions: { in: raw => mentionedPeople((raw as { chat?: { messagePayload?: unknown } }).chat?.messagePayload) },
      identify: async () => (await adapter()).identify(),
      adapter,
      // Use the bot's adapter: it has the store, which keeps the app's name.
      room: async (bot, space = settings.space) => {
        const chat = await bot()
        await chat.initialize()
        const botAdapter = chat.getAdapter('gchat') as FormGoogleChatAdapter
        return (await import('./room')).createGoogleChatRoom(space!, botAdapter)
      },
    }
  },
}

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  }
  catch {
    return false
  }
}
