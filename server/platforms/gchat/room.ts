import type { CardElement } from 'chat'
import type { Outcome } from '../../ports/delivery'
import { idIn } from '../shared/answers'
import type { Room } from '../connection'
import type { FormGoogleChatAdapter, GoogleChatSettings } from './adapter'
import { googleCard } from './cards'
import { callGoogle, plainCall } from './client'
import { escapeHtml } from './escape'

/** Bound of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/**
 * Posts and edits cards with the adapter's sign-in. Not through its own methods: they tell no refusal from an outage.
 */
export function createGoogleChatRoom({ space, endpointUrl }: GoogleChatSettings, adapter: FormGoogleChatAdapter): Room {
  const create = (params: { requestId?: string, messageReplyOption?: string, requestBody: object }) => (
    callGoogle(() => adapter.messages.create({ parent: space, ...params }, plainCall(TIMEOUT_MS)), TIMEOUT_MS)
  )
  const cardsV2 = (card: CardElement) => [googleCard(card, endpointUrl)]

  return {
    async post(card, summary, submissionId) {
      // With an id that it has seen, Google hands out the message of the first post.
      const outcome = await create({
        requestId: submissionId, requestBody: { fallbackText: summary, cardsV2: cardsV2(card) },
      })
      if (!outcome.ok) return outcome
      const { name, thread } = outcome.value
      const id = idIn('Google Chat', name)
      if (!id.ok) return id
      const threadId = adapter.encodeThreadId({ spaceName: space, threadName: thread?.name ?? undefined })
      return { ok: true, value: { platform: 'gchat', threadId, messageId: id.value } }
    },
    async update(ref, card) {
      const update = { name: ref.messageId, updateMask: 'cardsV2', requestBody: { cardsV2: cardsV2(card) } }
      return done(await callGoogle(() => adapter.messages.patch(update, plainCall(TIMEOUT_MS)), TIMEOUT_MS))
    },
    /** https://developers.google.com/workspace/chat/api/reference/rest/v1/spaces.members/get */
    async hasMember(userId) {
      let isUnknown = false
      const outcome = await callGoogle(async () => {
        const answer = await adapter.members.get(
          { name: `${space}/members/${userId.replace(/^users\//, '')}` }, plainCall(TIMEOUT_MS),
        )
        isUnknown = answer.status === 404
        return answer
      }, TIMEOUT_MS)
      if (!outcome.ok) return isUnknown ? { ok: true, value: false } : outcome
      return { ok: true, value: outcome.value.state === 'JOINED' }
    },
    async say(card, summary, below) {
      const threadName = below && adapter.decodeThreadId(below.threadId).threadName
      const reply = threadName ? { messageReplyOption: 'REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD' } : {}
      return done(await create({ ...reply, requestBody: {
        fallbackText: summary, cardsV2: cardsV2(literal(card)), ...threadName ? { thread: { name: threadName } } : {},
      } }))
    },
  }
}

/** The card with its texts, which are plain, as HTML. */
function literal(card: CardElement): CardElement {
  return { ...card, children: card.children.map(child => child.type === 'text'
    ? { ...child, content: escapeHtml(child.content) }
    : child) }
}

function done(outcome: Outcome<unknown>): Outcome {
  return outcome.ok ? { ok: true, value: undefined } : outcome
}
