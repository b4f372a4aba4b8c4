import { base, text, token, type Values } from '../../variable'
import type { Definition } from '../platform'
import { sdkLogger } from '../shared/logger'
import type { DiscordSettings } from './api/rest'
import { escapeMarkdown, timestamp } from './escape'
import type { Interaction } from './interactions'
import { createDiscordIdentity } from './sign-in'

const APPS = 'https://discord.com/developers/applications'
const APP = `${APPS} → your app → `

const usualId = text.regex(/^\d{15,21}$/, 'must be a Discord id, which has 17 to 20 digits')
const id = { schema: text, usual: usualId }

const variables = {
  PLATFORM2_BOT_TOKEN: {
    alias: 'DISCORD_BOT_TOKEN', schema: token, usual: text.min(20, 'is too short'),
    about: 'Bot token of the Discord application.', where: `${APP}Bot → Reset Token.`,
  },
  PLATFORM2_PUBLIC_KEY: {
    alias: 'DISCORD_PUBLIC_KEY', schema: text,
    usual: text.regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits'),
    about: 'Verifies that interactions come from Discord.', where: `${APP}General Information → Public Key.`,
  },
  PLATFORM2_APPLICATION_ID: {
    alias: 'DISCORD_APPLICATION_ID', ...id,
    about: 'Id of the Discord application.', where: `${APP}General Information → Application ID.`,
  },
  DISCORD_CHANNEL_ID: {
    ...id, about: 'Discord channel in which cards are posted. Without it Discord has no cards.',
    where: 'Discord with developer mode → right-click the channel → Copy Channel ID. Invite the bot there.',
  },
  DISCORD_GUILD_ID: { ...id, about: 'Server of that channel. Default: Discord is asked once.' },
  DISCORD_API_URL: {
    schema: base,
    about: 'Base URL of the Discord REST API with its version, for tests. Default: https://discord.com/api/v10.',
    example: 'https://discord.com/api/v10',
  },
} as const

const signInVariables = {
  OPS_DISCORD_GUILD_ID: {
    ...id, about: 'Lets every member of this Discord server sign in.',
    where: 'Discord with developer mode → right-click the server → Copy Server ID.',
  },
  OPS_DISCORD_CLIENT_ID: {
    ...id, about: 'Client id of the Discord application that people sign in with.', where: `${APP}OAuth2.`,
  },
  OPS_DISCORD_CLIENT_SECRET: {
    schema: text, about: 'Client secret of that Discord application.', where: `${APP}OAuth2.`,
  },
} as const

/**
 * Discord renders markdown in cards, so form text is escaped. The limits apply to the escaped text.
 *
 * - embed: 25 fields, name 256 (` (edited)` takes 9 of them), value 1,024; 10 embeds per message, one of them for link
 *   and notes, one for a second picture; 6,000 characters in all, of which 500 are left for title, link and line ends
 *   (https://discord.com/developers/docs/resources/message#embed-object-embed-limits)
 * - 5 messages in 5 s per channel, according to its rate limit headers
 *   (https://discord.com/developers/docs/topics/rate-limits)
 * - modal: the adapter splits a form into as many modals as it needs (`form.ts`); a value over 4,000 characters fills
 *   up to five inputs of one modal, and the SDK's state keeps the form while it is open
 *   (https://discord.com/developers/docs/components/reference#text-input)
 * - content: 2,000 characters (https://discord.com/developers/docs/resources/message#create-message)
 *
 * Cards are embeds, not Components V2. We compared drawings of both: a container has the buttons in its box and can
 * make notes small, but its text is larger and it has no fields, so a card of 25 fields is two fifths taller. It holds
 * 4,000 characters instead of 6,000. A mention would need a text of its own, because `content` is not allowed beside
 * components, and no edit can turn such a message back into one with embeds
 * (https://discord.com/developers/docs/components/reference#component-reference)
 */
export const discord: Definition = {
  key: 'discord', label: 'Discord', aliases: [], icon: 'i-lucide-gamepad-2',
  about: 'The same cards in a Discord channel, beside Slack or instead of it.',
  card: {
    // Seven of ten embeds hold fields; a second picture and the texts below the fields take up to three.
    fields: 175, fieldsPerGroup: 25, label: 240, value: 1024, total: 5500, pictures: { most: 2, public: true },
  },
  cardIntervalMs: 1000,
  modal: { inputs: 2000, label: 100, choices: 25, value: 20_000, bytes: 400_000 },
  messageLength: 1900,
  escape: escapeMarkdown,
  moment: timestamp,
  isCard: ({ embeds }) => Array.isArray(embeds) && embeds.length > 0,
  // https://discord.com/developers/docs/reference#message-formatting
  mention: /<@[!&]?\d+>|@here|@everyone/g,
  variables,
  needs: ['PLATFORM2_BOT_TOKEN', 'PLATFORM2_PUBLIC_KEY', 'PLATFORM2_APPLICATION_ID'],
  channel: { variable: 'DISCORD_CHANNEL_ID', usual: usualId },
  person: { id: /^\d+$/, example: 'discord:123456789012345678' },
  group: { id: /^role:\d+$/, example: 'discord:role:123456789012345678' },
  read: (values: Values<typeof variables>): DiscordSettings => ({
    botToken: values.PLATFORM2_BOT_TOKEN!, publicKey: values.PLATFORM2_PUBLIC_KEY!,
    applicationId: values.PLATFORM2_APPLICATION_ID!,
    channelId: values.DISCORD_CHANNEL_ID, guildId: values.DISCORD_GUILD_ID,
    apiUrl: values.DISCORD_API_URL?.replace(/(?<!\/)\/+$/, ''),
  }),
  setup: (siteUrl, settings: DiscordSettings | undefined) => [
    {
      text: 'Create an application. Set PLATFORM2_APPLICATION_ID and PLATFORM2_PUBLIC_KEY from General Information, PLATFORM2_BOT_TOKEN from Bot → Reset Token, and switch the Message Content Intent on there.',
      link: { label: 'Discord applications', to: APPS },
    },
    { text: 'Set DISCORD_CHANNEL_ID (developer mode → right-click the channel → Copy Channel ID) and restart.' },
    settings
      ? {
          text: 'Invite the bot to your server with the permissions that it needs.',
          link: { label: 'Invite the bot', to: discordInviteLink(settings.applicationId) },
        }
      : { text: 'Invite the bot to your server: the link stands here after the restart.' },
    {
      text: 'Now enter this address as Interactions Endpoint URL in General Information: Discord checks at once that it answers.',
      code: { label: 'Interactions Endpoint URL', text: `${siteUrl ?? 'https://<your host>'}/api/webhooks/discord` },
    },
  ],
  hasSocket: true,
  signIn: {
    variables: signInVariables,
    needs: ['OPS_DISCORD_GUILD_ID', 'OPS_DISCORD_CLIENT_ID', 'OPS_DISCORD_CLIENT_SECRET'],
    read: (values: Values<typeof signInVariables & typeof variables>) => ({
      guildId: values.OPS_DISCORD_GUILD_ID!, clientId: values.OPS_DISCORD_CLIENT_ID!,
      clientSecret: values.OPS_DISCORD_CLIENT_SECRET!,
      apiUrl: values.DISCORD_API_URL,
    }),
    provider: createDiscordIdentity,
  },
  connect: (settings: DiscordSettings, { log, http, drafts }) => ({
    platform: discord,
    channelId: settings.channelId ?? null,
    // `discord:server:channel`, or `discord:server:channel:thread`; a thread may be a room of its own.
    channelsOf: threadId => threadId.split(':').slice(2).reverse(),
    // The signed request lists the roles that its sender has in the server.
    rolesOf: raw => rolesIn(raw).map(role => `role:${role}`),
    mentions: {
      in: peopleIn,
      of: id => `<@${id}>`,
    },
    identify: async () => (await import('./api/room')).identifyDiscordBot(settings, http),
    adapter: async () => (
      new (await import('./adapter')).FormDiscordAdapter(settings, sdkLogger(log, 'discord'), http, drafts)
    ),
    // Another channel may be in another server, so Discord is asked for its server.
    room: async (_bot, channelId) => {
      const { createDiscordRoom } = await import('./api/room')
      const channel = channelId ? { channelId, guildId: undefined } : { channelId: settings.channelId! }
      return createDiscordRoom({ ...settings, ...channel }, http)
    },
    listener: async options => (await import('./gateway/listener')).createListener(settings, options),
  }),
}

/** Ids of the users that a message mentions, or that the options of a command name */
function peopleIn(raw: unknown): string[] {
  const { content, data } = raw as Interaction & { content?: unknown }
  const mentions = [...String(content).matchAll(/<@!?(\d+)>/g)].map(([, id]) => id!)
  return [...mentions, ...Object.keys(data?.resolved?.users ?? {})]
}

function rolesIn(interaction: unknown): string[] {
  const { member } = interaction as Interaction
  return Array.isArray(member?.roles) ? member.roles.map(String) : []
}

/** Permissions that the service needs in a channel, by bit: https://discord.com/developers/docs/topics/permissions */
const PERMISSION_BITS = {
  addReactions: 6n,
  viewChannel: 10n,
  sendMessages: 11n,
  embedLinks: 14n,
  readMessageHistory: 16n,
  createPublicThreads: 35n,
  sendMessagesInThreads: 38n,
}

/** Link to Discord's "add to server" dialogue, with the bot's scopes and permissions filled in */
export function discordInviteLink(applicationId: string): string {
  const permissions = String(Object.values(PERMISSION_BITS).reduce((bits, bit) => bits | 1n << bit, 0n))
  const query = new URLSearchParams({ client_id: applicationId, scope: 'bot applications.commands', permissions })
  return `https://discord.com/oauth2/authorize?${query}`
}
