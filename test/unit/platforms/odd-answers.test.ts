import { expect, test } from 'vitest'
import { createDiscordRoom } from '../../../server/platforms/discord/api/room'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { createResendMailer } from '../../../server/adapters/email/resend'
import type { HttpClient } from '../../../server/ports/http'

const answerWith = (status: number, json: unknown): HttpClient => async () => ({ status, headers: {}, json })
const CARD = { type: 'card' as const, children: [] }
const postToSlack = (json: unknown, status = 200) => createSlackRoom(
  { botToken: 'x', signingSecret: 'x', channelId: 'C0' }, answerWith(status, json), async () => null,
).post(CARD, '', 'id')
const postToDiscord = (json: unknown, status = 200) => createDiscordRoom(
  { botToken: 'x', publicKey: '', applicationId: '', channelId: '1', guildId: '2' }, answerWith(status, json),
).post(CARD, '', 'id')
const send = (json: unknown, status = 200) => createResendMailer({ apiKey: 're_x' }, answerWith(status, json)).send(
  { from: 'a@example.com', to: ['b@example.com'], subject: 's', html: 'h', text: 't' }, 'key',
)

test.each([
  ['Slack without ts', postToSlack({ ok: true })], ['Slack with a page', postToSlack(undefined)],
  ['Slack with a list', postToSlack([])], ['Slack with a text', postToSlack('ok')],
  ['Slack 204', postToSlack(undefined, 204)],
  ['Discord without id', postToDiscord({})], ['Discord with a page', postToDiscord(undefined)],
  ['Discord with a text', postToDiscord('ok')], ['Discord 204', postToDiscord(undefined, 204)],
  ['Resend without id', send({})], ['Resend with an error and 200', send({ error: { name: 'application_error' } })],
  ['Resend with a list', send([])], ['Resend 204', send(undefined, 204)], ['Resend 302', send(undefined, 302)],
])('an answer of another shape than the documentation\'s (%s) is no success, and tried again', async (_name, answer) => {
  expect(await answer).toMatchObject({ ok: false, permanent: false, reason: expect.not.stringContaining('undefined') })
})
