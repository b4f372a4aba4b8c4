import { setTimeout as wait } from 'node:timers/promises'
import { escapeSlackText } from '@chat-adapter/slack/format'
import type { RawMessage } from 'chat'
import type { PostableSpeech } from '../shared/speech'
import { cardBlocks } from './blocks'
import type { SlackCall } from './client'

interface Place {
  channel: string
  threadTs: string
}

/**
 * Slack asks to wait for about a second after a burst (https://docs.slack.dev/apis/web-api/rate-limits); a longer pause
 * is not waited for.
 */
const LONGEST_PAUSE_MS = 30_000
const ATTEMPTS = 5

export async function postSpeech(
  call: SlackCall, { channel, threadTs }: Place, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const value = await patiently(call, 'chat.postMessage', {
    channel, ...threadTs ? { thread_ts: threadTs } : {}, ...contentOf(speech), unfurl_links: false, unfurl_media: false,
  })
  return { id: String(value.ts), threadId: `slack:${channel}:${threadTs}`, raw: value }
}

export async function updateSpeech(
  call: SlackCall, { channel, threadTs }: Place, ts: string, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const value = await patiently(call, 'chat.update', { channel, ts, ...contentOf(speech) })
  return { id: ts, threadId: `slack:${channel}:${threadTs}`, raw: value }
}

function contentOf({ card, fallbackText, mention }: PostableSpeech): { text: string, blocks: object[] } {
  // Only `mrkdwn` mentions; the operator's mention stands alone in it.
  const notified = mention ? [{ type: 'section', text: { type: 'mrkdwn', text: mention } }] : []
  return { text: escapeSlackText(fallbackText), blocks: [...notified, ...cardBlocks(card)] }
}

async function patiently(
  call: SlackCall, method: string, body: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  for (let attempt = 1; ; attempt++) {
    const outcome = await call(method, body)
    if (outcome.ok) return outcome.value
    const pauseMs = outcome.retryAfterMs ?? Infinity
    if (attempt === ATTEMPTS || pauseMs > LONGEST_PAUSE_MS) throw new Error(outcome.reason)
    await wait(pauseMs)
  }
}
