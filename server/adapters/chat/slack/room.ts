import { escapeSlackText } from '@chat-adapter/slack/format'
import type { CardRef } from '../../../ports/submission'
import type { Room } from '../rooms'
import { cardBlocks } from './blocks'
import { createSlackCall, type SlackSettings } from './client'

/** Bound of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/**
 * Posts and edits cards. Not through the SDK's adapter: it puts the whole card into `text`, of which
 * `chat.update` takes 4,000 bytes.
 */
export function createSlackRoom(settings: SlackSettings): Room {
  const call = createSlackCall(settings, TIMEOUT_MS)
  const channel = settings.channelId
  return {
    async post(card, summary) {
      const outcome = await call('chat.postMessage', { channel, text: escapeSlackText(summary), blocks: cardBlocks(card), unfurl_links: false, unfurl_media: false })
      if (!outcome.ok) return outcome
      const ts = String(outcome.value.ts)
      return { ok: true, value: { platform: 'slack', threadId: `slack:${String(outcome.value.channel ?? channel)}:${ts}`, messageId: ts } }
    },
    async update(ref, card, summary) {
      const outcome = await call('chat.update', { channel: channelOf(ref), ts: ref.messageId, text: escapeSlackText(summary), blocks: cardBlocks(card) })
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async check() {
      // Not conversations.info: a bot without the scope channels:read posts as well.
      const outcome = await call('auth.test', {})
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async say(card, summary, below) {
      const outcome = await call('chat.postMessage', { channel: below ? channelOf(below) : channel, thread_ts: below?.messageId, text: escapeSlackText(summary), blocks: cardBlocks(card), unfurl_links: false, unfurl_media: false })
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
  }
}

/** Thread ids are `slack:channel:ts`. */
function channelOf({ threadId }: CardRef): string {
  return threadId.split(':')[1]!
}
