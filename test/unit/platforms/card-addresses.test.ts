import { afterEach, expect, test } from 'vitest'
import { createDiscordRoom } from '../../../server/platforms/discord/api/room'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { createHttpClient } from '../../../server/adapters/http/client'
import type { HttpClient } from '../../../server/ports/http'
import { startProxy, type Proxy } from '../../support/proxy'
import { took } from '../../support/stopwatch'

let slack: Proxy | undefined
afterEach(() => slack?.close())

const settings = (url: string) => ({
  botToken: 'xoxb-test', signingSecret: 'secret', channelId: 'C1', apiUrl: `${url}/api/`,
})
const card = { platform: 'slack', threadId: 'slack:C2:1700000000.000100', messageId: '1700000000.000100' }

test('a Discord card is where its server, channel and message say, in a thread too', async () => {
  const room = createDiscordRoom(
    { botToken: 'bot', publicKey: 'a'.repeat(64), applicationId: '1', channelId: '2' }, createHttpClient(),
  )
  expect(
    await room.link!({ platform: 'discord', threadId: 'discord:10:20', messageId: '30' }),
  ).toBe('https://discord.com/channels/10/20/30')
  expect(
    await room.link!({ platform: 'discord', threadId: 'discord:10:20:25', messageId: '30' }),
  ).toBe('https://discord.com/channels/10/25/30')
})

test('a channel of which Discord tells nothing is asked for again: where a card is stays with it', async () => {
  const channels = [{ message: 'Just a moment …' }, { id: '2', guild_id: '10', type: 0 }]
  const http: HttpClient = async ({ method }) => (
    { status: 200, headers: {}, json: method === 'GET' ? channels.shift() : { id: '30' } }
  )
  const settings = { botToken: 'bot', publicKey: 'a'.repeat(64), applicationId: '1', channelId: '2' }
  const room = createDiscordRoom(settings, http)
  const post = () => room.post({ type: 'card', children: [] }, '', 'id')
  expect(await post()).toMatchObject({ ok: false, permanent: false })
  expect(await post()).toMatchObject({ ok: true, value: { threadId: 'discord:10:2' } })
})

test('a Slack card is in its workspace, whose address is asked for once', async () => {
  slack = await startProxy()
  slack.fault = () => ({ status: 200, body: '{"ok":true,"url":"https://triage.slack.com/"}' })
  const room = createSlackRoom(settings(slack.url), createHttpClient(), async () => null)
  const links = await Promise.all([room.link!(card), room.link!(card)])
  expect([...links, await room.link!(card)]).toEqual(
    Array.from({ length: 3 }, () => 'https://triage.slack.com/archives/C2/p1700000000000100'),
  )
  expect(slack.requests.map(({ path }) => path)).toEqual(['/api/auth.test'])
})

test('a Slack card in another workspace has the address of that', async () => {
  slack = await startProxy()
  slack.fault = ({ headers }) => ({ status: 200, body: JSON.stringify({
    ok: true, url: `https://${headers.authorization === 'Bearer xoxb-t2' ? 'partner' : 'triage'}.slack.com/`,
  }) })
  const room = createSlackRoom(
    { ...settings(slack.url), channels: ['T2:C2'] }, createHttpClient(), async team => team === 'T2' ? 'xoxb-t2' : null,
  )
  expect(await room.link!(card)).toBe('https://partner.slack.com/archives/C2/p1700000000000100')
  expect(
    await room.link!({ ...card, threadId: 'slack:C1:1700000000.000100' }),
  ).toBe('https://triage.slack.com/archives/C1/p1700000000000100')
})

test('a Slack that does not answer, or with nonsense, leaves the card without an address and is not asked for every row', async () => {
  for (const fault of [{ hold: new Promise(() => {}) }, { status: 200, body: '{"ok":false,"error":"invalid_auth"}' }, {
    status: 200, body: '{"ok":true,"url":"javascript:alert(1)"}',
  }] as const) {
    await slack?.close()
    slack = await startProxy()
    slack.fault = () => fault
    const room = createSlackRoom(settings(slack.url), createHttpClient(), async () => null)
    expect(await took(async () => expect(await room.link!(card)).toBeNull())).toBeLessThan(2000)
    expect(await room.link!(card)).toBeNull()
    expect(slack.requests).toHaveLength(1)
  }
})
