import { randomBytes } from 'node:crypto'
import { createMemoryState } from '@chat-adapter/state-memory'
import { Card, CardText, Chat } from 'chat'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { FormSlackAdapter } from '../../../../server/platforms/slack/adapter'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { startProxy, type Proxy } from '../../../support/proxy'

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => QUIET }
const OAUTH = { clientId: '1.2', clientSecret: 'secret', encryptionKey: randomBytes(32).toString('base64') }

let slack: Proxy
const state = createMemoryState()
beforeAll(async () => {
  slack = await startProxy()
  slack.fault = () => ({ status: 200, body: JSON.stringify({ ok: true, team_id: 'T1', user_id: 'U1', ts: '1.1' }) })
})
beforeEach(() => { slack.requests.length = 0 })
afterAll(() => slack.close())

async function start(): Promise<FormSlackAdapter> {
  const adapter = new FormSlackAdapter(
    { botToken: 'xoxb-own', signingSecret: 'secret', channelId: 'C1', apiUrl: `${slack.url}/api/`, oauth: OAUTH },
    QUIET, createHttpClient(),
  )
  await new Chat({ userName: 'form-bot', adapters: { slack: adapter }, state, logger: QUIET }).initialize()
  return adapter
}

const tokens = () => slack.requests.filter(({ path }) => path.includes('chat.')).map(({ path, headers, body }) => [
  path.slice(5), headers.authorization?.replace('Bearer ', '') ?? new URLSearchParams(body).get('token'),
])

test('what is said later, by another process, still has the token of the workspace that the channel is in', async () => {
  const card = Card({ children: [CardText('Expired')] })
  const first = await start()
  await first.setInstallation('T2', { botToken: 'xoxb-partner', botUserId: 'U2' })
  await first.withBotToken('xoxb-partner', () => first.postMessage('slack:C2:1.1', card), { installationId: 'T2' })
  const later = await start()
  await later.postMessage('slack:C2:1.1', card)
  await later.editMessage('slack:C2:1.1', '1.1', card)
  await later.postMessage('slack:C2:1.1', 'Words')
  await later.postMessage('slack:C1:1.1', card)
  expect(tokens()).toEqual([
    ['chat.postMessage', 'xoxb-partner'], ['chat.postMessage', 'xoxb-partner'], ['chat.update', 'xoxb-partner'],
    ['chat.postMessage', 'xoxb-partner'], ['chat.postMessage', 'xoxb-own'],
  ])
})

test('that token is found as long as the channel is spoken in, however long a process lives', async () => {
  const card = Card({ children: [CardText('Expired')] })
  const first = await start()
  await first.setInstallation('T2', { botToken: 'xoxb-partner', botUserId: 'U2' })
  const day = 24 * 60 * 60 * 1000
  const begun = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  try {
    for (const days of [0, 20, 40]) {
      vi.setSystemTime(begun + days * day)
      await first.withBotToken('xoxb-partner', () => first.postMessage('slack:C3:1.1', card), { installationId: 'T2' })
    }
    vi.setSystemTime(begun + 60 * day)
    await (await start()).postMessage('slack:C3:1.1', card)
  }
  finally {
    vi.useRealTimers()
  }
  expect(tokens().at(-1)).toEqual(['chat.postMessage', 'xoxb-partner'])
})

test('who writes has the ids of who clicks, in a channel that workspaces share and in no webhook as well', async () => {
  const adapter = await start()
  const inHome = <T>(ask: () => T) => adapter.withBotToken('xoxb-own', ask, { installationId: 'T1' })
  const message = { type: 'message', user: 'U5', team: 'T1', channel: 'C1', ts: '1.1', text: 'take abcd1234' }
  const click = (team: string) => ({ type: 'block_actions', user: { id: 'U5', team_id: team }, team: { id: 'T1' } })
  await inHome(() => adapter.channelsHere('slack:C1:1.1'))

  const ours = ['U5', 'T1:U5']
  expect(inHome(() => adapter.idsOf('U5', click('T1')))).toEqual(ours)
  expect(inHome(() => adapter.idsOf('U5', message))).toEqual(ours)
  expect(adapter.idsOf('U5', message)).toEqual(ours)

  const guest = ['T2:U5']
  expect(inHome(() => adapter.idsOf('U5', click('T2')))).toEqual(guest)
  const told = [{ user_team: 'T2' }, { source_team: 'T2' }, { team: 'T2' }, { user_team: 'T2', source_team: 'T3' }]
  for (const more of told) {
    expect(inHome(() => adapter.idsOf('U5', { ...message, ...more })), JSON.stringify(more)).toEqual(guest)
  }
  expect(adapter.idsOf('U5', { command: '/forms', user_id: 'U5', team_id: 'T2' })).toEqual(guest)
})
