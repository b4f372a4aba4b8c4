import type { StateAdapter } from 'chat'
import type { Outcome } from '../../ports/delivery'
import type { HttpAnswer, HttpClient } from '../../ports/http'
import { codeIn, refused } from '../shared/answers'

export interface SlackSettings {
  botToken: string
  /** Undefined if no webhook is accepted */
  signingSecret?: string
  /** Token with which a socket is opened; undefined if Slack calls the webhook */
  appToken?: string
  /** Channel of the default form's cards; undefined if Slack has none. */
  channelId?: string
  /** Base URL of the Web API with a trailing slash; Slack's own when absent. */
  apiUrl?: string
  /** Lets other workspaces install the app. */
  oauth?: { clientId: string, clientSecret: string, encryptionKey: string }
  /** Channels of forms, those of other workspaces as `T0123456789:C0123456789`. */
  channels?: readonly string[]
  /** True if a list of people names a user group, whose members must be requested. */
  groups?: boolean
}

const REPORT_ADVICE = 'This is a bug; please report it.'

/**
 * Advice for refusals that no retry changes (https://docs.slack.dev/reference/methods/chat.postMessage#errors,
 * chat.update, views.open, auth.test).
 */
const ADVICE: readonly [advice: string, ...codes: string[]][] = [
  ['Check CHAT_CHANNEL_ID.', 'channel_not_found', 'messages_tab_disabled'],
  ['Invite the bot to the channel.', 'not_in_channel'],
  ['The channel is archived; change CHAT_CHANNEL_ID.', 'is_archived', 'is_inactive'],
  [
    'The channel\'s settings do not let the app post; allow it, or change CHAT_CHANNEL_ID.',
    'restricted_action', 'restricted_action_non_threadable_channel', 'restricted_action_read_only_channel',
    'restricted_action_thread_locked', 'restricted_action_thread_only_channel', 'user_is_restricted',
  ],
  [
    'An administrator of the workspace has to allow it.', 'access_denied', 'accesslimited', 'ekm_access_denied',
    'enterprise_is_restricted', 'org_login_required', 'team_access_not_granted', 'two_factor_setup_required',
  ],
  [
    'Give the app the manifest of /api/slack/manifest, which has the scopes, and install it again.',
    'missing_scope', 'no_permission',
  ],
  ['The card was deleted.', 'message_not_found', 'thread_not_found'],
  ['The card belongs to another app.', 'cant_update_message'],
  ['The workspace does not allow edits.', 'edit_window_closed'],
  [REPORT_ADVICE, 'deprecated_endpoint', 'method_deprecated', 'unknown_method'],
]

/** Timeout of calls that a webhook waits for, including the SDK's own, ms. */
export const SLACK_TIMEOUT_MS = 5000

/** Timeout for reading a group, ms: a person who clicked is waiting, and Slack waits 3 s for the form to open. */
const GROUP_TIMEOUT_MS = 1500

/** Errors about the token. */
const TOKEN_ERRORS: readonly string[] = [
  'account_inactive', 'bot_not_found', 'invalid_auth', 'not_allowed_token_type', 'not_authed', 'team_not_found',
  'token_expired', 'token_revoked',
]

/** Errors about the content, in any channel. */
const CONTENT_ERRORS: readonly string[] = [
  'attachment_payload_limit_exceeded', 'block_mismatch', 'invalid_arg_name', 'invalid_arguments', 'invalid_array_arg',
  'invalid_blocks', 'invalid_blocks_format', 'invalid_charset', 'invalid_form_data', 'invalid_json', 'json_not_object',
  'markdown_text_conflict', 'msg_blocks_too_long', 'msg_too_long', 'no_text', 'too_many_attachments',
  'too_many_contact_cards',
]

const RATE_LIMIT_ERRORS = ['ratelimited', 'rate_limited']

/** Errors after which the card can never be edited again. */
const GONE_ERRORS = ['message_not_found', 'cant_update_message', 'edit_window_closed']

type SlackAnswer = Readonly<Record<string, unknown>>

/** @param body URL-encoded for the methods that read, because they do not take JSON */
export type SlackCall = (
  method: string, body: Record<string, unknown> | URLSearchParams,
) => Promise<Outcome<SlackAnswer>>

/** Returns the token of a workspace; null if the workspace has not installed the app. */
export type TokenOf = () => string | null | Promise<string | null>

const SLACK_API = 'https://slack.com/api/'

interface SlackAccess extends Pick<SlackSettings, 'apiUrl'> {
  /** Id of a workspace other than that of CHAT_BOT_TOKEN; its token then comes from its installation. */
  team?: string
  /** Advice for errors about the token or its scopes. Default: about the bot token of the workspace */
  tokenAdvice?: string
}

/**
 * Calls the Web API without Slack's own client. That client retries for up to 30 minutes, and its start-up and calls
 * would take most of the time of an intake.
 *
 * @param token read again for each call
 * @param timeoutMs timeout of one call
 */
export function createSlackCall(
  { apiUrl = SLACK_API, team, tokenAdvice }: SlackAccess, token: TokenOf, timeoutMs: number, http: HttpClient,
): SlackCall {
  return async (method, body) => {
    const botToken = await token()
    if (botToken === null) {
      return refused({
        reason: 'Slack: the workspace of the channel has not installed the app. Open /api/slack/install',
      })
    }
    const isForm = body instanceof URLSearchParams
    const headers = {
      'authorization': `Bearer ${botToken}`,
      'content-type': `application/${isForm ? 'x-www-form-urlencoded' : 'json'}; charset=utf-8`,
    }
    try {
      return toOutcome(await http({
        method: 'POST', url: apiUrl + method, headers, body: isForm ? body.toString() : JSON.stringify(body), timeoutMs,
      }), { team, tokenAdvice })
    }
    catch (error) {
      const isLate = (error as { code?: string }).code === 'NO_ANSWER'
      return refused({ reason: `Slack: ${isLate ? `no answer in ${timeoutMs / 1000} s` : 'no connection'}` })
    }
  }
}

function toOutcome(
  { status, headers, json }: HttpAnswer, access: Omit<SlackAccess, 'apiUrl'>,
): Outcome<SlackAnswer> {
  const pause = headers['retry-after']
  if (status !== 200) return refused({ reason: `Slack: HTTP ${status}`, limited: status === 429, pause })
  if (typeof json !== 'object' || json === null) {
    return refused({ reason: 'Slack: HTTP 200 with something unreadable', pause })
  }
  const answer = json as SlackAnswer
  return answer.ok === true
    ? { ok: true, value: answer }
    : toRefusal(codeIn(answer.error) || 'unknown_error', access, pause)
}

function toRefusal(
  code: string, { team, tokenAdvice }: Omit<SlackAccess, 'apiUrl'>, pause: unknown,
): Outcome<never> {
  const isContentError = CONTENT_ERRORS.includes(code)
  const isTokenError = TOKEN_ERRORS.includes(code) || (tokenAdvice !== undefined && code === 'missing_scope')
  const [knownAdvice] = ADVICE.find(([, ...codes]) => codes.includes(code)) ?? []
  const advice = isContentError ? REPORT_ADVICE : isTokenError ? tokenAdvice ?? botTokenAdvice(team) : knownAdvice
  return refused({
    reason: `Slack answered ${code}`, advice, content: isContentError, gone: GONE_ERRORS.includes(code),
    limited: RATE_LIMIT_ERRORS.includes(code), pause,
  })
}

/** True if Slack knows no channel with this id; the channel may have a new id by now. */
export function isUnknownChannel(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && outcome.reason.startsWith('Slack answered channel_not_found.')
}

function botTokenAdvice(team: string | undefined): string {
  return team ? `Install the app in the workspace ${team} again: open /api/slack/install.` : 'Check CHAT_BOT_TOKEN.'
}

/** Members of a user group of our own workspace: https://docs.slack.dev/reference/methods/usergroups.users.list */
export async function membersOf(
  group: string, settings: SlackSettings, http: HttpClient,
): Promise<Outcome<readonly string[]>> {
  const call = createSlackCall(settings, () => settings.botToken, GROUP_TIMEOUT_MS, http)
  const outcome = await call('usergroups.users.list', new URLSearchParams({ usergroup: group }))
  if (!outcome.ok) return outcome
  const { users } = outcome.value
  return { ok: true, value: Array.isArray(users) ? users.map(String) : [] }
}

/** https://docs.slack.dev/reference/events/channel_id_changed */
interface ChannelIdChanged { type?: string, old_channel_id?: unknown, new_channel_id?: unknown }

/**
 * Channels whose id has changed. Slack changes the id when a private channel is shared with another workspace, and no
 * longer accepts the old one. The configuration keeps the old id until people change it. Replicas share each change.
 */
export class MovedChannels {
  /** Current ids by configured id. */
  private readonly currentIds = new Map<string, string>()
  private readonly configuredIds: readonly string[]

  constructor({ channelId, channels = [] }: Pick<SlackSettings, 'channelId' | 'channels'>) {
    this.configuredIds = [channelId ?? [], channels].flat().map(name => placeOf(name).channel)
  }

  /** Current id of a channel, as far as this process knows. */
  current(channel: string): string {
    return this.currentIds.get(this.configured(channel)) ?? channel
  }

  /** Configured id of a channel, as far as this process knows. */
  configured(channel: string): string {
    return [...this.currentIds].find(([, to]) => to === channel)?.[0] ?? channel
  }

  /**
   * Stores the new id of one of our channels; resolves with the configured and the new id, or null for any other event.
   */
  async follow(event: ChannelIdChanged, state: StateAdapter): Promise<{ from: string, to: string } | null> {
    const { old_channel_id: oldId, new_channel_id: to } = event
    if (event.type !== 'channel_id_changed' || typeof oldId !== 'string' || typeof to !== 'string') return null
    const from = await this.findConfigured(oldId, state)
    if (!this.configuredIds.includes(from)) return null
    await Promise.all([state.set(toKey(from), to), state.set(fromKey(to), from)])
    this.currentIds.set(from, to)
    return { from, to }
  }

  /** Current id of a channel, from the state that all replicas share. */
  async find(channel: string, state: StateAdapter): Promise<string> {
    const from = await this.findConfigured(channel, state)
    const to = await state.get<string>(toKey(from))
    if (to) this.currentIds.set(from, to)
    return to ?? channel
  }

  /** Configured id of a channel, from the state that all replicas share. */
  async findConfigured(channel: string, state: StateAdapter): Promise<string> {
    if (this.configuredIds.includes(channel)) return channel
    const from = await state.get<string>(fromKey(channel))
    if (from) this.currentIds.set(from, channel)
    return from ?? channel
  }
}

const toKey = (from: string) => `slack:channel-to:${from}`
const fromKey = (to: string) => `slack:channel-from:${to}`

/**
 * Splits a configured channel name: a channel id, with the workspace's id in front if that is not our own workspace.
 */
export function placeOf(name: string): { channel: string, team?: string } {
  const [channel = '', team] = name.split(':').reverse()
  return { channel, team }
}

/** Configured name of a channel, with its workspace in front if a form writes it so. */
export function configuredChannel(channel: string, names: readonly string[] = []): string {
  return names.find(name => placeOf(name).channel === channel) ?? channel
}
