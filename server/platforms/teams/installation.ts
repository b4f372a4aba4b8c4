import type { LateRoom } from '../connection'
import type { TeamsSettings } from './client'

export const CHANNEL = /^19:[^;/?#\s]+@[\w.]+$/

/**
 * Cards go to the channel in which the app is added to a team of our tenant: its token says that Microsoft sent an
 * event, not for which tenant. Only the event of a team names one
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/subscribe-to-conversation-events#installation-update-event).
 */
export function lateRoomOf({ appId, tenantId }: Pick<TeamsSettings, 'appId' | 'tenantId'>): LateRoom {
  return {
    app: `teams:${tenantId}:${appId}`.toLowerCase(),
    installationIn({ conversationId, tenantId: of, raw }) {
      const { team } = (raw as { channelData?: { team?: { id?: unknown } | null } | null }).channelData ?? {}
      const isOurs = tenantId !== undefined && of?.toLowerCase() === tenantId.toLowerCase()
      const channel = conversationId.split(';')[0]!
      return isOurs && typeof team?.id === 'string' && CHANNEL.test(channel) ? { channel, within: team.id } : null
    },
  }
}
