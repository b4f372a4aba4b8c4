import { expect, test } from 'vitest'
import { createDiscordRoom } from '../../../server/platforms/discord/api/room'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { createResendMailer } from '../../../server/adapters/email/resend'
import type { HttpClient } from '../../../server/ports/http'

const answering = (status: number, json: unknown): HttpClient => async () => ({ status, headers: {}, json })
const CARD = { type: 'card' as const, children: [] }
const slackPost = (json: unknown, status = 200) => createSlackRoom(
  { botToken: 'x', signingSecret: 'x', channelId: 'C0' }, answering(status, json), async () => null,
).post(CARD, '', 'id')
const discordPost = (json: unknown, status = 200) => createDiscordRoom(
  { botToken: 'x', publicKey: '', applicationId: '', channelId: '1', guildId: '2' }, answering(status, json),
).post(CARD, '', 'id')
const send = (json: unknown, status = 200) => createResendMailer({ apiKey: 're_x' }, answering(status, json)).send(
  { from: 'a@example.com', to: ['b@example.com'], subject: 's', html: 'h', text: 't' }, 'key',
)

test.each([
  ['Slack without ts', slackPost({ ok: true })], ['Slack with a page', slackPost(undefined)],
  ['Slack with a list', slackPost([])], ['Slack with a text', slackPost('ok')],
  ['Slack 204', slackPost(undefined, 204)],
  ['Discord without id', discordPost({})], ['Discord with a page', discordPost(undefined)],
  ['Discord with a text', discordPost('ok')], ['Discord 204', discordPost(undefined, 204)],
  ['Resend without id', send({})], ['Resend with an error and 200', send({ error: { name: 'application_error' } })],
  ['Resend with a list', send([])], ['Resend 204', send(undefined, 204)], ['Resend 302', send(undefined, 302)],
])('an answer of another shape than the documentation\'s (%s) is no success, and tried again', async (_name, answer) => {
  expect(await answer).toMatchObject({ ok: false, permanent: false, reason: expect.not.stringContaining('undefined') })
})
