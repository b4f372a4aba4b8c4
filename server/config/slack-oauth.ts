import type { FormsConfig } from './forms'
import { text, type Require, type Values, type Variable } from './variable'

const SLACK_APP = 'https://api.slack.com/apps → your app → Basic Information → App Credentials.'

/** 32 bytes in base64 or hexadecimal, as the SDK reads it. */
const KEY = /^(?:[A-Za-z0-9+/]{43}=|[0-9a-f]{64})$/i

/** Slack workspaces beside the one of CHAT_BOT_TOKEN. */
export const slackOAuthVariables = {
  SLACK_CLIENT_ID: { schema: text, about: 'Client id of the Slack app: lets other workspaces install it. Optional.', where: SLACK_APP },
  SLACK_CLIENT_SECRET: { schema: text, about: 'Client secret of the Slack app that other workspaces install.', where: SLACK_APP },
  SLACK_ENCRYPTION_KEY: { schema: text.regex(KEY, 'it is not 32 bytes in base64 (44 characters) or hexadecimal (64)'), about: 'Encrypts the tokens of the workspaces that install the Slack app; with another key they have to install it again.', where: 'Make one: openssl rand -base64 32.' },
} as const satisfies Record<string, Variable>

export interface SlackOAuthConfig {
  clientId: string
  clientSecret: string
  encryptionKey: string
}

type Name = keyof typeof slackOAuthVariables

const NAMES = Object.keys(slackOAuthVariables) as Name[]

/** Other workspaces join the first one, which takes the cards of the default form. */
export function readSlackOAuth(values: Values<typeof slackOAuthVariables>, require: Require): SlackOAuthConfig | undefined {
  if (NAMES.every(name => values[name] === undefined)) return undefined
  require(NAMES, ', but other variables for installing the Slack app are set')
  require(['CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID'], ', but SLACK_CLIENT_ID is set: other workspaces join the first one, where the cards of the default form go')
  return { clientId: values.SLACK_CLIENT_ID!, clientSecret: values.SLACK_CLIENT_SECRET!, encryptionKey: values.SLACK_ENCRYPTION_KEY! }
}

/** Slack channels of forms, those of other workspaces as `T0123456789:C0123456789`. */
export function slackChannels(forms: FormsConfig): string[] {
  return Object.values(forms).flatMap(({ channels }) => channels?.slack ?? [])
}

/** A form's channel may be in another workspace only when that can install the app. */
export function requireWorkspaces(forms: FormsConfig, require: Require): void {
  const elsewhere = slackChannels(forms).find(channel => channel.includes(':'))
  if (elsewhere) require(NAMES, `, but a form has its Slack channel in another workspace (${elsewhere})`)
}
