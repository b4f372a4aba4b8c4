import { expect, test } from 'vitest'
import { createDiscordRest, type DiscordError } from '../../../server/platforms/discord/rest'
import { callGoogle } from '../../../server/platforms/gchat/client'
import { createSlackCall } from '../../../server/platforms/slack/client'
import { callConnector } from '../../../server/platforms/teams/client'
import type { HttpClient } from '../../../server/ports/http'

const answering = (status: number, json: object): HttpClient => async () => ({ status, headers: {}, json, text: '' })
const slack = (error: string) => (
  createSlackCall({}, () => 'xoxb-x', 1000, answering(200, { ok: false, error }))('chat.postMessage', {})
)
const discord = (code: number, status = 400) => createDiscordRest(
  { botToken: 'x' }, answering(status, { code }),
)('POST', '/channels/1/messages').catch(({ refusal }: DiscordError) => refusal)
const teams = (status: number) => callConnector(async () => ({ status, headers: {}, data: {} }))
const google = (status: number) => callGoogle(async () => ({ status, headers: {}, data: {} }))

test.each([
  ['Slack invalid_blocks', slack('invalid_blocks')], ['Slack msg_too_long', slack('msg_too_long')],
  ['Discord 50035', discord(50035)],
  ['Discord 200000 (AutoMod)', discord(200000)], ['Teams 400', teams(400)], ['Teams 413', teams(413)],
  ['Google Chat 400', google(400)],
])('%s is about what was sent', async (_name, outcome) => {
  expect(await outcome).toMatchObject({ ok: false, permanent: true, content: true })
})

test.each([
  ['Slack channel_not_found', slack('channel_not_found')], ['Slack token_revoked', slack('token_revoked')],
  ['Discord 50001', discord(50001, 403)],
  ['Discord 10003', discord(10003, 404)], ['Teams 403', teams(403)], ['Google Chat 404', google(404)],
])('%s is about the room or the credentials', async (_name, outcome) => {
  const refused = await outcome
  expect(refused).toMatchObject({ ok: false, permanent: true })
  expect(refused).not.toHaveProperty('content')
})

test.each([
  ['Slack internal_error', slack('internal_error')], ['Discord 500', discord(0, 500)], ['Teams 503', teams(503)],
  ['Google Chat 500', google(500)],
])('%s may pass the next time', async (_name, outcome) => {
  const failed = await outcome
  expect(failed).toMatchObject({ ok: false, permanent: false })
  expect(failed).not.toHaveProperty('content')
})

test('an app of Slack without a scope is told where the scopes stand', async () => {
  expect(await slack('missing_scope')).toMatchObject({ reason: expect.stringContaining('/api/slack/manifest') })
})
