import { expect, test } from 'vitest'
import { createDiscordRoom } from '../../../server/platforms/discord/api/room'
import { createSlackRoom } from '../../../server/platforms/slack/room'
import { createHttpClient } from '../../../server/adapters/http/client'
import type { HttpClient } from '../../../server/ports/http'
import { endAfterTest } from '../../support/lifetime'
import { startProxy, type Fault, type Proxy } from '../../support/proxy'
import { took } from '../../support/stopwatch'

const card = { platform: 'slack', threadId: 'slack:C2:1700000000.000100', messageId: '1700000000.000100' }
const DISCORD = { botToken: 'bot', publicKey: 'a'.repeat(64), applicationId: '1', channelId: '2' }

/** Starts a Slack double with these faults, and returns our room there. */
async function startSlack(fault: Proxy['fault'], channels?: string[]) {
  const slack = endAfterTest(await startProxy())
  slack.fault = fault
  return { slack, room: createSlackRoom({
    botToken: 'xoxb-test', signingSecret: 'secret', channelId: 'C1', apiUrl: `${slack.url}/api/`, channels,
  }, createHttpClient(), async team => team === 'T2' ? 'xoxb-t2' : null) }
}

test.each([['10:20', '10/20'], ['10:20:25', '10/25']])('a Discord card in %s is in %s', async (thread, path) => {
  const { link } = createDiscordRoom(DISCORD, createHttpClient())
  const address = await link!({ platform: 'discord', threadId: `discord:${thread}`, messageId: '30' })
  expect(address).toBe(`https://discord.com/channels/${path}/30`)
})

test('a channel of which Discord tells nothing is asked for again: where a card is stays with it', async () => {
  const channels = [{ message: 'Just a moment …' }, { id: '2', guild_id: '10', type: 0 }]
  const http: HttpClient = async ({ method }) => (
    { status: 200, headers: {}, json: method === 'GET' ? channels.shift() : { id: '30' } }
  )
  const room = createDiscordRoom(DISCORD, http)
  const post = () => room.post({ type: 'card', children: [] }, '', 'id')
  expect(await post()).toMatchObject({ ok: false, permanent: false })
  expect(await post()).toMatchObject({ ok: true, value: { threadId: 'discord:10:2' } })
})

test('a Slack card is in its workspace, whose address is asked for once', async () => {
  const { slack, room } = await startSlack(() => ({ status: 200, body: '{"ok":true,"url":"https://triage.slack.com/"}' }))
  const links = [...await Promise.all([room.link!(card), room.link!(card)]), await room.link!(card)]
  expect(new Set(links)).toEqual(new Set(['https://triage.slack.com/archives/C2/p1700000000000100']))
  expect(slack.requests.map(({ path }) => path)).toEqual(['/api/auth.test'])
})

test('a Slack card in another workspace has the address of that', async () => {
  const { room } = await startSlack(({ headers }) => ({ status: 200, body: JSON.stringify({
    ok: true, url: `https://${headers.authorization === 'Bearer xoxb-t2' ? 'partner' : 'triage'}.slack.com/`,
  }) }), ['T2:C2'])
  expect(await room.link!(card)).toBe('https://partner.slack.com/archives/C2/p1700000000000100')
  const ownCard = { ...card, threadId: 'slack:C1:1700000000.000100' }
  expect(await room.link!(ownCard)).toBe('https://triage.slack.com/archives/C1/p1700000000000100')
})

test.each<[string, Fault]>([
  ['does not answer', { hold: new Promise(() => {}) }],
  ['refuses', { status: 200, body: '{"ok":false,"error":"invalid_auth"}' }],
  ['answers with nonsense', { status: 200, body: '{"ok":true,"url":"javascript:alert(1)"}' }],
])('a Slack that %s leaves the card without an address and is not asked for every row', async (_, fault) => {
  const { slack, room } = await startSlack(() => fault)
  expect(await took(async () => expect(await room.link!(card)).toBeNull())).toBeLessThan(2000)
  expect(await room.link!(card)).toBeNull()
  expect(slack.requests).toHaveLength(1)
})
