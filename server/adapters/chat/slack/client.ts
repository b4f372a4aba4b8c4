import type { Outcome } from '../../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../../ports/http'

export interface SlackSettings {
  botToken: string
  signingSecret: string
  channelId: string
  /** Base URL of the Web API with a trailing slash; Slack's own when absent. */
  apiUrl?: string
  /** Lets other workspaces install the app. */
  oauth?: { clientId: string, clientSecret: string, encryptionKey: string }
  /** Channels of forms, those of other workspaces as `T0123456789:C0123456789`. */
  channels?: readonly string[]
}

const REPORT = 'This is a bug; please report it.'

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
}

/** Refusals of what was sent, wherever it was sent to. */
const CONTENT: ReadonlySet<string> = new Set([
  'invalid_arguments', 'invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long', 'msg_too_long', 'no_text', 'too_many_attachments',
])

/** The card itself is out of reach for good. */
const GONE = ['message_not_found', 'cant_update_message', 'edit_window_closed']

/** What Slack answers besides `ok`. */
type SlackAnswer = Readonly<Record<string, unknown>>

/** @param body as a form where a method does not take JSON, which are those that read */
export type SlackCall = (method: string, body: Record<string, unknown> | URLSearchParams) => Promise<Outcome<SlackAnswer>>

/** The token of a workspace; null when that has not installed the app. */
export type TokenOf = () => string | null | Promise<string | null>

const SLACK_API = 'https://slack.com/api/'

/**
 * Calls the Web API without Slack's own client, whose retries last up to 30 minutes and whose start-up and
 * per-call cost dominate intake.
 *
 * @param token whose call it is, asked for each call
 * @param timeoutMs bound of one call
 */
export function createSlackCall({ apiUrl = SLACK_API }: Pick<SlackSettings, 'apiUrl'>, token: TokenOf, timeoutMs: number, http: HttpClient): SlackCall {
  return async (method, body) => {
    const botToken = await token()
    if (botToken === null) return { ok: false, permanent: false, reason: 'Slack: the workspace of the channel has not installed the app. Open /api/slack/install.' }
    const isForm = body instanceof URLSearchParams
    const headers = { 'authorization': `Bearer ${botToken}`, 'content-type': `application/${isForm ? 'x-www-form-urlencoded' : 'json'}; charset=utf-8` }
    try {
      return outcome(await http({ method: 'POST', url: apiUrl + method, headers, body: isForm ? body.toString() : JSON.stringify(body), timeoutMs }))
    }
    catch (error) {
      const late = (error as { code?: string }).code === 'NO_ANSWER'
      return { ok: false, permanent: false, reason: late ? `Slack: no answer in ${timeoutMs / 1000} s.` : 'Slack: no connection.' }
    }
  }
}

function outcome({ status, headers, json }: HttpAnswer): Outcome<SlackAnswer> {
  const seconds = status === 429 ? Number(headers['retry-after']) : 0
  const retryAfterMs = seconds > 0 ? seconds * 1000 : undefined
  const answer = status === 200 ? json as SlackAnswer | null | undefined : null
  if (!answer) return { ok: false, permanent: false, reason: `Slack: HTTP ${status}.`, retryAfterMs }
  return answer.ok === true ? { ok: true, value: answer } : refusal(String(answer.error ?? 'unknown_error'))
}

function refusal(code: string): Outcome<never> {
  const content = CONTENT.has(code)
  const advice = content ? REPORT : PERMANENT[code]
  return { ok: false, permanent: advice !== undefined, ...content ? { content } : {}, ...GONE.includes(code) ? { gone: true } : {}, reason: `Slack answered ${code.replace(/[^\w.-]/g, '')}.${advice ? ` ${advice}` : ''}` }
}
