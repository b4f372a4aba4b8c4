import { base, text, uuid, type Values } from '../../variable'
import type { Definition } from '../platform'
import { sdkLogger } from '../shared/logger'
import type { TeamsSettings } from './client'
import { withoutMacros } from './escape'

const PORTAL = 'https://dev.teams.microsoft.com/tools'

const channelId = text.regex(/^19:[^;/?#\s]+@[\w.]+$/, 'it is not a channel id such as 19:abc@thread.tacv2')

const variables = {
  TEAMS_APP_ID: {
    schema: uuid, about: 'Id of the Teams bot; also the audience of its webhooks.',
    where: `${PORTAL} → Bot management, or Azure → your Azure Bot → Configuration → Microsoft App ID.`,
  },
  TEAMS_APP_PASSWORD: {
    schema: text, about: 'Client secret of the Teams bot.',
    where: `${PORTAL} → Bot management → your bot → Client secrets.`,
  },
  TEAMS_APP_TENANT_ID: { schema: uuid, about: 'Entra tenant of the Teams bot. Default: a multi-tenant bot.' },
  TEAMS_CHANNEL_ID: {
    schema: channelId, about: 'Teams channel in which cards are posted.',
    where: 'Teams → channel → Copy link; decode %3a and %40 in the part after /channel/. Add the app to the team.',
    example: '19:abc@thread.tacv2',
  },
  TEAMS_API_URL: {
    schema: base,
    about: 'Base URL of the Bot Connector, for gateways or tests. Default: https://smba.trafficmanager.net/teams.',
    example: 'https://smba.trafficmanager.net/teams',
  },
} as const

/**
 * Teams renders form text in `RichTextBlock`s, whose runs are literal, so hardly anything has to be escaped.
 *
 * - a message of a bot holds about 100 KB, counted in UTF-16 and with overhead; a card that stays below 40 KB of UTF-8,
 *   the former limit, also passes what counts more strictly: 8,000 characters of 3 bytes, 80 fields of 150 bytes of
 *   structure (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages)
 * - 7 messages a second and 1,800 an hour per conversation
 *   (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit)
 * - dialog: the same card, which carries every label twice
 */
export const teams: Definition = {
  key: 'teams', label: 'Teams', aliases: [], icon: 'i-lucide-users',
  about: 'The same cards in a Teams channel, with a native edit dialog.',
  card: { fields: 80, fieldsPerGroup: 80, label: 150, value: 3000, total: 8000 },
  cardIntervalMs: 1000,
  modal: { inputs: 50, label: 100, value: 4000, bytes: 16_000 },
  escape: withoutMacros,
  mention: null,
  variables,
  needs: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD', 'TEAMS_CHANNEL_ID'],
  channel: { variable: 'TEAMS_CHANNEL_ID', schema: channelId },
  person: { id: /^\S+$/, example: 'teams:29:…' },
  read: (values: Values<typeof variables>): TeamsSettings => ({
    appId: values.TEAMS_APP_ID!, appPassword: values.TEAMS_APP_PASSWORD!, tenantId: values.TEAMS_APP_TENANT_ID,
    channelId: values.TEAMS_CHANNEL_ID!, apiUrl: values.TEAMS_API_URL?.replace(/\/+$/, ''),
  }),
  setup: siteUrl => [
    {
      text: 'Create a bot with this endpoint and a client secret. Set TEAMS_APP_ID and TEAMS_APP_PASSWORD, and TEAMS_APP_TENANT_ID unless the bot is multi-tenant.',
      link: { label: 'Teams developer portal', to: PORTAL },
      code: { label: 'Bot endpoint', text: `${siteUrl ?? 'https://<your host>'}/api/webhooks/teams` },
    },
    { text: 'Create an app with that bot in the scope Team, and add it to the team of your channel.' },
    {
      text: 'Copy the channel\'s link: the part after /channel/, decoded, is TEAMS_CHANNEL_ID (19:…@thread.tacv2). Restart.',
    },
  ],
  connect(settings: TeamsSettings, { log }) {
    const adapter = async () => (await import('./adapter')).createTeamsAdapter(settings, sdkLogger(log, 'teams'))
    return {
      platform: teams,
      channelId: settings.channelId,
      // `teams:<conversation>:…` in base64url, where a conversation is a channel or `channel;messageid=…`.
      channelsOf: threadId => [Buffer.from(threadId.split(':')[1] ?? '', 'base64url').toString().split(';')[0]!],
      adapter,
      room: async (_bot, channelId = settings.channelId) => (await import('./room')).createTeamsRoom(
        { ...settings, channelId }, await adapter(),
      ),
    }
  },
}
