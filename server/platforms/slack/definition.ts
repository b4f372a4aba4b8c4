import { base, text, token, type Values } from '../../variable'
import type { Definition, VariableReader } from '../platform'
import { sdkLogger } from '../shared/logger'
import type { FormSlackAdapter } from './adapter'
import { type SlackSettings, membersOf, MovedChannels, configuredChannel } from './client'
import { slackAdapter, slackInstall } from './install'
import { manifestFor, setupSteps } from './setup'
import { createSlackIdentity } from './sign-in'

const APP = 'https://api.slack.com/apps → your app → '
const CREDENTIALS = `${APP}Basic Information → App Credentials.`

const CHANNEL = '[CGD][A-Z0-9]{4,}'
/** Id of a user group, whose members are requested from Slack. */
const GROUP = /^S[A-Z0-9]{4,}$/

const CHANNEL_HINT = 'must be a channel id such as C0123456789'

/** Key of 32 bytes in base64 or hexadecimal, as the SDK reads it. */
const KEY = /^(?:[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/i

/** Blocks that Slack never makes from a model's text; each of our cards and lists contains at least one. */
const CARD_BLOCKS = ['header', 'actions', 'context', 'section']

const variables = {
  CHAT_BOT_TOKEN: {
    alias: 'SLACK_BOT_TOKEN', schema: token,
    usual: token.regex(/^(?!xoxp-)/, 'must be a bot token, not a user token (xoxp-): with that the bot acts as the person').regex(
      /^xox[a-z]-/, 'must start with xoxb-',
    ),
    about: 'Bot token of the Slack app.', where: `${APP}OAuth & Permissions → Bot User OAuth Token.`,
  },
  CHAT_SIGNING_SECRET: {
    alias: 'SLACK_SIGNING_SECRET', schema: text, usual: text.min(8, 'is too short'),
    about: 'Verifies that webhooks come from Slack.', where: `${APP}Basic Information → Signing Secret.`,
  },
  CHAT_APP_TOKEN: {
    alias: 'SLACK_APP_TOKEN', schema: token, usual: token.regex(/^xapp-/, 'must start with xapp-'),
    about: 'App-level token: the bot calls Slack (Socket Mode) instead of being called. CHAT_SIGNING_SECRET and a public URL are then not needed. Not on a serverless host.',
    where: `${APP}Basic Information → App-Level Tokens, with the scope connections:write.`,
  },
  CHAT_CHANNEL_ID: {
    alias: 'SLACK_CHANNEL_ID', schema: text, usual: text.regex(RegExp(`^${CHANNEL}$`), CHANNEL_HINT),
    about: 'Channel in which cards are posted. Without it Slack has no cards.',
    where: 'Slack → channel name → About → Channel ID. Invite the bot there.',
  },
  SLACK_API_URL: {
    schema: base, about: 'Base URL of the Slack Web API, for GovSlack or tests. Default: Slack\'s.',
    example: 'https://slack.com/api/',
  },
  SLACK_CLIENT_ID: {
    schema: text, about: 'Client id of the Slack app: lets other workspaces install it. Optional.', where: CREDENTIALS,
    example: '1234567890.0987654321',
  },
  SLACK_CLIENT_SECRET: {
    schema: text, about: 'Client secret of the Slack app that other workspaces install.', where: CREDENTIALS,
  },
  SLACK_ENCRYPTION_KEY: {
    schema: text.regex(KEY, 'must be 32 bytes in base64 (44 characters) or hexadecimal (64)'),
    about: 'Encrypts the tokens of the workspaces that install the Slack app; with another key they have to install it again.',
    where: 'Make one: openssl rand -base64 32.',
  },
} as const

const signInVariables = {
  OPS_SLACK_TEAM_ID: {
    schema: text, usual: text.regex(/^T[A-Z0-9]{4,}$/, 'must be a workspace id such as T0123456789'),
    about: 'Lets everybody in this Slack workspace sign in.',
    where: 'The part of https://app.slack.com/client/T…/ that starts with T.',
  },
  OPS_SLACK_CLIENT_ID: {
    schema: text, about: 'Client id of the Slack app that people sign in with.', where: CREDENTIALS,
  },
  OPS_SLACK_CLIENT_SECRET: { schema: text, about: 'Client secret of that Slack app.', where: CREDENTIALS },
} as const

const NEEDS = ['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET'] as const

/** Timeout for requesting the bot's identity, ms. */
const IDENTIFY_TIMEOUT_MS = 10_000

/** Variables without which other workspaces can't install the app. */
const OAUTH_VARIABLES = ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_ENCRYPTION_KEY'] as const

/**
 * Slack renders cards as `rich_text`, whose text is literal, so nothing has to be escaped; `mrkdwn` has no escape for
 * `*`, `_`, `:emoji:` and bare links.
 *
 * - 50 blocks a message: 40 groups of 10 fields, pictures and links leave room for header, notes and buttons
 *   (https://docs.slack.dev/reference/block-kit/blocks)
 * - Slack refuses a message with a picture that it cannot fetch
 *   (https://docs.slack.dev/reference/block-kit/blocks/image-block)
 * - about 13,200 characters of block text, then `msg_blocks_too_long` (undocumented, slackapi/bolt-js#2509)
 * - about one message a second per channel (https://docs.slack.dev/apis/web-api/rate-limits)
 * - modal: 100 blocks, inputs of 3,000 characters, label 2,000, 250 KB a view; half of that is left for an encoding
 *   that is longer than ours (https://docs.slack.dev/reference/views/modal-views)
 * - 12,000 characters of markdown (https://docs.slack.dev/reference/methods/chat.postMessage#arg_markdown_text)
 */
export const slack: Definition = {
  key: 'slack', label: 'Slack', aliases: ['chat'], icon: 'i-lucide-slack',
  about: 'Cards, buttons and edit forms in a Slack channel.',
  card: {
    fields: 400, fieldsPerGroup: 10, blocks: 40, label: 150, value: 3000, total: 11_000,
    pictures: { most: 4, public: true },
  },
  cardIntervalMs: 1000,
  modal: { inputs: 95, label: 150, choices: 100, value: 3000, bytes: 110_000 },
  messageLength: 11_000,
  escape: formText => formText,
  // https://docs.slack.dev/messaging/formatting-message-text#advanced
  stops: true,
  isCard: ({ blocks }) => Array.isArray(blocks) && blocks.some(({ type }) => CARD_BLOCKS.includes(type)),
  mention: /<(?:@[UW]\w+|!subteam\^\w+|!here|!channel|!everyone)>/g,
  variables,
  needs: NEEDS,
  outgoing: { name: 'socket', variable: 'CHAT_APP_TOKEN', replaced: ['CHAT_SIGNING_SECRET'] },
  // A channel of another workspace has that workspace's id before its own.
  channel: { variable: 'CHAT_CHANNEL_ID', usual: text.regex(RegExp(`^(?:T[A-Z0-9]{4,}:)?${CHANNEL}$`), CHANNEL_HINT) },
  person: {
    id: /^(?:T[A-Z0-9]+:)?[UW][A-Z0-9]+$/,
    example: 'slack:U0123456789 (slack:T0123456789:U0123456789 in a workspace that installed the app)',
  },
  group: { id: GROUP, example: 'slack:S0123456789' },
  read: (values: Values<typeof variables>, { channels, people, serverless }): SlackSettings => ({
    botToken: values.CHAT_BOT_TOKEN!, signingSecret: values.CHAT_SIGNING_SECRET,
    appToken: serverless ? undefined : values.CHAT_APP_TOKEN,
    channelId: values.CHAT_CHANNEL_ID,
    apiUrl: values.SLACK_API_URL?.replace(/(?<!\/)\/*$/, '/'), channels,
    groups: people.some(id => GROUP.test(id)),
    oauth: values.SLACK_CLIENT_ID === undefined
      ? undefined
      : {
          clientId: values.SLACK_CLIENT_ID, clientSecret: values.SLACK_CLIENT_SECRET!,
          encryptionKey: values.SLACK_ENCRYPTION_KEY!,
        },
  }),
  check: checkWorkspaces,
  setup: setupSteps,
  manifest: manifestFor,
  installOff: 'Other Slack workspaces cannot install this app. Set SLACK_CLIENT_ID, SLACK_CLIENT_SECRET and SLACK_ENCRYPTION_KEY.',
  signIn: {
    variables: signInVariables,
    needs: ['OPS_SLACK_TEAM_ID', 'OPS_SLACK_CLIENT_ID', 'OPS_SLACK_CLIENT_SECRET'],
    read: (values: Values<typeof signInVariables & typeof variables>) => ({
      teamId: values.OPS_SLACK_TEAM_ID!, clientId: values.OPS_SLACK_CLIENT_ID!,
      clientSecret: values.OPS_SLACK_CLIENT_SECRET!,
      apiUrl: values.SLACK_API_URL,
    }),
    provider: createSlackIdentity,
  },
  connect: (settings: SlackSettings, { log, http, siteUrl }, moved = new MovedChannels(settings)) => ({
    platform: slack,
    channelId: settings.channelId ?? null,
    channelsOf: threadId => [
      configuredChannel(moved.configured(threadId.split(':')[1] ?? ''), settings.channels),
    ],
    // Two workspaces may use the same channel id; the adapter knows the workspace and adds it.
    channelsHere: (threadId, adapter) => (adapter as FormSlackAdapter).channelsHere(threadId),
    pressOf: raw => (raw as { trigger_id?: unknown }).trigger_id,
    idsOf: (userId, { raw, adapter }) => (adapter as FormSlackAdapter).idsOf(userId, raw),
    mentions: {
      in: raw => [...String((raw as { text?: unknown }).text).matchAll(/<@([UW]\w+)/g)].map(([, id]) => id!),
      of: id => `<@${id.split(':').at(-1)}>`,
      idsOf: (userId, { raw, adapter }) => (adapter as FormSlackAdapter).idsOfMentioned(userId, raw),
    },
    membersOf: group => GROUP.test(group) ? membersOf(group, settings, http) : null,
    identify: async () => {
      const { createSlackCall } = await import('./client')
      const outcome = await createSlackCall(
        settings, () => settings.botToken, IDENTIFY_TIMEOUT_MS, http,
      )('auth.test', {})
      return outcome.ok
        ? { ok: true, value: `${String(outcome.value.user)} in ${String(outcome.value.team)}` }
        : outcome
    },
    adapter: async () => (
      new (await import('./adapter')).FormSlackAdapter(settings, sdkLogger(log, 'slack'), http, moved)
    ),
    room: async (bot, channelId = settings.channelId) => {
      const { createSlackRoom } = await import('./room')
      return createSlackRoom(
        { ...settings, channelId: channelId! }, http, async team => (await slackAdapter(bot)).tokenOf(team),
        {
          current: channel => moved.current(channel),
          find: async (channel) => {
            await slackAdapter(bot)
            return moved.find(channel, (await bot()).getState())
          },
        },
      )
    },
    listener: settings.appToken === undefined
      ? undefined
      : async options => (
        (await import('./socket/listener')).createListener(settings, settings.appToken!, options, http)
      ),
    install: siteUrl === null ? undefined : slackInstall(settings, siteUrl, log),
  }),
}

/**
 * Checks the variables that let other workspaces install the app. They require the first workspace's variables, and a
 * form's channel can be in another workspace only if that workspace can install the app.
 */
function checkWorkspaces(values: Values<typeof variables>, { require, requireSite, channels }: VariableReader): void {
  const foreignChannel = channels.find(channel => channel.includes(':'))
  if (foreignChannel && NEEDS.some(name => values[name] !== undefined)) {
    require(OAUTH_VARIABLES, `, but a form has its Slack channel in another workspace (${foreignChannel})`)
  }
  if (OAUTH_VARIABLES.every(name => values[name] === undefined)) return
  require(OAUTH_VARIABLES, ', but other variables for installing the Slack app are set')
  require(
    values.CHAT_APP_TOKEN === undefined ? NEEDS : ['CHAT_BOT_TOKEN'], ', but SLACK_CLIENT_ID is set: other workspaces join the first one, whose credentials these are',
  )
  if (values.SLACK_CLIENT_ID) requireSite('Slack sends people back to it when they have installed the app')
}
