import type { Outcome } from '../../ports/delivery'
import type { CardRef } from '../../ports/submission'
import { idIn } from '../shared/answers'
import type { Room } from '../connection'
import type { FormTeamsAdapter } from './adapter'
import { callConnector, type ConnectorRequest, type TeamsSettings } from './client'
import { activities, cardActivity } from './messages'

/** Bound of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/**
 * For conversations that have not told theirs
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/conversations/send-proactive-messages).
 */
const GLOBAL_SERVICE = 'https://smba.trafficmanager.net/teams'

/**
 * Posts and edits cards with the adapter's sign-in. Not through its own methods: they render form text as markdown and
 * forget `Retry-After`.
 */
export function createTeamsRoom(
  { appId, channelId, apiUrl = GLOBAL_SERVICE }: TeamsSettings, adapter: FormTeamsAdapter,
): Room {
  const call = (request: Omit<ConnectorRequest, 'timeoutMs'>) => callConnector(
    () => adapter.connector({ ...request, timeoutMs: TIMEOUT_MS }), TIMEOUT_MS,
  )

  return {
    async post(card, summary) {
      const outcome = await call({
        method: 'POST', serviceUrl: apiUrl, path: activities(channelId), body: cardActivity(card, summary, appId),
      })
      if (!outcome.ok) return outcome
      const id = idIn('Teams', outcome.value.id)
      if (!id.ok) return id
      return { ok: true, value: {
        platform: 'teams', threadId: adapter.encodeThreadId({ conversationId: channelId, serviceUrl: apiUrl }),
        messageId: id.value,
      } }
    },
    async update(ref, card, summary) {
      const { serviceUrl, conversation } = placeOf(ref)
      return done(await call({
        method: 'PUT', serviceUrl, path: `${activities(conversation)}/${encodeURIComponent(ref.messageId)}`,
        body: cardActivity(card, summary, appId),
      }))
    },
    /** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/get-teams-context#get-single-member-details */
    async hasMember(userId) {
      const path = `/v3/conversations/${encodeURIComponent(channelId)}/members/${encodeURIComponent(userId)}`
      let isUnknown = false
      const outcome = await callConnector(async () => {
        const answer = await adapter.connector({ method: 'GET', serviceUrl: apiUrl, path, timeoutMs: TIMEOUT_MS })
        isUnknown = answer.status === 404
        return answer
      }, TIMEOUT_MS)
      return outcome.ok || isUnknown ? { ok: true, value: outcome.ok } : outcome
    },
    async say(card, summary, below) {
      if (!below) {
        return done(await call({
          method: 'POST', serviceUrl: apiUrl, path: activities(channelId), body: cardActivity(card, summary, appId),
        }))
      }
      const { serviceUrl, conversation } = placeOf(below)
      return done(await call({
        method: 'POST', serviceUrl, path: activities(`${conversation};messageid=${below.messageId}`),
        body: cardActivity(card, summary, appId),
      }))
    },
  }

  function placeOf({ threadId }: CardRef) {
    const { conversationId, serviceUrl } = adapter.decodeThreadId(threadId)
    return { serviceUrl, conversation: conversationId.replace(/;messageid=\d+$/, '') }
  }
}

function done(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? { ok: true, value: undefined } : outcome
}
