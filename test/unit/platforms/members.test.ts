import { beforeEach, expect, test } from 'vitest'
import type { FormGoogleChatAdapter } from '../../../server/platforms/gchat/adapter'
import { createGoogleChatRoom } from '../../../server/platforms/gchat/room'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { callConnector } from '../../../server/platforms/teams/client'
import type { FormTeamsAdapter } from '../../../server/platforms/teams/adapter'
import { createTeamsRoom } from '../../../server/platforms/teams/room'
import { endAfterAll } from '../../support/lifetime'
import { startTelegram } from '../../support/telegram'
import { adapterOf } from '../../support/telegram-adapter'
import { startWhatsApp } from '../../support/whatsapp'
import { adapterOf as whatsappAdapterOf } from '../../support/whatsapp-adapter'

const SPACE = 'spaces/AAAAtriage'

const telegram = endAfterAll(await startTelegram())
const whatsapp = endAfterAll(await startWhatsApp())
const adapter = adapterOf(telegram)
beforeEach(() => { telegram.fault = () => undefined })

test.each<[object, boolean]>([
  [{ status: 'creator' }, true], [{ status: 'administrator' }, true], [{ status: 'member' }, true],
  [{ status: 'restricted', is_member: true }, true], [{ status: 'restricted', is_member: false }, false],
  [{ status: 'left' }, false], [{ status: 'kicked' }, false],
])('who is %j in a group of Telegram is in it: %s', async (member, isIn) => {
  telegram.fault = () => ({ status: 200, body: JSON.stringify({ ok: true, result: { user: { id: 7 }, ...member } }) })
  expect(await adapter.isMember(telegram.env.TELEGRAM_CHAT_ID!, '7')).toBe(isIn)
})

test('the chat of WhatsApp is of the reviewer, and of nobody else', async () => {
  const { WHATSAPP_CHAT_ID: reviewer, WHATSAPP_PHONE_NUMBER_ID: phone } = whatsapp.env
  const isIn = (user: string) => whatsappAdapterOf(whatsapp).isMember(`${phone}:${reviewer}`, user)
  expect([await isIn(reviewer!), await isIn('4366012345678')]).toEqual([true, false])
})

test('who is in a group of Telegram is not known while Telegram does not say', async () => {
  telegram.fault = () => ({ status: 502, body: '<html>' })
  await expect(adapter.isMember(telegram.env.TELEGRAM_CHAT_ID!, '4321')).rejects.toThrow(/telegram/i)
})

test.each<[string | undefined, boolean]>([
  ['JOINED', true], ['INVITED', false], ['NOT_A_MEMBER', false], [undefined, false],
])('whose membership is %s is in a space of Google Chat: %s', async (state, isIn) => {
  const google = { memberOf: async () => ({ ok: true, value: { state } }) } as unknown as FormGoogleChatAdapter
  const room = createGoogleChatRoom(SPACE, google)
  expect(await room.hasMember!('users/1', ['users/1'])).toEqual({ ok: true, value: isIn })
})

test.each<[number, object]>([
  [200, { ok: true, value: true }], [404, { ok: true, value: false }],
  [403, { ok: false }], [429, { ok: false }], [503, { ok: false }],
])('whom Teams answers with %i of a channel: %j', async (status, expected) => {
  const teams = {
    connector: () => callConnector(async () => ({ status, headers: {}, data: {} })),
  } as unknown as FormTeamsAdapter
  const room = createTeamsRoom('19:triage@thread.tacv2', {}, teams)
  expect(await room.hasMember!('29:ada', ['29:ada'])).toMatchObject(expected)
})

const slackRoom = (channelId: string, answer: (url: string, query: URLSearchParams) => object) => createSlackRoom(
  { botToken: 'xoxb-x', signingSecret: 'x', channelId },
  async ({ url, body }) => (
    { status: 200, headers: {}, json: { ok: true, ...answer(url, new URLSearchParams(String(body))) } }
  ),
  async () => 'xoxb-y',
)

test('who is in a channel of Slack is found on any page of its members, and nobody by a name that begins alike', async () => {
  const pages = [['U1', 'U2'], ['U3'], ['U44']]
  const room = slackRoom('C1', (_, query) => {
    const page = Number(query.get('cursor') ?? 0)
    const nextCursor = page + 1 < pages.length ? String(page + 1) : ''
    return { members: pages[page], response_metadata: { next_cursor: nextCursor } }
  })
  const answers = await Promise.all(['U1', 'U3', 'U44', 'U4', 'U'].map(user => room.hasMember!(user, [user])))
  expect(answers).toEqual([true, true, true, false, false].map(value => ({ ok: true, value })))
})

test.each<[string, string, string[], object, boolean]>([
  ['C1', 'ours', ['U1', 'T1:U1'], {}, true],
  ['C1', 'of another workspace, whom the members know by the same id', ['T2:U1'], { team_id: 'T1' }, false],
  ['C1', 'of another workspace, with which the channel is shared', ['T2:U1'], { team_id: 'T2' }, true],
  ['C1', 'of a workspace that nobody tells', [], { team_id: 'T1' }, false],
  ['T2:C2', 'of its own workspace', ['T2:U1'], {}, true],
  ['T2:C2', 'ours, whom the members know by the same id', ['U1', 'T1:U1'], { team_id: 'T2' }, false],
])('in the channel %s of Slack, who is %s is a member: %s', async (channelId, _, ids, user, isIn) => {
  const urls: string[] = []
  const room = slackRoom(channelId, (url) => {
    urls.push(url)
    return { members: ['U1'], user }
  })
  expect(await room.hasMember!('U1', ids)).toEqual({ ok: true, value: isIn })
  expect(urls.some(url => url.endsWith('users.info'))).toBe('team_id' in user)
})
