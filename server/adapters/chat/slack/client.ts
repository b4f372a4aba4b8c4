import { callSlackApi, SlackApiError, type SlackApiResponse } from '@chat-adapter/slack/api'
import type { Outcome } from '../../../ports/delivery'

export interface SlackSettings {
  botToken: string
  signingSecret: string
  channelId: string
  /** Base URL of the Web API with a trailing slash; Slack's own when absent. */
  apiUrl?: string
}

/** A refusal that no retry changes, and what to check (https://docs.slack.dev/reference/methods/chat.postMessage#errors). */
const PERMANENT: Readonly<Record<string, string>> = {
  channel_not_found: 'Check CHAT_CHANNEL_ID.',
  not_in_channel: 'Invite the bot to the channel.',
  is_archived: 'The channel is archived; set another CHAT_CHANNEL_ID.',
  invalid_auth: 'Check CHAT_BOT_TOKEN.',
  not_authed: 'Check CHAT_BOT_TOKEN.',
  account_inactive: 'Check CHAT_BOT_TOKEN.',
  token_revoked: 'Check CHAT_BOT_TOKEN.',
  token_expired: 'Check CHAT_BOT_TOKEN.',
  missing_scope: 'Reinstall the app with the scopes of the README.',
  message_not_found: 'The card was deleted.',
  cant_update_message: 'The card belongs to another app.',
  edit_window_closed: 'The workspace does not allow edits.',
  invalid_blocks: 'This is a bug; please report it.',
  msg_blocks_too_long: 'This is a bug; please report it.',
  msg_too_long: 'This is a bug; please report it.',
}

export type SlackCall = (method: string, body: Record<string, unknown>) => Promise<Outcome<SlackApiResponse>>

/**
 * Calls the Web API without Slack's own client, whose retries last up to 30 minutes and whose start-up and
 * per-call cost dominate intake.
 *
 * @param timeoutMs bound of one call
 */
export function createSlackCall({ botToken, apiUrl }: SlackSettings, timeoutMs: number): SlackCall {
  return async (method, body) => {
    let retryAfterMs: number | undefined
    const bounded: typeof fetch = async (url, init) => {
      const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) })
      const seconds = Number(response.headers.get('retry-after'))
      if (response.status === 429 && seconds > 0) retryAfterMs = seconds * 1000
      return response
    }
    try {
      const value = await callSlackApi(method, body, { token: botToken, apiUrl, fetch: bounded, contentType: 'json' })
      return value.ok ? { ok: true, value } : refusal(value.error ?? 'unknown_error', retryAfterMs)
    }
    catch (error) {
      const cause = error instanceof SlackApiError ? `HTTP ${error.status}` : (error as Error).name === 'TimeoutError' ? `no answer in ${timeoutMs / 1000} s` : 'no connection'
      return { ok: false, permanent: false, reason: `Slack: ${cause}.`, retryAfterMs }
    }
  }
}

function refusal(code: string, retryAfterMs?: number): Outcome<never> {
  const advice = PERMANENT[code]
  return { ok: false, permanent: advice !== undefined, reason: `Slack answered ${code.replace(/[^\w.-]/g, '')}.${advice ? ` ${advice}` : ''}`, retryAfterMs }
}
