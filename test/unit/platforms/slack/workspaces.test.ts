import { createHmac, randomBytes } from 'node:crypto'
import { Card, CardText, Chat } from 'chat'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { createPlaces } from '../../../../server/adapters/chat/places'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { FormSlackAdapter } from '../../../../server/platforms/slack/adapter'
import { MovedChannels } from '../../../../server/platforms/slack/client'
import { slack as platform } from '../../../../server/platforms/slack/definition'
import { silentLog } from '../../../fakes/runtime'
import { endAfterAll } from '../../../support/lifetime'
import { startProxy } from '../../../support/proxy'
import { memoryDrafts, memoryState } from '../../../support/sqlite'

const QUIET = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => QUIET }
const OAUTH = { clientId: '1.2', clientSecret: 'secret', encryptionKey: randomBytes(32).toString('base64') }

const state = memoryState()
const slack = endAfterAll(await startProxy())
slack.fault = () => ({ status: 200, body: JSON.stringify({ ok: true, team_id: 'T1', user_id: 'U1', ts: '1.1' }) })
beforeEach(() => { slack.requests.length = 0 })

async function start(register = (_: Chat) => {}): Promise<FormSlackAdapter> {
  const settings = {
    botToken: 'xoxb-own', signingSecret: 'secret', channelId: 'C1', apiUrl: `${slack.url}/api/`, oauth: OAUTH,
  }
  const adapter = new FormSlackAdapter(settings, QUIET, createHttpClient(), new MovedChannels(settings))
  const chat = new Chat({ userName: 'form-bot', adapters: { slack: adapter }, state, logger: QUIET })
  register(chat)
  await chat.initialize()
  return adapter
}

const CARD = Card({ children: [CardText('Expired')] })

/** Starts with the app installed in another workspace. A card there makes one of its channels known to the service. */
async function startWithPartner(channel?: string): Promise<FormSlackAdapter> {
  const adapter = await start()
  await adapter.setInstallation('T2', { botToken: 'xoxb-partner', botUserId: 'U2' })
  if (channel) await postAsPartner(adapter, channel)
  return adapter
}

const postAsPartner = (adapter: FormSlackAdapter, channel: string) => adapter.withBotToken(
  'xoxb-partner', () => adapter.postMessage(`slack:${channel}:1.1`, CARD), { installationId: 'T2' },
)

const inHome = <T>(adapter: FormSlackAdapter, ask: () => T) => (
  adapter.withBotToken('xoxb-own', ask, { installationId: 'T1' })
)

const tokens = (methods = 'chat.') => (
  slack.requests.filter(({ path }) => path.includes(methods)).map(({ path, headers, body }) => [
    path.slice(5), headers.authorization?.replace('Bearer ', '') ?? new URLSearchParams(body).get('token'),
  ])
)

test('what is said later, by another process, still has the token of the workspace that the channel is in', async () => {
  await startWithPartner('C2')
  const laterAdapter = await start()
  await laterAdapter.postMessage('slack:C2:1.1', CARD)
  await laterAdapter.editMessage('slack:C2:1.1', '1.1', CARD)
  await laterAdapter.postMessage('slack:C2:1.1', 'Words')
  await laterAdapter.postEphemeral('slack:C2:1.1', 'U9', CARD)
  await laterAdapter.postMessage('slack:C1:1.1', CARD)
  expect(tokens()).toEqual([
    ['chat.postMessage', 'xoxb-partner'], ['chat.postMessage', 'xoxb-partner'], ['chat.update', 'xoxb-partner'],
    ['chat.postMessage', 'xoxb-partner'], ['chat.postEphemeral', 'xoxb-partner'], ['chat.postMessage', 'xoxb-own'],
  ])
})

test('that token is found as long as the channel is spoken in, however long a process lives', async () => {
  const adapter = await startWithPartner()
  const startedAt = Date.now()
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const waitUntilDay = (day: number) => vi.setSystemTime(startedAt + day * 24 * 60 * 60 * 1000)
  for (const day of [0, 20, 40]) {
    waitUntilDay(day)
    await postAsPartner(adapter, 'C3')
  }
  waitUntilDay(60)
  await (await start()).postMessage('slack:C3:1.1', CARD)
  expect(tokens().at(-1)).toEqual(['chat.postMessage', 'xoxb-partner'])
})

/** Places of a bot that knows its own workspace. */
async function createPlacesFor(adapter: Awaited<ReturnType<typeof start>>) {
  const settings = { botToken: 'xoxb-own', signingSecret: 'secret', channelId: 'C1', oauth: OAUTH }
  const places = createPlaces([platform.connect(settings, {
    log: silentLog, http: createHttpClient(), siteUrl: null, isCardOf: async () => false,
    drafts: memoryDrafts(),
  })])
  await inHome(adapter, () => adapter.channelsHere('slack:C1:1.1'))
  return places
}

test('who is mentioned has the names that they act by, and is asked for by them where they are', async () => {
  const adapter = await startWithPartner()
  const places = await createPlacesFor(adapter)
  const user = { userId: 'U9', userName: 'grace', fullName: 'Grace', isBot: false as const, isMe: false }
  for (const [team, names] of [['T2', ['slack:T2:U9']], ['T1', ['slack:U9', 'slack:T1:U9']]] as const) {
    const message = { type: 'message', user: 'U5', user_team: team, text: 'assign abcd1234 <@U9>' }
    const command = { command: '/forms', user_id: 'U5', team_id: team, text: 'assign abcd1234 <@U9|grace>' }
    const click = { type: 'block_actions', user: { id: 'U9', team_id: team } }
    for (const raw of [message, command]) expect(await places.mentionedIn({ raw, adapter })).toEqual([names])
    expect(places.namesOf({ user, raw: click, adapter })).toEqual(names)
  }
  slack.requests.length = 0
  await adapter.getUser('T2:U9')
  await adapter.getUser('U9')
  const askedUsers = slack.requests.map(({ body }) => new URLSearchParams(body).get('user')).filter(Boolean)
  expect(askedUsers).toEqual(['U9', 'U9'])
  expect(tokens('users.info')).toEqual([['users.info', 'xoxb-partner'], ['users.info', 'xoxb-own']])
})

test('a thread is read by the bot of its workspace, which knows its own words, when no webhook is handled as well', async () => {
  const messages = ['U2', 'UGUEST'].map((user, index) => ({ type: 'message', user, text: 'Hello', ts: `1.${index}` }))
  const answer = JSON.stringify({ ok: true, team_id: 'T1', user_id: 'U1', ts: '1.1', messages })
  slack.fault = () => ({ status: 200, body: answer })
  const adapter = await startWithPartner('C5')
  const read = async (channel: string) => (await adapter.fetchMessages(`slack:${channel}:1.1`)).messages
  expect((await read('C5')).map(({ author }) => author.isMe)).toEqual([true, false])
  await read('C1')
  expect(tokens('conversations.')).toEqual([
    ['conversations.replies', 'xoxb-partner'], ['conversations.replies', 'xoxb-own'],
  ])
})

test('who writes has the ids of who clicks, in a channel that workspaces share and in no webhook as well', async () => {
  const adapter = await start()
  const message = { type: 'message', user: 'U5', team: 'T1', channel: 'C1', ts: '1.1', text: 'take abcd1234' }
  const click = (team: string) => ({ type: 'block_actions', user: { id: 'U5', team_id: team }, team: { id: 'T1' } })
  const idsAtHome = (raw: object) => inHome(adapter, () => adapter.idsOf('U5', raw))
  await inHome(adapter, () => adapter.channelsHere('slack:C1:1.1'))
  const ownIds = ['U5', 'T1:U5']
  expect(idsAtHome(click('T1'))).toEqual(ownIds)
  expect(idsAtHome(message)).toEqual(ownIds)
  expect(adapter.idsOf('U5', message)).toEqual(ownIds)

  const guestIds = ['T2:U5']
  expect(idsAtHome(click('T2'))).toEqual(guestIds)
  const actors = [{ user_team: 'T2' }, { source_team: 'T2' }, { team: 'T2' }, { user_team: 'T2', source_team: 'T3' }]
  for (const fields of actors) {
    expect(idsAtHome({ ...message, ...fields }), JSON.stringify(fields)).toEqual(guestIds)
  }
  expect(adapter.idsOf('U5', { command: '/forms', user_id: 'U5', team_id: 'T2' })).toEqual(guestIds)
})

/** Workspace of each person, as Slack reports it: `UGRACE` is in T1, `UGUEST` in T2; both share a channel. */
const PEOPLE: Readonly<Record<string, string>> = { UGRACE: 'T1', UGUEST: 'T2' }

/** @param shares for each channel, the workspaces that share it according to Slack */
function withPeople(shares: Readonly<Record<string, string[]>> = {}): void {
  slack.fault = ({ path, body }) => {
    const { user: id = '', channel = '' } = Object.fromEntries(new URLSearchParams(body))
    const user = PEOPLE[id] && { ok: true, user: { id, team_id: PEOPLE[id] } }
    const sharedChannel = { id: channel, is_ext_shared: true, connected_team_ids: shares[channel] ?? [] }
    const answer = path.endsWith('users.info')
      ? user ?? { ok: false, error: 'user_not_found' }
      : { ok: true, team_id: 'T1', user_id: 'U1', ts: '1.1', channel: sharedChannel }
    return { status: 200, body: JSON.stringify(answer) }
  }
}

test('who is mentioned is of their own workspace, whoever mentions them in a channel that workspaces share', async () => {
  withPeople()
  const adapter = await start()
  const places = await createPlacesFor(adapter)
  const findMentioned = (user: string, team: string) => {
    const message = { type: 'message', user: 'U5', user_team: team, channel: 'C1', text: `assign abcd1234 <@${user}>` }
    return places.mentionedIn({ raw: message, adapter })
  }
  for (const team of ['T1', 'T2']) {
    expect(await findMentioned('UGUEST', team)).toEqual([['slack:T2:UGUEST']])
    expect(await findMentioned('UGRACE', team)).toEqual([['slack:UGRACE', 'slack:T1:UGRACE']])
  }
  // If Slack does not answer, the person counts as a member of the author's workspace.
  expect(await findMentioned('U0NOBODY', 'T2')).toEqual([['slack:T2:U0NOBODY']])
})

/** Posts a mention of the bot with a valid signature, as Slack does, and waits until it was handled. */
async function mention(adapter: FormSlackAdapter, installation: string, fields: object): Promise<void> {
  const event = { type: 'app_mention', text: '<@U1> pending', channel: 'C1', ...fields }
  const body = JSON.stringify({
    type: 'event_callback', team_id: installation, is_ext_shared_channel: true, event,
    authorizations: [{ team_id: 'team' in fields ? installation : 'T1' }],
  })
  const timestamp = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', 'secret').update(`v0:${timestamp}:${body}`).digest('hex')}`
  const tasks: Promise<unknown>[] = []
  await adapter.handleWebhook(new Request('https://forms.example.com/api/webhooks/slack', {
    method: 'POST', body, headers: {
      'content-type': 'application/json', 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature,
    },
  }), { waitUntil: task => void tasks.push(task) })
  await Promise.all(tasks)
}

test('who mentions the bot in a channel that workspaces share is of their own, where only the envelope names one as well', async () => {
  withPeople()
  const authors: [string, string[]][] = []
  const adapter = await start(chat => chat.onNewMention(async (_, { author: { userId }, raw }) => {
    authors.push([userId, adapter.idsOf(userId, raw)])
  }))
  await inHome(adapter, () => adapter.channelsHere('slack:C1:1.1'))
  // The envelope may name either of the two workspaces: https://github.com/slackapi/bolt-js/issues/935
  for (const envelope of ['T1', 'T2']) {
    for (const user of ['UGRACE', 'UGUEST', 'U0NOBODY']) {
      const ts = `${authors.length}.1`
      await mention(adapter, envelope, { user, ts, event_ts: ts })
    }
  }
  // If Slack does not answer, the author may be anybody.
  const expected = [['UGRACE', ['UGRACE', 'T1:UGRACE']], ['UGUEST', ['T2:UGUEST']], ['U0NOBODY', []]]
  expect(authors).toEqual([...expected, ...expected])
})

test.each([
  ['the workspace whose room it is, with its token', ['T1', 'T2'], ['C1', 'T1:C1'], 'xoxb-own'],
  ['the one that it names, where Slack does not say that they share it', ['T1', 'T3'], ['T2:C1'], 'xoxb-partner'],
])('what is said in a channel that two workspaces with the app share is for %s', async (_, shares, places, token) => {
  withPeople({ C1: shares })
  let channels: string[] = []
  const adapter = await start(chat => chat.onNewMention(async (thread) => {
    channels = await adapter.channelsHere(thread.id)
    await thread.post(CARD)
  }))
  await adapter.setInstallation('T2', { botToken: 'xoxb-partner', botUserId: 'U2' })
  await mention(adapter, 'T2', { user: 'UGUEST', team: 'T2', ts: `${shares[1]}.1`, event_ts: '9.1' })
  expect(channels).toEqual(places)
  expect(tokens('chat.postMessage')).toEqual([['chat.postMessage', token]])
})

test('where workspaces share the app, no channel is named while no signed request says whose it is', async () => {
  const adapter = await start()
  expect(await adapter.channelsHere('slack:C1:1.1')).toEqual([])
})
