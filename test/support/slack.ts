import { createHash, createHmac, randomUUID } from 'node:crypto'
import { createEmulator } from 'emulate'
import { askEmulator } from './emulator'
import { freePort } from './ports'
import { startProxy } from './proxy'
import { parseCall, undescribed, undescribedAnswer } from './slack-bodies'
import { startSockets } from './slack-socket'
import { streamsOn } from './slack-streams'
import { until } from './until'
import { post } from './webhook'

export const SIGNING_SECRET = 'test-signing-secret'
export const BOT_TOKEN = 'xoxb-local-test'
/** The app that other workspaces install */
export const OAUTH_APP = { client_id: '1234567890.0987654321', client_secret: 'slack-client-secret-of-the-app' }
/** Channel that the Slack emulator creates as #general */
export const CHANNEL = 'C000000001'

const PEOPLE = [{ name: 'ada', real_name: 'Ada Lovelace', email: 'ada@example.com' }, {
  name: 'grace', real_name: 'Grace Hopper', email: 'grace@example.com',
}]

export interface SlackMessage {
  ts: string
  thread_ts?: string
  user?: string
  text: string
  blocks: Block[]
}

// Block Kit JSON as received; the validator checks its shape.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Block = Record<string, any>

/** A user in the format of interaction payloads, which lack the full name */
export interface SlackUser {
  id: string
  username: string
  name: string
  team_id: string
}

export type Slack = Awaited<ReturnType<typeof startSlack>>

/** Starts Slack's Web API by emulate, behind a proxy that records and injects faults. */
export async function startSlack() {
  const emulator = await createEmulator({
    service: 'slack', port: await freePort(),
    seed: {
      slack: {
        users: [...PEOPLE, { name: 'form-bot', real_name: 'Form triage', email: 'bot@example.com' }],
        tokens: [{ token: BOT_TOKEN, user: 'form-bot', scopes: [] }, ...PEOPLE.map(({ name }) => ({
          token: `xoxp-${name}`, user: name, scopes: [],
        }))],
        oauth_apps: [
          { ...OAUTH_APP, name: 'Form triage', redirect_uris: ['https://forms.example.com/api/slack/oauth/callback'] },
        ],
      },
    },
  })
  const streams = streamsOn(emulator.url)
  const sockets = await startSockets()
  const proxy = await startProxy(
    async request => sockets.open(request) ?? await streams(request) ?? emulator.url, undescribed,
  )
  const call = (method: string, body: object, token = BOT_TOKEN) => (
    askEmulator<Block>(`${emulator.url}/api/${method}`, `Bearer ${token}`, body)
  )
  const { user } = await call('users.lookupByEmail', { email: 'ada@example.com' })
  const [{ user: bot }, { user: grace }] = await Promise.all([
    call('users.lookupByEmail', { email: 'bot@example.com' }),
    call('users.lookupByEmail', { email: 'grace@example.com' }),
  ])
  await Promise.all(PEOPLE.map(({ name }) => call('conversations.join', { channel: CHANNEL }, `xoxp-${name}`)))
  const { channel: dm } = await call('conversations.open', { users: user.id })
  const closeProxy = proxy.close
  return Object.assign(proxy, {
    /** Socket Mode */
    sockets,
    /** User id of the bot */
    botId: bot.id as string,
    /** Grace Hopper */
    colleague: { id: grace.id as string, username: 'grace', name: 'grace', team_id: 'T000000001' },
    /** Writes as a user in the channel or a thread; resolves with the timestamp. The service gets an event. */
    write: async (by: SlackUser, text: string, thread?: string) => (
      (await call('chat.postMessage', { channel: CHANNEL, text, thread_ts: thread }, `xoxp-${by.name}`)).ts as string
    ),
    /** Returns the messages that a thread shows now. */
    thread: async (ts: string) => (
      (await call('conversations.replies', { channel: CHANNEL, ts })).messages as SlackMessage[]
    ),
    /** Ada Lovelace */
    reviewer: { id: user.id as string, username: 'ada', name: 'ada', team_id: 'T000000001' },
    /** The direct messages between Ada and the bot */
    dmChannel: dm.id as string,
    apiUrl: `${proxy.url}/api/`,
    /** Returns the calls of a Web API method, with parsed arguments. */
    calls: (method: string) => proxy.requests.filter(({ path }) => path === `/api/${method}`).map(parseCall),
    /** Returns the messages with blocks that a channel shows now; the card channel by default. */
    messages: async (channel = CHANNEL) => ((await call(
      'conversations.history', { channel, limit: 200 },
    )).messages as SlackMessage[]).filter(({ blocks }) => blocks),
    /** Returns a trigger id, as contained in a click. The emulator accepts each one once. */
    trigger: async () => (await call('views.generateTriggerId', { user_id: 'ada' })).trigger_id as string,
    /** Makes Ada agree on Slack's page; resolves with the URL to which Slack redirects her browser. */
    agree: async (page: string) => {
      const { pathname, search } = new URL(page)
      const html = await (await fetch(emulator.url + pathname + search)).text()
      const form = html.split('<form').find(each => each.includes(`value="${user.id as string}"`))!
      const fields = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]): [string, string] => [
        name!, value!.replaceAll('&amp;', '&'),
      ])
      const answer = await fetch(`${emulator.url}/oauth/v2/authorize/callback`, {
        method: 'POST', body: new URLSearchParams(fields), redirect: 'manual',
      })
      return new URL(answer.headers.get('location')!)
    },
    close: async () => {
      await emulator.close()
      await sockets.close()
      await closeProxy()
    },
  })
}

/** A click on a button of a card, as Slack posts it. */
export function blockActions(
  message: SlackMessage, actionId: string, value: string | undefined, user: SlackUser, triggerId: string = randomUUID(),
): Block {
  return {
    type: 'block_actions', user, api_app_id: 'A000000001', team: { id: 'T000000001', domain: 'test' },
    container: { type: 'message', message_ts: message.ts, channel_id: CHANNEL, is_ephemeral: false },
    trigger_id: triggerId, channel: { id: CHANNEL, name: 'general' }, message: { ...message, type: 'message' },
    response_url: 'http://127.0.0.1:9/none',
    actions: [{ type: 'button', action_id: actionId, block_id: 'b', value, action_ts: message.ts, text: {
      type: 'plain_text', text: actionId,
    } }],
  }
}

/** Moves the click to a card in this channel. */
export function inChannel(payload: Block, id: string): Block {
  return { ...payload, channel: { id, name: 'random' }, container: { ...payload.container as object, channel_id: id } }
}

/**
 * Returns a submitted modal, as Slack posts it. `values`, by input id, override the view's initial values. Each opened
 * view has an id.
 */
export function viewSubmission(view: Block, values: Record<string, string | null>, user: SlackUser): Block {
  const inputs = (view.blocks as Block[]).filter(({ type }) => type === 'input')
  const state = Object.fromEntries(inputs.map(({ block_id, element }) => [block_id, { [element.action_id]: inputState(
    element, block_id in values ? values[block_id]! : undefined,
  ) }]))
  return {
    type: 'view_submission', user, team: { id: 'T000000001' }, api_app_id: 'A000000001', trigger_id: randomUUID(),
    view: {
      ...view,
      id: `V${createHash('sha256').update(String(view.private_metadata)).digest('hex').slice(0, 10).toUpperCase()}`,
      state: { values: state },
    },
  }
}

/**
 * Returns the state of an input after the user typed or chose `given` (several choices: one per line). If undefined,
 * the input keeps its initial value.
 */
function inputState(
  { type, initial_value, initial_date, initial_option, initial_options = [], options }: Block,
  given: string | null | undefined,
): Block {
  if (type === 'datepicker') return { type, selected_date: given ?? initial_date ?? null }
  if (!options) return { type, value: given === undefined ? initial_value ?? null : given }
  if (type === 'multi_static_select') {
    const picked = given?.split('\n').filter(Boolean)
    const selected = picked?.map(each => (options as Block[]).find(({ value }) => value === each) ?? noOption(each))
    return { type, selected_options: selected ?? initial_options }
  }
  const chosen = given === undefined ? initial_option : (options as Block[]).find(({ value }) => value === given)
  if (given && !chosen) noOption(given)
  return { type, selected_option: chosen ?? null }
}

function noOption(given: string): never {
  throw new Error(`There is no option ${given}`)
}

/** Posts an interaction to the service, with a valid signature. */
export async function interact(serverUrl: string, payload: Block, options: SignOptions = {}): Promise<Response> {
  const response = await postSigned(
    serverUrl, new URLSearchParams({ payload: JSON.stringify(payload) }).toString(),
    'application/x-www-form-urlencoded', options,
  )
  // Only a view submission gets an answer beyond the status.
  const answer = payload.type === 'view_submission' && response.ok ? await response.clone().text() : ''
  const mistakes = /^\{"/.test(answer) ? await undescribedAnswer(JSON.parse(answer) as Block) : []
  if (mistakes.length > 0) throw new Error(`Slack would not understand this answer: ${mistakes.join(' ')}`)
  return response
}

/**
 * Sends a typed command, as Slack posts it; resolves with the private answer.
 * https://docs.slack.dev/interactivity/implementing-slash-commands#app_command_handling
 */
export async function command(
  serverUrl: string, slack: Slack, text: string, { channel = CHANNEL, user = slack.reviewer } = {},
): Promise<Block> {
  const path = `/commands/T000000001/${randomUUID()}`
  const { status } = await postSigned(serverUrl, new URLSearchParams({
    command: '/forms', text, user_id: user.id, user_name: user.name, team_id: user.team_id, team_domain: 'test',
    channel_id: channel, channel_name: 'general', api_app_id: 'A000000001', is_enterprise_install: 'false',
    response_url: slack.url + path, trigger_id: randomUUID(),
  }).toString(), 'application/x-www-form-urlencoded', {})
  if (status !== 200) throw new Error(`The command was answered with ${status}.`)
  const answer = await until(`the answer to ${text}`, () => slack.requests.find(request => request.path === path))
  return JSON.parse(answer.body) as Block
}

/** Posts an event callback to the service, with a valid signature. */
export function sendEvent(serverUrl: string, payload: Block, options: SignOptions = {}): Promise<Response> {
  return postSigned(serverUrl, JSON.stringify(payload), 'application/json', options)
}

export interface SignOptions {
  secret?: string
  /** Epoch seconds */
  timestamp?: number
  platform?: string
  signature?: string | null
  /** True if the first answer counts, even "the bot is still starting". */
  isOnce?: boolean
}

function postSigned(
  serverUrl: string, body: string, contentType: string,
  { secret = SIGNING_SECRET, timestamp = Math.floor(Date.now() / 1000), platform = 'slack', signature, isOnce }:
  SignOptions,
): Promise<Response> {
  const signed = signature === undefined
    ? `v0=${createHmac('sha256', secret).update(`v0:${timestamp}:${body}`).digest('hex')}`
    : signature
  return post(`${serverUrl}/api/webhooks/${platform}`, {
    body,
    headers: {
      'content-type': contentType, 'x-slack-request-timestamp': String(timestamp),
      ...signed === null ? {} : { 'x-slack-signature': signed },
    },
  }, { isOnce })
}
