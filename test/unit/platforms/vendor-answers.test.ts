import { describe, expect, test } from 'vitest'
import { createDiscordRoom } from '../../../server/platforms/discord/api/room'
import { createDiscordRest, type DiscordError } from '../../../server/platforms/discord/api/rest'
import { callGoogle } from '../../../server/platforms/gchat/client'
import { createSlackCall } from '../../../server/platforms/slack/client'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { callConnector } from '../../../server/platforms/teams/client'
import { telegramRefusal } from '../../../server/platforms/telegram/refusals'
import { whatsAppRefusal } from '../../../server/platforms/whatsapp/refusals'
import { createResendMailer } from '../../../server/adapters/email/resend'
import type { Outcome } from '../../../server/ports/delivery'
import type { HttpAnswer, HttpClient } from '../../../server/ports/http'

const SECRET = 'form data that an answer quotes'
const HOUR_MS = 60 * 60 * 1000

const answerWith = (status: number, json: unknown, headers: HttpAnswer['headers'] = {}): HttpClient => async () => (
  { status, headers, json }
)
const slack = (error: string, team?: string) => createSlackCall(
  { team }, () => 'xoxb-x', 1000, answerWith(200, { ok: false, error, response_metadata: { messages: [SECRET] } }),
)('chat.postMessage', {})
const discordAnswer = (answer: HttpClient) => (
  createDiscordRest({ botToken: 'x' }, answer)('POST', '/channels/1/messages').then(
    value => ({ ok: true as const, value }), ({ refusal }: DiscordError) => refusal,
  )
)
const discord = (code: number, status = 400) => discordAnswer(answerWith(status, { code, message: SECRET }))
const teams = (status: number, code?: string, headers = {}) => callConnector(
  async () => ({ status, headers, data: code ? { error: { code, message: SECRET } } : '<html>' }),
)
const google = (status: number, name?: string, details: object = {}) => callGoogle(async () => ({
  status, headers: {}, data: name ? { error: { code: status, status: name, message: SECRET, ...details } } : '<html>',
}))
const telegram = async (status: number, description: string, parameters = {}) => telegramRefusal(
  status, { error_code: status, description, parameters },
)
const whatsapp = async (errorCode: number, status = 400, subcode?: number) => (
  whatsAppRefusal({ status, errorCode, subcode })
)
const sendEmail = (answer: HttpClient) => createResendMailer({ apiKey: 're_x' }, answer).send(
  { from: 'a@example.com', to: ['b@example.com'], subject: 's', html: 'h', text: 't' }, 'key',
)
const resend = (status: number, name: string) => (
  sendEmail(answerWith(status, { statusCode: status, name, message: SECRET }))
)

/** Kind of refusal: advice on a setting that a person must change, bad content, or a temporary failure */
type Kind = RegExp | 'content' | 'later'
type Row = [name: string, answer: Promise<Outcome<unknown>>, kind: Kind]

const slackRows = (kind: Kind, codes: string) => (
  codes.split(' ').map((code): Row => [`Slack ${code}`, slack(code), kind])
)
const discordRows = (kind: Kind, answers: Readonly<Record<number, number>>) => (
  Object.entries(answers).map(([code, status]): Row => [`Discord ${code}`, discord(Number(code), status), kind])
)
const telegramRows = (kind: Kind, ...descriptions: string[]) => descriptions.map((text): Row => (
  [`Telegram ${text}`, telegram(text.startsWith('Forbidden') ? 403 : 400, text), kind]
))
const TOKEN_CODES = 'invalid_auth not_authed account_inactive token_revoked token_expired not_allowed_token_type '
  + 'team_not_found'

const ROWS: readonly Row[] = [
  ...slackRows(/Check CHAT_BOT_TOKEN\.$/, TOKEN_CODES),
  ...TOKEN_CODES.split(' ').map((code): Row => [
    `Slack ${code} of another workspace`, slack(code, 'T0ELSEWHERE'),
    /workspace T0ELSEWHERE .*\/api\/slack\/install\.$/,
  ]),
  ...slackRows(/CHAT_CHANNEL_ID/, 'channel_not_found is_inactive restricted_action '
  + 'restricted_action_read_only_channel restricted_action_thread_only_channel'),
  ...slackRows(/administrator/, 'ekm_access_denied team_access_not_granted enterprise_is_restricted'),
  ...slackRows(/scopes/, 'no_permission'), ...slackRows(/\/api\/slack\/manifest/, 'missing_scope'),
  ...slackRows(/./, 'message_not_found not_in_channel'),
  ...slackRows('content', 'attachment_payload_limit_exceeded invalid_array_arg invalid_blocks invalid_json '
  + 'json_not_object msg_too_long too_many_contact_cards'),
  ...slackRows('later', 'fatal_error internal_error message_limit_exceeded ratelimited request_timeout '
  + 'service_unavailable team_added_to_org constructor a_code_of_tomorrow'),
  ...discordRows(/Invite the bot/, { 50001: 403 }), ...discordRows(/Send Messages and Embed Links/, { 50013: 403 }),
  ...discordRows(/error 10003\. Check DISCORD_CHANNEL_ID\.$/, { 10003: 404 }),
  ...discordRows(/DISCORD_CHANNEL_ID/, { 10004: 404 }), ...discordRows(/The card was deleted\.$/, { 10008: 404 }),
  ...discordRows(/verified/, { 40002: 403 }), ...discordRows(/PLATFORM2_BOT_TOKEN/, { 50014: 400 }),
  ...discordRows(/thread/, { 50083: 400, 160005: 400 }), ...discordRows(/Read Message History/, { 160002: 400 }),
  ['Discord 401', discordAnswer(answerWith(401, {})), /HTTP 401\. Check PLATFORM2_BOT_TOKEN\.$/],
  // 200000: AutoMod.
  ...discordRows('content', { 50109: 400, 50035: 400, 200000: 400 }),
  ...discordRows('later', { 0: 500, 130000: 503, 30046: 400 }), ['Discord 404 of a proxy', discord(0, 404), 'later'],
  ['Teams 403', teams(403, 'BotNotInConversationRoster'), /Add the app to the team of TEAMS_CHANNEL_ID\.$/],
  ['Teams 404', teams(404), /./],
  ['Teams 403 BotDisabledByAdmin', teams(403, 'BotDisabledByAdmin'), /administrator/],
  ['Teams 403 MessageWritesBlocked', teams(403, 'MessageWritesBlocked'), /TEAMS_CHANNEL_ID/],
  ['Teams 400 InvalidConversationId', teams(400, 'InvalidConversationId'), /TEAMS_CHANNEL_ID/],
  ['Teams 400', teams(400), 'content'], ['Teams 413', teams(413), 'content'], ['Teams 503', teams(503), 'later'],
  ['Teams 412', teams(412, 'PreconditionFailed'), 'later'], ['Teams 502 as a page', teams(502), 'later'],
  ['Google Chat 404', google(404), /./],
  ['Google Chat 403', google(403, 'PERMISSION_DENIED'), /Add the Chat app to the space of GOOGLE_CHAT_SPACE/],
  ['Google Chat 400 FAILED_PRECONDITION', google(400, 'FAILED_PRECONDITION'), /GOOGLE_CHAT_SPACE/],
  ['Google Chat 403 SERVICE_DISABLED', google(403, 'PERMISSION_DENIED', {
    details: [{ reason: 'SERVICE_DISABLED' }],
  }), /Switch on the Google Chat API/],
  ['Google Chat 403 that is a rate limit', google(403, 'PERMISSION_DENIED', {
    errors: [{ reason: 'userRateLimitExceeded' }],
  }), 'later'],
  ['Google Chat 400', google(400), 'content'], ['Google Chat 429', google(429, 'RESOURCE_EXHAUSTED'), 'later'],
  ['Google Chat 409', google(409, 'ABORTED'), 'later'], ['Google Chat 500', google(500), 'later'],
  ['Google Chat 504', google(504), 'later'],
  ['Telegram 401', telegram(401, 'Unauthorized'), /TELEGRAM_BOT_TOKEN/],
  ['Telegram 404', telegram(404, 'Not Found'), /TELEGRAM_BOT_TOKEN/],
  ['Telegram 409', telegram(409, 'Conflict: terminated by other getUpdates request'), 'later'],
  ...telegramRows(/TELEGRAM_CHAT_ID/, 'Forbidden: bot was blocked by the user', 'Bad Request: chat not found',
    'Forbidden: bot was kicked from the supergroup chat', 'Forbidden: bot was kicked from the group chat',
    'Bad Request: CHAT_WRITE_FORBIDDEN'),
  ...telegramRows(/write in the group of TELEGRAM_CHAT_ID/,
    'Bad Request: not enough rights to send text messages to the chat', 'Bad Request: have no rights to send a message'),
  ...telegramRows(/topic/, 'Bad Request: TOPIC_CLOSED'),
  ['Telegram upgraded', telegram(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
    migrate_to_chat_id: -1001234567890,
  }), /change TELEGRAM_CHAT_ID to -1001234567890\.$/],
  ...telegramRows(/The card was deleted\.$/, 'Bad Request: message to edit not found'),
  ...telegramRows(/too old/, 'Bad Request: message can\'t be edited'),
  ...telegramRows('content', `Bad Request: can't parse entities: ${SECRET}`, 'Bad Request: message is too long',
    'Bad Request: BUTTON_DATA_INVALID'),
  ['Telegram 409', telegram(409, 'Conflict: terminated by other getUpdates request'), 'later'],
  ['Telegram 502', telegram(502, 'Bad Gateway'), 'later'],
  ['WhatsApp 190', whatsapp(190, 401), /WHATSAPP_ACCESS_TOKEN/],
  ['WhatsApp 200', whatsapp(200, 403), /permission whatsapp_business_messaging/],
  ['WhatsApp 100 of an unknown number', whatsapp(100, 400, 33), /WHATSAPP_PHONE_NUMBER_ID/],
  ['WhatsApp 131030', whatsapp(131030), /Add the number of WHATSAPP_CHAT_ID/],
  ['WhatsApp 131047', whatsapp(131047), /WHATSAPP_CHAT_ID has to write to the bot first/],
  ['WhatsApp 131009', whatsapp(131009), 'content'], ['WhatsApp 130429', whatsapp(130429), 'later'],
  ['WhatsApp 131000', whatsapp(131000, 500), 'later'], ['WhatsApp 503 as a page', whatsapp(503, 503), 'later'],
  ['Resend 451 security_error', resend(451, 'security_error'), /Resend account/],
  ['Resend 422 invalid_attachment', resend(422, 'invalid_attachment'), /attachment/],
]

/** Answers which mean that the card no longer exists */
const GONE = [
  'Slack message_not_found', 'Discord 10003', 'Discord 10008', 'Teams 404', 'Google Chat 404', 'Telegram upgraded',
  'Telegram Bad Request: message to edit not found', 'Telegram Bad Request: message can\'t be edited',
]

test.each(ROWS)('%s says what to do about it, and nothing of what was sent', async (name, answer, kind) => {
  const outcome = await answer
  expect(outcome).toMatchObject({ ok: false, permanent: kind !== 'later' })
  if (outcome.ok) return
  if (kind instanceof RegExp) expect(outcome.reason).toMatch(kind)
  expect([outcome.content === true, outcome.gone === true]).toEqual([kind === 'content', GONE.includes(name)])
  // `answer` is what the vendor wrote: it is redacted before it is kept.
  expect(JSON.stringify({ ...outcome, answer: undefined })).not.toContain(SECRET)
})

const CARD = { type: 'card' as const, children: [] }
const SENDERS: Readonly<Record<string, (answer: HttpClient) => Promise<Outcome<unknown>>>> = {
  Slack: answer => createSlackRoom(
    { botToken: 'x', signingSecret: 'x', channelId: 'C0' }, answer, async () => null,
  ).post(CARD, '', 'id'),
  Discord: answer => createDiscordRoom(
    { botToken: 'x', publicKey: '', applicationId: '', channelId: '1', guildId: '2' }, answer,
  ).post(CARD, '', 'id'),
  Resend: answer => sendEmail(answer),
}
const ODD_ANSWERS = [
  [200, { ok: true }], [200, {}], [200, undefined], [200, []], [200, 'ok'], [204, undefined], [302, undefined],
  [200, { error: { name: 'application_error' } }],
] as const

test.each(Object.keys(SENDERS).flatMap(vendor => ODD_ANSWERS.map(answer => [vendor, ...answer] as const)))(
  'an answer of another shape than the documentation\'s (%s %i %j) is no success, and tried again',
  async (vendor, status, json) => expect(await SENDERS[vendor]!(answerWith(status, json))).toMatchObject({
    ok: false, permanent: false, reason: expect.not.stringContaining('undefined') as string,
  }),
)

describe('when to come again', () => {
  test.each([
    [131056, 6000], [130429, 1000], [80007, 60_000],
  ])('WhatsApp says by code %i that %i ms are enough', async (code, pauseMs) => {
    expect(await whatsapp(code)).toMatchObject({ ok: false, permanent: false, limited: true, retryAfterMs: pauseMs })
  })

  const callers: Readonly<Record<string, (value: string) => Promise<Outcome<unknown>>>> = {
    'Slack': value => createSlackCall(
      {}, () => 'x', 1000, answerWith(429, { ok: false, error: 'ratelimited' }, { 'retry-after': value }),
    )('chat.update', {}),
    'Teams': value => teams(429, 'TooManyRequests', { 'retry-after': value }),
    'Google Chat': value => callGoogle(async () => ({ status: 429, headers: { 'retry-after': value }, data: {} })),
    'Telegram': value => telegram(429, 'Too Many Requests', { retry_after: value }),
  }
  const rows = Object.keys(callers).flatMap(vendor => ([
    ['7', 7000], ['1.5', 1500], ['0.0005', 1], ['-5', undefined], ['soon', undefined], ['', undefined],
    ['1e999', undefined], ['99999999999', HOUR_MS],
  ] as const)
    .map(([value, pauseMs]) => [vendor, value, pauseMs] as const))
  test.each(rows)('%s with “%s”: %s ms', async (vendor, value, pauseMs) => {
    const outcome = await callers[vendor]!(value)
    expect(outcome).toMatchObject({ ok: false, permanent: false, limited: true })
    expect(outcome.ok || outcome.retryAfterMs).toBe(pauseMs)
  })

  test.each(Object.keys(callers))('%s with a date waits until then', async (vendor) => {
    const outcome = await callers[vendor]!(new Date(Date.now() + 60_000).toUTCString())
    expect(outcome.ok || outcome.retryAfterMs).toBeGreaterThan(50_000)
    expect(outcome.ok || outcome.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test.each([
    [{ retry_after: 0.3 }, {}, 300], [{ retry_after: -1 }, { 'retry-after': '3' }, 3000],
    [undefined, { 'retry-after': '65' }, 65_000],
    [{ retry_after: 1e30 }, {}, HOUR_MS], [undefined, {}, 1000],
  ])('Discord with %j and %j: %s ms', async (json, headers, pauseMs) => {
    const outcome = await discordAnswer(answerWith(429, json, headers))
    expect(outcome).toMatchObject({ permanent: false, limited: true, retryAfterMs: pauseMs })
  })

  test('being marked as spam is more than a pace for WhatsApp', async () => {
    expect(await whatsapp(131048)).not.toHaveProperty('limited')
  })
})
