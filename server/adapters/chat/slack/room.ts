import { escapeSlackText } from '@chat-adapter/slack/format'
import type { HttpClient } from '../../../ports/http'
import type { Room } from '../rooms'
import { cardBlocks } from './blocks'
import { createSlackCall, type SlackSettings } from './client'

/** Bound of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/**
 * Posts and edits cards. Not through the SDK's adapter: it puts the whole card into `text`, of which
 * `chat.update` takes 4,000 bytes.
 */
export function createSlackRoom(settings: SlackSettings, http: HttpClient): Room {
  const call = createSlackCall(settings, TIMEOUT_MS, http)
  const channel = settings.channelId
  return {
    async post(card, summary) {
      const outcome = await call('chat.postMessage', { channel, text: escapeSlackText(summary), blocks: cardBlocks(card), unfurl_links: false, unfurl_media: false })
      if (!outcome.ok) return outcome
      const ts = String(outcome.value.ts)
      return { ok: true, value: { platform: 'slack', threadId: `slack:${String(outcome.value.channel ?? channel)}:${ts}`, messageId: ts } }
    },
    async update(ref, card, summary) {
      const [, channelOfCard = channel] = ref.threadId.split(':')
      const outcome = await call('chat.update', { channel: channelOfCard, ts: ref.messageId, text: escapeSlackText(summary), blocks: cardBlocks(card) })
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async say(card, summary, below) {
      const outcome = await call('chat.postMessage', { channel, thread_ts: below?.messageId, text: escapeSlackText(summary), blocks: cardBlocks(card), unfurl_links: false, unfurl_media: false })
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
  }
}
