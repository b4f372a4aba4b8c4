/** What the service does in Slack needs these and no more. */
const BOT_SCOPES = [
  'app_mentions:read', 'channels:history', 'channels:read', 'chat:write', 'groups:history', 'groups:read', 'im:history',
  'im:read',
  'mpim:history', 'mpim:read', 'reactions:read', 'reactions:write', 'users:read',
]

const BOT_EVENTS = ['app_mention', 'message.channels', 'message.groups', 'message.im', 'message.mpim']

/** Tell that a workspace wants no more of the app; they need no scope. */
const GOODBYE_EVENTS = ['app_uninstalled', 'tokens_revoked']

/** The part of https://docs.slack.dev/reference/app-manifest that this app uses. */
export interface SlackManifest {
  display_information: { name: string, description: string }
  features: { bot_user: { display_name: string, always_online: boolean } }
  oauth_config: { redirect_urls?: string[], scopes: { bot: string[] } }
  settings: {
    event_subscriptions: { request_url: string, bot_events: string[] }
    interactivity: { is_enabled: boolean, request_url: string }
    org_deploy_enabled: boolean
    socket_mode_enabled: boolean
    token_rotation_enabled: boolean
  }
}

/**
 * What the Slack app is created from. No slash command: the service has none, and each would need a scope more.
 *
 * @param siteUrl public URL of this service, without a trailing slash
 * @param variant `files` lets the bot read files that people attach in conversations; `oauth` lets other workspaces
 * install the app
 */
export function slackManifest(siteUrl: string, { files = false, oauth = false } = {}): SlackManifest {
  const requestUrl = `${siteUrl}/api/webhooks/slack`
  return {
    display_information: {
      name: 'Form triage', description: 'Shows submitted forms to your team, who decide each with one click.',
    },
    features: { bot_user: { display_name: 'form-bot', always_online: true } },
    oauth_config: { ...oauth ? { redirect_urls: [redirectUri(siteUrl)] } : {}, scopes: { bot: botScopes({ files }) } },
    settings: {
      event_subscriptions: { request_url: requestUrl, bot_events: [...BOT_EVENTS, ...oauth ? GOODBYE_EVENTS : []] },
      interactivity: { is_enabled: true, request_url: requestUrl },
      org_deploy_enabled: false,
      socket_mode_enabled: false,
      token_rotation_enabled: false,
    },
  }
}

/** Where Slack sends people back to who installed the app. */
export function redirectUri(siteUrl: string): string {
  return `${siteUrl}/api/slack/oauth/callback`
}

/**
 * Slack's page that asks somebody to install the app into a workspace.
 *
 * @param apiUrl base URL of the Web API, which has the page beside it; Slack's own when absent
 */
export function installLink(
  query: { clientId: string, redirectUri: string, state: string }, { files = false } = {},
  apiUrl = 'https://slack.com/api/',
): string {
  const page = new URL('/oauth/v2/authorize', apiUrl)
  const scope = botScopes({ files }).join(',')
  page.search = String(
    new URLSearchParams({ client_id: query.clientId, scope, redirect_uri: query.redirectUri, state: query.state }),
  )
  return page.href
}

function botScopes({ files }: { files: boolean }): string[] {
  return [...BOT_SCOPES, ...files ? ['files:read'] : []]
}

/** Opens Slack's "create an app" dialogue with the manifest filled in. */
export function createAppLink(manifest: SlackManifest): string {
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`
}
