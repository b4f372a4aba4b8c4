import { describe, expect, test } from 'vitest'
import { createDiscordRest, type DiscordError } from '../../../server/platforms/discord/api/rest'
import { callGoogle } from '../../../server/platforms/gchat/client'
import { createSlackCall } from '../../../server/platforms/slack/client'
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
const resend = (status: number, name: string) => createResendMailer(
  { apiKey: 're_x' }, answerWith(status, { statusCode: status, name, message: SECRET }),
)
  .send({ from: 'a@example.com', to: ['b@example.com'], subject: 's', html: 'h', text: 't' }, 'key')

type Row = [name: string, Promise<Outcome<unknown>>, advice: RegExp]

describe('an answer that says what a person has to change', () => {
  test.each<Row>([
    ...[
      'invalid_auth', 'not_authed', 'account_inactive', 'token_revoked', 'token_expired', 'not_allowed_token_type',
      'team_not_found',
    ].flatMap((code): Row[] => [
      [`Slack ${code}`, slack(code), /Check CHAT_BOT_TOKEN\.$/],
      [
        `Slack ${code} of another workspace`, slack(code, 'T0ELSEWHERE'),
        /workspace T0ELSEWHERE .*\/api\/slack\/install\.$/,
      ],
    ]),
    ['Slack channel_not_found', slack('channel_not_found'), /CHAT_CHANNEL_ID/],
    ['Slack is_inactive', slack('is_inactive'), /CHAT_CHANNEL_ID/],
    ['Slack restricted_action', slack('restricted_action'), /CHAT_CHANNEL_ID/],
    ['Slack restricted_action_read_only_channel', slack('restricted_action_read_only_channel'), /CHAT_CHANNEL_ID/],
    ['Slack restricted_action_thread_only_channel', slack('restricted_action_thread_only_channel'), /CHAT_CHANNEL_ID/],
    ['Slack ekm_access_denied', slack('ekm_access_denied'), /administrator/],
    ['Slack team_access_not_granted', slack('team_access_not_granted'), /administrator/],
    ['Slack enterprise_is_restricted', slack('enterprise_is_restricted'), /administrator/],
    ['Slack no_permission', slack('no_permission'), /scopes/],
    ['Slack missing_scope', slack('missing_scope'), /\/api\/slack\/manifest/],
    ['Discord 50001', discord(50001, 403), /Invite the bot/],
    ['Discord 50013', discord(50013, 403), /Send Messages and Embed Links/],
    ['Discord 10003', discord(10003, 404), /error 10003\. Check DISCORD_CHANNEL_ID\.$/],
    ['Discord 10008', discord(10008, 404), /The card was deleted\.$/],
    ['Discord 401', discordAnswer(answerWith(401, {})), /HTTP 401\. Check PLATFORM2_BOT_TOKEN\.$/],
    ['Teams 403', teams(403, 'BotNotInConversationRoster'), /Add the app to the team of TEAMS_CHANNEL_ID\.$/],
    ['Google Chat 404', google(404), /./],
    ['Google Chat 403', google(403, 'PERMISSION_DENIED'), /Add the Chat app to the space of GOOGLE_CHAT_SPACE/],
    ['Discord 10004', discord(10004, 404), /DISCORD_CHANNEL_ID/],
    ['Discord 40002', discord(40002, 403), /verified/],
    ['Discord 50014', discord(50014, 400), /PLATFORM2_BOT_TOKEN/],
    ['Discord 50083', discord(50083), /thread/],
    ['Discord 160002', discord(160002), /Read Message History/],
    ['Discord 160005', discord(160005), /thread/],
    ['Teams 403 BotDisabledByAdmin', teams(403, 'BotDisabledByAdmin'), /administrator/],
    ['Teams 403 MessageWritesBlocked', teams(403, 'MessageWritesBlocked'), /TEAMS_CHANNEL_ID/],
    ['Teams 400 InvalidConversationId', teams(400, 'InvalidConversationId'), /TEAMS_CHANNEL_ID/],
    ['Google Chat 400 FAILED_PRECONDITION', google(400, 'FAILED_PRECONDITION'), /GOOGLE_CHAT_SPACE/],
    [
      'Google Chat 403 SERVICE_DISABLED',
      google(403, 'PERMISSION_DENIED', { details: [{ reason: 'SERVICE_DISABLED' }] }), /Switch on the Google Chat API/,
    ],
    ['Telegram 401', telegram(401, 'Unauthorized'), /TELEGRAM_BOT_TOKEN/],
    ['Telegram 404', telegram(404, 'Not Found'), /TELEGRAM_BOT_TOKEN/],
    ['Telegram blocked', telegram(403, 'Forbidden: bot was blocked by the user'), /TELEGRAM_CHAT_ID/],
    ['Telegram kicked', telegram(403, 'Forbidden: bot was kicked from the supergroup chat'), /TELEGRAM_CHAT_ID/],
    ['Telegram chat not found', telegram(400, 'Bad Request: chat not found'), /TELEGRAM_CHAT_ID/],
    [
      'Telegram without rights', telegram(400, 'Bad Request: not enough rights to send text messages to the chat'),
      /write in the group of TELEGRAM_CHAT_ID/,
    ],
    ['Telegram CHAT_WRITE_FORBIDDEN', telegram(400, 'Bad Request: CHAT_WRITE_FORBIDDEN'), /TELEGRAM_CHAT_ID/],
    ['Telegram TOPIC_CLOSED', telegram(400, 'Bad Request: TOPIC_CLOSED'), /topic/],
    ['Telegram upgraded', telegram(
      400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -1001234567890 },
    ), /change TELEGRAM_CHAT_ID to -1001234567890\.$/],
    [
      'Telegram message to edit not found', telegram(400, 'Bad Request: message to edit not found'),
      /The card was deleted\.$/,
    ],
    ['Telegram message can\'t be edited', telegram(400, 'Bad Request: message can\'t be edited'), /too old/],
    ['WhatsApp 190', whatsapp(190, 401), /WHATSAPP_ACCESS_TOKEN/],
    ['WhatsApp 200', whatsapp(200, 403), /permission whatsapp_business_messaging/],
    ['WhatsApp 100 of an unknown number', whatsapp(100, 400, 33), /WHATSAPP_PHONE_NUMBER_ID/],
    ['WhatsApp 131030', whatsapp(131030), /Add the number of WHATSAPP_CHAT_ID/],
    ['WhatsApp 131047', whatsapp(131047), /WHATSAPP_CHAT_ID has to write to the bot first/],
    ['Resend 451 security_error', resend(451, 'security_error'), /Resend account/],
    ['Resend 422 invalid_attachment', resend(422, 'invalid_attachment'), /attachment/],
  ])('%s', async (_name, answer, advice) => {
    const outcome = await answer
    expect(outcome).toMatchObject({ ok: false, permanent: true, reason: expect.stringMatching(advice) })
    expect(outcome).not.toHaveProperty('content')
    expect(JSON.stringify(outcome)).not.toContain(SECRET)
  })
})

test.each<[string, Promise<Outcome<unknown>>]>([
  ...[
    'attachment_payload_limit_exceeded', 'invalid_array_arg', 'invalid_blocks', 'invalid_json', 'json_not_object',
    'msg_too_long', 'too_many_contact_cards',
  ].map((code): [string, Promise<Outcome<unknown>>] => [`Slack ${code}`, slack(code)]),
  ['Discord 50109', discord(50109)], ['Discord 50035', discord(50035)], ['Discord 200000 (AutoMod)', discord(200000)],
  ['Teams 400', teams(400)], ['Teams 413', teams(413)], ['Google Chat 400', google(400)],
  ['Telegram can\'t parse entities', telegram(400, `Bad Request: can't parse entities: ${SECRET}`)],
  ['Telegram message is too long', telegram(400, 'Bad Request: message is too long')],
  ['WhatsApp 131009', whatsapp(131009)],
  ['Telegram BUTTON_DATA_INVALID', telegram(400, 'Bad Request: BUTTON_DATA_INVALID')],
])('%s is about what was sent, and says nothing of it', async (_name, answer) => {
  const outcome = await answer
  expect(outcome).toMatchObject({ ok: false, permanent: true, content: true })
  expect(JSON.stringify(outcome)).not.toContain(SECRET)
})

test.each<[string, Promise<Outcome<unknown>>]>([
  ...[
    'fatal_error', 'internal_error', 'message_limit_exceeded', 'ratelimited', 'request_timeout', 'service_unavailable',
    'team_added_to_org', 'constructor', 'a code of tomorrow',
  ]
    .map((code): [string, Promise<Outcome<unknown>>] => [`Slack ${code}`, slack(code)]),
  ['Discord 500', discord(0, 500)], ['Teams 503', teams(503)], ['Google Chat 500', google(500)],
  ['Discord 130000', discord(130000, 503)], ['Discord 30046', discord(30046)],
  ['Discord 404 of a proxy', discord(0, 404)],
  ['Teams 412', teams(412, 'PreconditionFailed')], ['Teams 502 as a page', teams(502)],
  ['Google Chat 429', google(429, 'RESOURCE_EXHAUSTED')],
  ['Google Chat 403 that is a rate limit', google(
    403, 'PERMISSION_DENIED', { errors: [{ reason: 'userRateLimitExceeded' }] },
  )],
  ['Google Chat 409', google(409, 'ABORTED')], ['Google Chat 504', google(504)],
  ['WhatsApp 130429', whatsapp(130429)], ['WhatsApp 131000', whatsapp(131000, 500)],
  ['WhatsApp 503 as a page', whatsapp(503, 503)],
  ['Telegram 409', telegram(409, 'Conflict: terminated by other getUpdates request')],
  ['Telegram 502', telegram(502, 'Bad Gateway')],
])('%s may pass the next time', async (_name, answer) => {
  const outcome = await answer
  expect(outcome).toMatchObject({ ok: false, permanent: false })
  expect(outcome).not.toHaveProperty('content')
})

test.each<[string, Promise<Outcome<unknown>>, boolean]>([
  ['Slack message_not_found', slack('message_not_found'), true],
  ['Slack not_in_channel', slack('not_in_channel'), false], ['Slack token_revoked', slack('token_revoked'), false],
  ['Discord 10008', discord(10008, 404), true], ['Discord 50013', discord(50013, 403), false],
  ['Discord 50083', discord(50083), false],
  ['Teams 404', teams(404), true], ['Teams 403', teams(403), false], ['Google Chat 404', google(404), true],
  ['Google Chat 403', google(403), false],
  ['Telegram message to edit not found', telegram(400, 'Bad Request: message to edit not found'), true],
  ['Telegram group upgraded', telegram(400, 'Bad Request: group chat was upgraded to a supergroup chat'), true],
  ['Telegram without rights', telegram(400, 'Bad Request: have no rights to send a message'), false],
  ['Telegram kicked', telegram(403, 'Forbidden: bot was kicked from the group chat'), false],
  ['Telegram chat not found', telegram(400, 'Bad Request: chat not found'), false],
])('%s says whether the card is gone for good', async (_name, answer, isGone) => {
  const outcome = await answer
  expect(outcome).toMatchObject({ ok: false, permanent: true })
  expect(!outcome.ok && outcome.gone === true).toBe(isGone)
})

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
