import { base, text, uuid, type Values } from '../../variable'
import type { LateRoom } from '../connection'
import type { Definition } from '../platform'
import { sdkLogger } from '../shared/logger'
import type { TeamsSettings } from './client'
import { macro, withoutMacros } from './escape'

const PORTAL = 'https://dev.teams.microsoft.com/tools'

const CHANNEL = /^19:[^;/?#\s]+@[\w.]+$/
const usualChannel = text.regex(CHANNEL, 'must be a channel id such as 19:abc@thread.tacv2')

const variables = {
  TEAMS_APP_ID: {
    schema: text, usual: uuid, about: 'Id of the Teams bot; also the audience of its webhooks.',
    where: `${PORTAL} → Bot management, or Azure → your Azure Bot → Configuration → Microsoft App ID.`,
  },
  TEAMS_APP_PASSWORD: {
    schema: text, about: 'Client secret of the Teams bot.',
    where: `${PORTAL} → Bot management → your bot → Client secrets.`,
  },
  TEAMS_APP_TENANT_ID: {
    schema: text, usual: uuid,
    about: 'Entra tenant of the Teams bot, in which the app may be installed. Default: a multi-tenant bot, which needs TEAMS_CHANNEL_ID.',
  },
  TEAMS_CHANNEL_ID: {
    schema: text, usual: usualChannel,
    about: 'Teams channel in which cards are posted. Default: the one in which the app is installed.',
    where: 'Teams → channel → Copy link; decode %3a and %40 in the part after /channel/.',
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
 * - a message of a bot holds about 100 KB, counted in UTF-16 and with overhead; a card below 40 KB of UTF-8, the former
 *   limit, also passes stricter counts: 8,000 characters of 3 bytes, 80 fields of 150 bytes of structure
 *   (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages)
 * - 7 messages a second and 1,800 an hour per conversation
 *   (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/rate-limit)
 * - dialog: the same card, which contains every label twice
 */
export const teams: Definition = {
  key: 'teams', label: 'Teams', aliases: [], icon: 'i-lucide-users',
  about: 'The same cards in a Teams channel, with a native edit dialog.',
  card: { fields: 80, fieldsPerGroup: 80, label: 150, value: 3000, total: 8000, pictures: { most: 4, public: true } },
  cardIntervalMs: 1000,
  webhookBytes: 256 * 1024,
  modal: { inputs: 50, label: 100, choices: 100, value: 4000, bytes: 16_000 },
  escape: withoutMacros,
  moment: macro,
  isCard: ({ attachments }) => Array.isArray(attachments)
    && attachments.some(({ contentType }) => String(contentType).startsWith('application/vnd.microsoft.card')),
  mention: null,
  variables,
  needs: ['TEAMS_APP_ID', 'TEAMS_APP_PASSWORD'],
  channel: { variable: 'TEAMS_CHANNEL_ID', instead: 'TEAMS_APP_TENANT_ID', usual: usualChannel },
  person: { id: /^\S+$/, example: 'teams:29:…' },
  read: (values: Values<typeof variables>): TeamsSettings => ({
    appId: values.TEAMS_APP_ID!, appPassword: values.TEAMS_APP_PASSWORD!, tenantId: values.TEAMS_APP_TENANT_ID,
    channelId: values.TEAMS_CHANNEL_ID, apiUrl: values.TEAMS_API_URL?.replace(/(?<!\/)\/+$/, ''),
  }),
  setup: siteUrl => [
    {
      text: 'Create a bot with this endpoint and a client secret. Set TEAMS_APP_ID, TEAMS_APP_PASSWORD and TEAMS_APP_TENANT_ID. Restart.',
      link: { label: 'Teams developer portal', to: PORTAL },
      code: { label: 'Bot endpoint', text: `${siteUrl ?? 'https://<your host>'}/api/webhooks/teams` },
    },
    {
      text: 'Create an app with that bot in the scope Team, and add it to the channel of the cards: the bot says there that they arrive. To move them to another team, remove the app from this one first.',
    },
    {
      text: 'Only for a group chat, or a multi-tenant bot: set TEAMS_CHANNEL_ID, which is the part of the channel\'s link after /channel/, decoded (19:…@thread.tacv2).',
    },
  ],
  connect(settings: TeamsSettings, { log }) {
    const adapter = async () => (await import('./adapter')).createTeamsAdapter(settings, sdkLogger(log, 'teams'))
    return {
      platform: teams,
      channelId: settings.channelId ?? null,
      // Only with a tenant: anybody can install the app of a multi-tenant bot in their own tenant.
      ...settings.channelId === undefined && settings.tenantId !== undefined && { late: lateRoomOf(settings) },
      // Threads are `teams:<conversation>:…` in base64url; a conversation is a channel or `channel;messageid=…`.
      channelsOf: threadId => [Buffer.from(threadId.split(':')[1] ?? '', 'base64url').toString().split(';')[0]!],
      // Ids of people begin with `29:`, ids of bots with `28:`.
      mentions: { in: raw => mentionedPeople(raw) },
      identify: async () => (await import('./room')).identifyTeamsApp(settings, await adapter()),
      adapter,
      room: async (_bot, channelId = settings.channelId) => (await import('./room')).createTeamsRoom(
        channelId!, settings, await adapter(),
      ),
    }
  },
}

function mentionedPeople(activity: unknown): string[] {
  const { entities = [] } = activity as { entities?: { type?: string, mentioned?: { id?: string } }[] }
  return entities.flatMap(({ type, mentioned }) => (
    type === 'mention' && mentioned?.id?.startsWith('29:') ? [mentioned.id] : []
  ))
}

/**
 * Room for cards if no channel is configured: the channel in which the app is added to a team of our tenant. An event's
 * token proves that Microsoft sent the event, but not for which tenant; only events of a team name it
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events#installation-update-event).
 */
export function lateRoomOf({ appId, tenantId }: Pick<TeamsSettings, 'appId' | 'tenantId'>): LateRoom {
  return {
    app: `teams:${tenantId}:${appId}`.toLowerCase(),
    installationIn({ conversationId, tenantId: eventTenantId, raw }) {
      const { team } = (raw as { channelData?: { team?: { id?: unknown } | null } | null }).channelData ?? {}
      const isOurs = tenantId !== undefined && eventTenantId?.toLowerCase() === tenantId.toLowerCase()
      const channel = conversationId.split(';')[0]!
      return isOurs && typeof team?.id === 'string' && CHANNEL.test(channel) ? { channel, within: team.id } : null
    },
  }
}
