import { COMMAND, COMMANDS, usageOf } from '../../../shared/commands'

/** Scopes that the service needs in Slack, and no more. */
const BOT_SCOPES = [
  'app_mentions:read', 'channels:history', 'channels:read', 'chat:write', 'commands', 'groups:history', 'groups:read',
  'im:history', 'im:read', 'mpim:history', 'mpim:read', 'reactions:read', 'reactions:write', 'users:read',
]

const BOT_EVENTS = [
  'app_home_opened', 'app_mention', 'channel_id_changed', 'message.channels', 'message.groups', 'message.im',
  'message.mpim',
]

/** Event sent when somebody stops an answer; Slack shows the stop button only in apps that are agents. */
const AGENT_EVENTS = ['agent_session_stopped']

/** Events sent when a workspace removes the app; they need no scope. */
const REMOVAL_EVENTS = ['app_uninstalled', 'tokens_revoked']

/**
 * Manifest from which the Slack app is created (https://docs.slack.dev/reference/app-manifest).
 *
 * @param siteUrl public URL of this service, without a trailing slash; null if Slack does not need it
 * @param variant `files` lets the bot read files that people attach in conversations; `agent` makes it one of Slack's
 * agents; `oauth` lets other workspaces install the app; `groups` lets it read the members of the user groups in a
 * list; `socket` makes the app send everything through a socket that this service opens
 */
export function slackManifest(
  siteUrl: string | null, { files = false, agent = false, oauth = false, groups = false, socket = false } = {},
) {
  const requestUrl = `${siteUrl}/api/webhooks/slack`
  const request = socket ? {} : { request_url: requestUrl }
  return {
    display_information: {
      name: 'Form triage', description: 'Shows submitted forms to your team, who decide each with one click.',
    },
    features: {
      bot_user: { display_name: 'form-bot', always_online: true },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      ...agent ? { agent_view: { agent_description: 'Answers questions about submitted forms.' } } : {},
      slash_commands: [{
        command: `/${COMMAND}`, ...socket ? {} : { url: requestUrl },
        description: 'Waiting submissions, shown only to you',
        usage_hint: COMMANDS.map(usageOf).join(' | '),
        // Makes commands name people by id, as messages do.
        should_escape: true,
      }],
    },
    oauth_config: {
      ...oauth && siteUrl !== null ? { redirect_urls: [redirectUri(siteUrl)] } : {},
      scopes: { bot: botScopes({ files, agent, groups }) },
    },
    settings: {
      event_subscriptions: { ...request, bot_events: [
        ...BOT_EVENTS, ...agent ? AGENT_EVENTS : [], ...oauth ? REMOVAL_EVENTS : [],
      ] },
      interactivity: { is_enabled: true, ...request },
      org_deploy_enabled: false,
      socket_mode_enabled: socket,
      token_rotation_enabled: false,
    },
  }
}

/** Address to which Slack sends people back after they install the app. */
export function redirectUri(siteUrl: string): string {
  return `${siteUrl}/api/slack/oauth/callback`
}

/**
 * Slack's page on which a person installs the app in a workspace.
 *
 * @param apiUrl base URL of the Web API, whose host serves the page; Slack's own when absent
 */
export function installLink(
  query: { clientId: string, redirectUri: string, state: string },
  { files = false, agent = false, groups = false } = {},
  apiUrl = 'https://slack.com/api/',
): string {
  const page = new URL('/oauth/v2/authorize', apiUrl)
  const scope = botScopes({ files, agent, groups }).join(',')
  page.search = String(
    new URLSearchParams({ client_id: query.clientId, scope, redirect_uri: query.redirectUri, state: query.state }),
  )
  return page.href
}

function botScopes({ files, agent, groups }: { files: boolean, agent: boolean, groups: boolean }): string[] {
  const optionalScopes = [files && 'files:read', agent && 'assistant:write', groups && 'usergroups:read']
  return [...BOT_SCOPES, ...optionalScopes.filter(scope => scope !== false)]
}

/** Link to Slack's "create an app" dialogue with the manifest filled in. */
export function createAppLink(manifest: object): string {
  return `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`
}
