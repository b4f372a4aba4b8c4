import { text, token, type Require, type Values, type Variable } from './variable'

const SLACK_APP = 'https://api.slack.com/apps → your app → Basic Information → App Credentials.'
const DISCORD_APP = 'https://discord.com/developers/applications → your app → OAuth2.'

/** Who may look at the ops pages, and what machines may ask. */
export const opsVariables = {
  OPS_PASSWORD: { schema: text.min(12, 'it has fewer than 12 characters'), about: 'Signs people in to the ops pages. Without it, and without Slack or Discord sign-in, they are closed in production.', where: 'Make one: openssl rand -base64 24.' },
  METRICS_TOKEN: { schema: token.min(16, 'it has fewer than 16 characters'), about: 'Lets Prometheus read GET /api/metrics, as a bearer token. Without it there are no metrics.', where: 'Make one: openssl rand -hex 32.' },
  OPS_SLACK_TEAM_ID: { schema: text.regex(/^T[A-Z0-9]{4,}$/, 'it is not a workspace id such as T0123456789'), about: 'Lets everybody in this Slack workspace sign in.', where: 'The part of https://app.slack.com/client/T…/ that starts with T.' },
  OPS_SLACK_CLIENT_ID: { schema: text, about: 'Client id of the Slack app that people sign in with.', where: SLACK_APP },
  OPS_SLACK_CLIENT_SECRET: { schema: text, about: 'Client secret of that Slack app.', where: SLACK_APP },
  OPS_DISCORD_GUILD_ID: { schema: text.regex(/^\d{15,21}$/, 'it is not a Discord id, which has 17 to 20 digits'), about: 'Lets every member of this Discord server sign in.', where: 'Discord with developer mode → right-click the server → Copy Server ID.' },
  OPS_DISCORD_CLIENT_ID: { schema: text.regex(/^\d{15,21}$/, 'it is not a Discord id, which has 17 to 20 digits'), about: 'Client id of the Discord application that people sign in with.', where: DISCORD_APP },
  OPS_DISCORD_CLIENT_SECRET: { schema: text, about: 'Client secret of that Discord application.', where: DISCORD_APP },
  NUXT_SESSION_PASSWORD: { schema: text.min(32, 'it has fewer than 32 characters'), about: 'Seals the cookie of who is signed in; a new one signs everybody out.', where: 'Make one: openssl rand -hex 32.' },
} as const satisfies Record<string, Variable>

export interface OpsConfig {
  /** There is a way to sign in. */
  canSignIn: boolean
  password?: string
  slack?: { teamId: string, clientId: string, clientSecret: string, apiUrl?: string }
  discord?: { guildId: string, clientId: string, clientSecret: string, apiUrl?: string }
  /** Set whenever there is a way to sign in. */
  sessionPassword?: string
  metricsToken?: string
}

/** People are asked for by the same vendors' addresses as cards are sent to. */
type OpsValues = Values<typeof opsVariables> & { SLACK_API_URL: string | undefined, DISCORD_API_URL: string | undefined }

/** @param requireSite reports that the public URL is missing, when it is */
export function readOps(values: OpsValues, require: Require, requireSite: (why: string) => unknown): OpsConfig {
  const slack = ['OPS_SLACK_TEAM_ID', 'OPS_SLACK_CLIENT_ID', 'OPS_SLACK_CLIENT_SECRET'] as const
  const discord = ['OPS_DISCORD_GUILD_ID', 'OPS_DISCORD_CLIENT_ID', 'OPS_DISCORD_CLIENT_SECRET'] as const
  const isSet = (name: keyof typeof opsVariables) => values[name] !== undefined
  if (slack.some(isSet)) require(slack, ', but others for signing in with Slack are set')
  if (discord.some(isSet)) require(discord, ', but others for signing in with Discord are set')
  if ([...slack, ...discord].some(isSet)) requireSite('people are sent back to it when they have signed in with Slack or Discord')
  const canSignIn = [...slack, ...discord, 'OPS_PASSWORD' as const].some(isSet)
  if (canSignIn) require(['NUXT_SESSION_PASSWORD'], ', but a way to sign in is set up')
  return {
    canSignIn,
    password: values.OPS_PASSWORD,
    slack: isSet('OPS_SLACK_TEAM_ID')
      ? { teamId: values.OPS_SLACK_TEAM_ID!, clientId: values.OPS_SLACK_CLIENT_ID!, clientSecret: values.OPS_SLACK_CLIENT_SECRET!, apiUrl: values.SLACK_API_URL }
      : undefined,
    discord: isSet('OPS_DISCORD_GUILD_ID')
      ? { guildId: values.OPS_DISCORD_GUILD_ID!, clientId: values.OPS_DISCORD_CLIENT_ID!, clientSecret: values.OPS_DISCORD_CLIENT_SECRET!, apiUrl: values.DISCORD_API_URL }
      : undefined,
    sessionPassword: values.NUXT_SESSION_PASSWORD,
    metricsToken: values.METRICS_TOKEN,
  }
}
