import { escapeSlackText } from '@chat-adapter/slack/format'
import type { RawMessage } from 'chat'
import type { HttpClient } from '../../ports/http'
import { valueOf } from '../shared/answers'
import { patiently } from '../shared/patience'
import type { PostableSpeech } from '../shared/speech'
import { cardBlocks } from './blocks'
import type { SlackCall } from './client'

interface Place {
  channel: string
  threadTs: string
}

export async function postSpeech(
  call: SlackCall, { channel, threadTs }: Place, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const value = await patiently(async () => valueOf(await call('chat.postMessage', {
    channel, ...threadTs ? { thread_ts: threadTs } : {}, ...contentOf(speech), unfurl_links: false, unfurl_media: false,
  })))
  return { id: String(value.ts), threadId: `slack:${channel}:${threadTs}`, raw: value }
}

export async function updateSpeech(
  call: SlackCall, { channel, threadTs }: Place, ts: string, speech: PostableSpeech,
): Promise<RawMessage<unknown>> {
  const value = await patiently(async () => valueOf(await call('chat.update', { channel, ts, ...contentOf(speech) })))
  return { id: ts, threadId: `slack:${channel}:${threadTs}`, raw: value }
}

/** Says it to one person alone. */
export async function whisper(
  call: SlackCall, { channel, threadTs }: Place, user: string, speech: PostableSpeech,
): Promise<Record<string, unknown>> {
  return valueOf(await call('chat.postEphemeral', {
    channel, ...threadTs ? { thread_ts: threadTs } : {}, user, ...contentOf(speech),
  }))
}

/**
 * Answers a command where Slack says, which reaches also who is where the bot is not.
 *
 * https://docs.slack.dev/interactivity/handling-user-interaction#message_responses
 */
export async function answerCommand(
  http: HttpClient, url: string, speech: PostableSpeech, timeoutMs: number,
): Promise<void> {
  const body = JSON.stringify({ response_type: 'ephemeral', ...contentOf(speech) })
  const headers = { 'content-type': 'application/json; charset=utf-8' }
  const { status } = await http({ method: 'POST', url, headers, body, timeoutMs })
  if (status !== 200) throw new Error(`Slack: HTTP ${status}`)
}

/** A message with a card. */
export function contentOf(
  { card, fallbackText, mention }: Pick<PostableSpeech, 'card' | 'fallbackText' | 'mention'>,
): { text: string, blocks: object[] } {
  // Only `mrkdwn` mentions; the mention stands alone in it.
  const notified = mention ? [{ type: 'section', text: { type: 'mrkdwn', text: mention } }] : []
  return { text: escapeSlackText(fallbackText), blocks: [...notified, ...cardBlocks(card)] }
}
