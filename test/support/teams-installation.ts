import type { SignOptions, Teams } from './teams'

interface Where {
  channel: string
  /** Null in a group chat */
  team?: string | null
  /** Null if the event names none */
  tenant?: string | null
}

/**
 * Adds the app to a conversation, or removes it, as a user does
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events).
 */
export function install(
  teams: Teams, serverUrl: string, action: 'add' | 'remove', where: Where, options?: SignOptions,
): Promise<Response> {
  const { channel, team = '19:team@thread.tacv2', tenant = teams.env.TEAMS_APP_TENANT_ID } = where
  if (action === 'add') teams.joined.add(channel)
  else teams.joined.delete(channel)
  return teams.send(serverUrl, {
    type: 'installationUpdate', action, replyToId: undefined,
    conversation: {
      id: channel, conversationType: team === null ? 'groupChat' : 'channel', isGroup: true,
      ...tenant !== null && { tenantId: tenant },
    },
    channelData: {
      source: { name: 'message' }, ...tenant !== null && { tenant: { id: tenant } },
      ...team !== null && { team: { id: team }, settings: { selectedChannel: { id: channel } } },
    },
  }, options)
}
