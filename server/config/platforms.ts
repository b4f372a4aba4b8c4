import { createPrivateKey } from 'node:crypto'
import { z } from 'zod'
import { channelId } from './channels'
import { readSlackOAuth, slackOAuthVariables, type SlackOAuthConfig } from './slack-oauth'
import { base, text, type Require, type Values, type Variable } from './variable'

const uuid = text.regex(/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i, 'it is not a GUID')

const serviceAccount = text.transform((json, context) => {
  const key = z.object({ client_email: z.email(), private_key: z.string().startsWith('-----BEGIN') }).safeParse(parseJson(json))
  if (key.success && isRsaKey(key.data.private_key)) return key.data
  context.addIssue(key.success ? 'its private_key cannot be read: keep the \\n in it as they are in the file' : 'it is not the JSON key of a service account')
  return z.NEVER
})

function isRsaKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa'
  }
  catch {
    return false
  }
}

/** Chat platforms beyond Slack and Discord, and workspaces beyond the first. */
export const platformVariables = {
  ...slackOAuthVariables,
  TEAMS_APP_ID: { schema: uuid, about: 'Id of the Teams bot; also the audience of its webhooks.', where: 'https://dev.teams.microsoft.com/tools → Bot management, or Azure → your Azure Bot → Configuration → Microsoft App ID.' },
  TEAMS_APP_PASSWORD: { schema: text, about: 'Client secret of the Teams bot.', where: 'https://dev.teams.microsoft.com/tools → Bot management → your bot → Client secrets.' },
  TEAMS_APP_TENANT_ID: { schema: uuid, about: 'Entra tenant of the Teams bot. Default: a multi-tenant bot.' },
  TEAMS_CHANNEL_ID: { schema: channelId.teams, about: 'Teams channel in which cards are posted.', where: 'Teams → channel → Copy link; decode %3a and %40 in the part after /channel/. Add the app to the team.' },
  TEAMS_API_URL: { schema: base, about: 'Base URL of the Bot Connector, for gateways or tests. Default: https://smba.trafficmanager.net/teams.' },
  GOOGLE_CHAT_CREDENTIALS: { schema: serviceAccount, about: 'JSON key of the service account that the Google Chat app acts as, on one line.', where: 'https://console.cloud.google.com/iam-admin/serviceaccounts → your account → Keys → Add key → JSON.' },
  GOOGLE_CHAT_PROJECT_NUMBER: { schema: text.regex(/^\d{6,}$/, 'it is not a project number'), about: 'Verifies that webhooks come from Google Chat for this app.', where: 'https://console.cloud.google.com/home/dashboard → Project number.' },
  GOOGLE_CHAT_SPACE: { schema: channelId.gchat, about: 'Google Chat space in which cards are posted.', where: 'The part after /room/ or #chat/space/ in the address of the space, behind spaces/. Add the app there.' },
  GOOGLE_CHAT_BOT_USER_ID: { schema: text.regex(/^users\/\w+$/, 'it is not a user such as users/123456'), about: 'The Chat app\'s own user, to tell its messages from other bots\'. Optional: learned from the first message that mentions it.' },
  GOOGLE_CHAT_API_URL: { schema: base, about: 'Base URL of the Google Chat API, for tests. Default: https://chat.googleapis.com/.' },
  TELEGRAM_BOT_TOKEN: { schema: text.regex(/^\d+:[\w-]{20,}$/, 'it is not a bot token such as 110201543:AAH…'), about: 'Token of the Telegram bot.', where: 'https://t.me/BotFather → /newbot.' },
  TELEGRAM_WEBHOOK_SECRET_TOKEN: { schema: text.regex(/^[\w-]{16,256}$/, 'it has fewer than 16 characters, or others than letters, digits, _ and -'), about: 'Verifies that webhooks come from Telegram; given to setWebhook.', where: 'Make one: openssl rand -hex 32.' },
  TELEGRAM_CHAT_ID: { schema: channelId.telegram, about: 'Telegram group in which cards are posted.', where: 'Add the bot to the group, write there, and look for chat.id in https://api.telegram.org/bot<token>/getUpdates.' },
  TELEGRAM_API_BASE_URL: { schema: base, about: 'Base URL of the Bot API, for a server of your own or tests. Default: https://api.telegram.org.' },
} as const satisfies Record<string, Variable>

type PlatformValues = Values<typeof platformVariables>

interface MorePlatform {
  label: string
  /** Any of them asks for all. */
  needs: readonly (keyof PlatformValues)[]
  /** The public URL of the service too. */
  needsSite?: true
  /** The settings of its connection, once all of them are there. */
  read: (values: PlatformValues, siteUrl: string) => object
}

/** The platforms here, by key of the platform table. */
const platforms = {
  teams: {
    label: 'Teams', needs: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD', 'TEAMS_CHANNEL_ID'],
    read: values => ({
      appId: values.TEAMS_APP_ID!, appPassword: values.TEAMS_APP_PASSWORD!, tenantId: values.TEAMS_APP_TENANT_ID,
      channelId: values.TEAMS_CHANNEL_ID!, apiUrl: values.TEAMS_API_URL?.replace(/\/+$/, ''),
    }),
  },
  gchat: {
    label: 'Google Chat', needs: ['GOOGLE_CHAT_CREDENTIALS', 'GOOGLE_CHAT_PROJECT_NUMBER', 'GOOGLE_CHAT_SPACE'], needsSite: true,
    read: (values, siteUrl) => ({
      credentials: values.GOOGLE_CHAT_CREDENTIALS!, projectNumber: values.GOOGLE_CHAT_PROJECT_NUMBER!, space: values.GOOGLE_CHAT_SPACE!,
      endpointUrl: `${siteUrl}/api/webhooks/gchat`, botUserId: values.GOOGLE_CHAT_BOT_USER_ID, apiUrl: values.GOOGLE_CHAT_API_URL?.replace(/\/*$/, '/'),
    }),
  },
  telegram: {
    label: 'Telegram', needs: ['TELEGRAM_BOT_TOKEN', 'TELEGRAM_WEBHOOK_SECRET_TOKEN', 'TELEGRAM_CHAT_ID'],
    read: values => ({ botToken: values.TELEGRAM_BOT_TOKEN!, secretToken: values.TELEGRAM_WEBHOOK_SECRET_TOKEN!, chatId: values.TELEGRAM_CHAT_ID!, apiUrl: values.TELEGRAM_API_BASE_URL }),
  },
} as const satisfies Record<string, MorePlatform>

export interface PlatformsConfig {
  slackOAuth?: SlackOAuthConfig
  /** What is configured. */
  chat: { [Key in keyof typeof platforms]?: ReturnType<typeof platforms[Key]['read']> }
}

export const morePlatformLabels = Object.values(platforms).map(({ label }) => label)

interface PlatformsContext {
  require: Require
  /** Reports that the public URL is missing, when it is. */
  requireSite: (why: string) => unknown
  /** Whether a variable is set, be it malformed. */
  isGiven: (name: keyof PlatformValues) => boolean
  /** Empty when it is missing. */
  siteUrl: string
}

export function readPlatforms(values: PlatformValues, { require, requireSite, isGiven, siteUrl }: PlatformsContext): PlatformsConfig {
  const wanted = Object.entries<MorePlatform>(platforms).filter(([, { needs }]) => needs.some(isGiven))
  for (const [, { label, needs, needsSite }] of wanted) {
    require(needs, `, but other ${label} variables are set`)
    if (needsSite) requireSite(`${label} sends clicks there and signs them for it`)
  }
  if (values.SLACK_CLIENT_ID) requireSite('Slack sends people back to it when they have installed the app')
  return {
    slackOAuth: readSlackOAuth(values, require),
    chat: Object.fromEntries(wanted.map(([key, { read }]) => [key, read(values, siteUrl)])),
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  }
  catch {
    return undefined
  }
}
