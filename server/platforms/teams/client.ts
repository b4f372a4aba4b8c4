import type { Outcome } from '../../ports/delivery'
import { codeIn, refused } from '../shared/answers'
import { answeredWithin } from '../shared/patience'

/** Timeout of one call, sign-in included, ms; well below the lease of outstanding work. */
export const TEAMS_TIMEOUT_MS = 10_000

/** Pause if Teams limits the rate without giving a time, s. */
const MIN_PAUSE_S = 1

export interface TeamsSettings {
  appId: string
  appPassword: string
  /** Entra tenant of the app; absent for a multi-tenant app. */
  tenantId?: string
  /** Channel (`19:…@thread.tacv2`) or group chat of the cards; absent if the installation of the app decides it. */
  channelId?: string
  /** Base URL of the Bot Connector for every call, without a trailing slash; the region's own when absent. */
  apiUrl?: string
}

export interface ConnectorRequest {
  method: 'GET' | 'POST' | 'PUT'
  serviceUrl: string
  /** Path from `/v3` on. */
  path: string
  body?: object
}

interface ConnectorResponse {
  status: number
  headers: object
  data: unknown
}

/**
 * Advice for refusals that no retry changes
 * (https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability#status-codes-from-bot-apis).
 */
const PERMANENT_ADVICE: Readonly<Record<number, string>> = {
  400: 'This is a bug; please report it.',
  401: 'Check TEAMS_APP_ID and TEAMS_APP_PASSWORD.',
  403: 'Add the app to the team of TEAMS_CHANNEL_ID.',
  404: 'The card was deleted, or TEAMS_CHANNEL_ID is wrong.',
  405: 'Check TEAMS_CHANNEL_ID.',
  413: 'This is a bug; please report it.',
}

/** Errors about the content, in any conversation. */
const CONTENT_STATUSES: readonly number[] = [400, 413]

/** Advice by error code, for codes that say more than their status; all are about the conversation or the app. */
const ADVICE_BY_CODE: Readonly<Record<string, string>> = {
  BotDisabledByAdmin: 'An administrator of Teams has to allow the app.',
  BotNotRegistered: 'Check TEAMS_APP_ID; the bot needs the Teams channel in Azure.',
  ConversationBlockedByUser: 'The app is blocked in this chat; unblock it, or change TEAMS_CHANNEL_ID.',
  InvalidConversationId: 'Check TEAMS_CHANNEL_ID.',
  MessageWritesBlocked: 'The app is blocked in this chat; unblock it, or change TEAMS_CHANNEL_ID.',
  NotEnoughPermissions: 'The channel\'s settings do not let the app post; allow it, or change TEAMS_CHANNEL_ID.',
}

/** Final errors of Entra (https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow). */
const BAD_CREDENTIALS = /^(?:access_denied|invalid_(?:client|grant|request|resource|scope)|unauthorized_client|unsupported_grant_type)$/

export async function callConnector(request: () => Promise<ConnectorResponse>): Promise<Outcome<{ id?: string }>> {
  try {
    const { status, headers, data } = await answeredWithin(TEAMS_TIMEOUT_MS, request())
    if (status >= 200 && status < 300) return { ok: true, value: typeof data === 'object' && data !== null ? data : {} }
    const { code } = (data as { error?: { code?: unknown } } | null | undefined)?.error ?? {}
    const name = codeIn(code)
    const specificAdvice = Object.hasOwn(ADVICE_BY_CODE, name) ? ADVICE_BY_CODE[name] : undefined
    return refused({
      reason: `Teams answered ${status}${name ? ` ${name}` : ''}`, advice: specificAdvice ?? PERMANENT_ADVICE[status],
      content: !specificAdvice && CONTENT_STATUSES.includes(status), gone: status === 404,
      limited: status === 429,
      pause: (headers as Record<string, unknown>)['retry-after'] ?? (status === 429 ? MIN_PAUSE_S : undefined),
    })
  }
  catch (error) {
    const { name, code, errorCode } = error as Error & { code?: string, errorCode?: string }
    if (errorCode && BAD_CREDENTIALS.test(errorCode)) return refused({
      reason: `Microsoft's sign-in answered ${errorCode}`,
      advice: 'Check TEAMS_APP_ID, TEAMS_APP_PASSWORD and TEAMS_APP_TENANT_ID.',
    })
    const isLate = name === 'TimeoutError' || code === 'ECONNABORTED'
    const cause = isLate ? `no answer in ${TEAMS_TIMEOUT_MS / 1000} s` : errorCode ? 'no sign-in' : 'no connection'
    return refused({ reason: `Teams: ${cause}` })
  }
}
