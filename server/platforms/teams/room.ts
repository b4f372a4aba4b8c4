import type { Outcome } from '../../ports/delivery'
import type { CardRef } from '../../ports/submission'
import { done, idIn } from '../shared/answers'
import { literal } from '../shared/speech'
import type { Room } from '../connection'
import type { FormTeamsAdapter } from './adapter'
import { callConnector, type TeamsSettings } from './client'
import { macro, withoutMacros } from './escape'

/**
 * Address for conversations that have not sent their own
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages).
 */
const GLOBAL_SERVICE = 'https://smba.trafficmanager.net/teams'

/** Signs in as the app: Teams has no call that returns the bot's name. */
export async function identifyTeamsApp({ appId }: TeamsSettings, adapter: FormTeamsAdapter): Promise<Outcome<string>> {
  const outcome = await callConnector(async () => {
    await adapter.signIn()
    return { status: 200, headers: {}, data: {} }
  })
  return outcome.ok ? { ok: true, value: `the app ${appId}` } : outcome
}

/** Posts and edits cards. Bypasses the SDK's own methods, which render form text as markdown. */
export function createTeamsRoom(
  channelId: string, { apiUrl: serviceUrl = GLOBAL_SERVICE }: Pick<TeamsSettings, 'apiUrl'>, adapter: FormTeamsAdapter,
): Room {
  const channel = { conversationId: channelId, serviceUrl }
  const conversationOf = ({ threadId }: CardRef, threadSuffix = '') => {
    const { conversationId, serviceUrl } = adapter.decodeThreadId(threadId)
    return { conversationId: conversationId.replace(/;messageid=\d+$/, '') + threadSuffix, serviceUrl }
  }
  return {
    async post(card, summary) {
      const outcome = await adapter.sendCard(channel, card, summary)
      const id = outcome.ok ? idIn('Teams', outcome.value.id) : outcome
      if (!id.ok) return id
      return { ok: true, value: {
        platform: 'teams', threadId: adapter.encodeThreadId(channel), messageId: id.value,
      } }
    },
    update: async (ref, card, summary) => done(
      await adapter.sendCard(conversationOf(ref), card, summary, ref.messageId),
    ),
    /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context#get-single-member-details */
    async hasMember(userId) {
      const path = `/v3/conversations/${encodeURIComponent(channelId)}/members/${encodeURIComponent(userId)}`
      const outcome = await adapter.connector({ method: 'GET', serviceUrl, path })
      return outcome.ok || outcome.gone ? { ok: true, value: outcome.ok } : outcome
    },
    say: async (card, summary, below) => done(
      await adapter.sendCard(
        below ? conversationOf(below, `;messageid=${below.messageId}`) : channel,
        literal(card, { escape: withoutMacros, moment: macro }), summary,
      ),
    ),
  }
}
