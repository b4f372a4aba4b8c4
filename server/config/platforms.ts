import { text, type Require, type Values, type Variable } from './variable'

/** Chat platforms beyond Slack and Discord, and workspaces beyond the first. */
export const platformVariables = {
  SLACK_CLIENT_ID: { schema: text, about: 'Client id of the Slack app, when several workspaces install it. Optional.', where: 'https://api.slack.com/apps → your app → Basic Information → App Credentials.' },
} as const satisfies Record<string, Variable>

export interface PlatformsConfig {
  slackOAuth?: { clientId: string }
}

export function readPlatforms(values: Values<typeof platformVariables>, _require: Require): PlatformsConfig {
  return { slackOAuth: values.SLACK_CLIENT_ID ? { clientId: values.SLACK_CLIENT_ID } : undefined }
}
