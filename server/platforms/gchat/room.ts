import { done, idIn } from '../shared/answers'
import { literal } from '../shared/speech'
import type { Room } from '../connection'
import type { FormGoogleChatAdapter } from './adapter'
import { escapeText } from './cards'

/** Posts and edits cards without the SDK's own methods, which cannot tell a refusal from an outage. */
export function createGoogleChatRoom(space: string, adapter: FormGoogleChatAdapter): Room {
  return {
    async post(card, fallbackText, requestId) {
      const outcome = await adapter.createCard(space, { card, fallbackText }, { requestId })
      if (!outcome.ok) return outcome
      const { name, thread } = outcome.value
      const id = idIn('Google Chat', name)
      if (!id.ok) return id
      const threadId = adapter.encodeThreadId({ spaceName: space, threadName: thread?.name ?? undefined })
      return { ok: true, value: { platform: 'gchat', threadId, messageId: id.value } }
    },
    update: async (ref, card) => done(await adapter.updateCard(ref.messageId, card)),
    async hasMember(userId) {
      const outcome = await adapter.memberOf(space, userId)
      if (!outcome.ok) return outcome.gone ? { ok: true, value: false } : outcome
      return { ok: true, value: outcome.value.state === 'JOINED' }
    },
    async say(card, fallbackText, below) {
      const threadName = below && adapter.decodeThreadId(below.threadId).threadName
      const speech = { card: literal(card, { escape: escapeText }), fallbackText }
      return done(await adapter.createCard(space, speech, { threadName }))
    },
  }
}
