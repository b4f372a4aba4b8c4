import { once } from 'node:events'
import { connect } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { adaptiveCardActions, adaptiveCardText, type Json } from '../support/adaptive-card'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, emailsAbout, failureOf, submit } from '../support/deployment'
import { startGoogleChat } from '../support/gchat'
import { googleButtons, googleCardText } from '../support/google-card'
import { endAfterAll } from '../support/lifetime'
import type { Fault, Proxy, Recorded } from '../support/proxy'
import { repointed } from '../support/repointed'
import { blockActions, interact, type SlackMessage } from '../support/slack'
import { startTeams, type TeamsMessage } from '../support/teams'
import { startTelegram, type TelegramMessage } from '../support/telegram'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const teams = endAfterAll(await startTeams())
const google = endAfterAll(await startGoogleChat())
const telegram = endAfterAll(await startTelegram())
const d = endAfterAll(await deploy({
  ...teams.env, ...google.env, ...telegram.env, ...repointed({ ...teams.hosts, ...google.hosts }),
}))

/** Returns an unsigned token of this issuer. */
function unsigned(iss: string): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url')
  return `${part({ alg: 'RS256', kid: 'x' })}.${part({ iss, exp: 4_000_000_000 })}.x`
}

const FORM = { name: 'Ada Lovelace', message: 'Two engines,\nplease.' }

interface Cards {
  id: string
  slack: SlackMessage
  teams: TeamsMessage
  google: Json
  telegram: TelegramMessage
}

async function submitToAll(data: object = FORM): Promise<Cards> {
  const { id, card } = await submit(d, data)
  const [onTeams, onGoogle, onTelegram] = await Promise.all([
    until('the card on Teams', () => teams.cardOf(id)), until('the card on Google Chat', () => google.cardOf(id)),
    until('the card on Telegram', () => telegram.cardOf(id)),
  ])
  return { id, slack: card, teams: onTeams, google: { ...onGoogle }, telegram: onTelegram }
}

/** Returns the current card in each room, without invisible joiners. */
async function shown(cards: Cards): Promise<Record<
  | 'slack'
  | 'teams'
  | 'google'
  | 'telegram', { text: string, buttons: number }>> {
  const slack = await cardNow(d, cards.slack)
  const onTeams = teams.messages().find(({ id }) => id === cards.teams.id)!
  const onGoogle = google.messages().find(({ name }) => name === cards.google.name)!
  const onTelegram = telegram.messages().find(({ id }) => id === cards.telegram.id)!
  return {
    slack: { text: blockText(slack.blocks), buttons: slack.blocks.filter(({ type }) => type === 'actions').length },
    teams: {
      text: adaptiveCardText(onTeams.card).replaceAll('\u2060', ''), buttons: adaptiveCardActions(onTeams.card).length,
    },
    google: { text: googleCardText(onGoogle).text, buttons: googleButtons(onGoogle).length },
    telegram: { text: onTelegram.text.replaceAll('\u2060', ''), buttons: onTelegram.keyboard.length },
  }
}

/** Waits until no room shows buttons any more; returns the card texts. */
async function closed(cards: Cards): Promise<string[]> {
  await until('every card closed', async () => Object.values(await shown(cards)).every(({ buttons }) => buttons === 0))
  await d.server.drain()
  return Object.values(await shown(cards)).map(({ text }) => text)
}

const deliveriesOf = (id: string) => (
  d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))
)

it('a platform that does not answer at the start holds up no other', async () => {
  const gate = Promise.withResolvers<undefined>()
  telegram.fault = ({ path }) => path.endsWith('/getMe') ? { hold: gate.promise } : undefined
  const { id, card } = await submit(d, FORM)
  const response = await click(d, card, 'spam', id)
  expect(response.status).toBe(200)
  await until('the card closed', async () => !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions'))
  gate.resolve(undefined)
  telegram.fault = () => undefined
})

describe('a submission in four rooms', () => {
  it('has a card in each that shows the form as it was typed', async () => {
    const value = '<!channel> @everyone <users/all> **bold** [bank](https://evil.example) {{DATE(1,SHORT)}} <b>&amp;</b> #tag'
    const cards = await submitToAll({ value })
    for (const { text, buttons } of Object.values(await shown(cards))) {
      expect(text).toContain(value)
      expect(buttons).toBeGreaterThan(1)
    }
  })

  it('decided on Teams is closed in all of them, each of which names Teams', async () => {
    const cards = await submitToAll()
    expect((await teams.click(d.server.url, cards.teams, 'Forward Submission')).status).toBe(200)
    for (const text of await closed(cards)) expect(text).toContain('Forwarded by Ada Lovelace on Teams')
    expect(emailsAbout(d, cards.id)).toHaveLength(1)
    expect(deliveriesOf(cards.id)).toHaveLength(1)
  })

  it('edited in the dialog of Teams shows in all of them what was changed', async () => {
    const cards = await submitToAll()
    const { task } = await (await teams.click(d.server.url, cards.teams, 'Edit & Forward')).json() as Json
    expect((await teams.submit(d.server.url, task.value.card.content, { f0: 'Grace Hopper' })).status).toBe(200)
    for (const text of await closed(cards)) {
      expect(text).toContain('Edited and forwarded by Ada Lovelace on Teams')
      expect(text).toContain('Grace Hopper')
    }
    expect(JSON.parse(deliveriesOf(cards.id)[0]!.body)).toEqual({ ...FORM, name: 'Grace Hopper' })
  })

  it.each([
    ['Google Chat', (cards: Cards) => google.click(d.server.url, cards.google, 'Mark as Spam')],
    ['Telegram', (cards: Cards) => telegram.click(d.server.url, cards.telegram, 'Mark as Spam')],
    ['Teams', (cards: Cards) => teams.click(d.server.url, cards.teams, 'Mark as Spam')],
    ['Slack', (cards: Cards) => click(d, cards.slack, 'spam', cards.id)],
  ] as const)('marked as spam on %s loses its data in all of them', async (label, decide) => {
    const cards = await submitToAll()
    expect((await decide(cards)).status).toBe(200)
    for (const text of await closed(cards)) {
      expect(text).toContain(`Marked as spam by Ada Lovelace on ${label}`)
      expect(text).not.toContain('Two engines')
    }
  })

  it('clicked in all of them at once is one decision, and the losers\' clicks are answered', async () => {
    const cards = await submitToAll()
    const answers = await Promise.all(Array.from({ length: 24 }, (_, index) => [
      () => interact(d.server.url, blockActions(cards.slack, 'forward', cards.id, d.slack.reviewer)),
      () => teams.click(d.server.url, cards.teams, 'Mark as Spam'),
      () => google.click(d.server.url, cards.google, 'Forward Submission'),
      () => telegram.click(d.server.url, cards.telegram, 'Mark as Spam'),
    ][index % 4]!()))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    await d.server.drain()
    const claims = d.server.output().split('\n').filter(line => line.includes('submission.claimed')
      && line.includes(cards.id))
    expect(claims).toHaveLength(1)
    expect(emailsAbout(d, cards.id)).toHaveLength(claims[0]!.includes('"spam"') ? 0 : 1)
    await closed(cards)
  })
})

describe('a room that refuses', () => {
  afterEach(() => { for (const double of [teams, google, telegram]) double.fault = () => undefined })
  const retry = { 'retry-after': '1' }

  it.each<[string, Proxy, RegExp, Fault]>([
    ['Teams', teams, /\/activities$/, { status: 429, headers: retry }],
    ['Google Chat', google, /\/messages\b/, {
      status: 429, headers: retry, body: '{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}',
    }],
    ['Telegram', telegram, /\/sendMessage$/, { status: 429, body: JSON.stringify({
      ok: false, error_code: 429, description: 'Too Many Requests: retry after 1', parameters: { retry_after: 1 },
    }) }],
  ])('a card because there are too many (%s) is asked again when it says so', async (_, double, path, fault) => {
    const isPost = (request: Recorded) => request.method === 'POST' && path.test(request.path)
    let refused = 0
    double.fault = request => isPost(request) && refused++ === 0 ? fault : undefined
    const before = double.requests.length
    await submitToAll({ name: 'patient' })
    const [first, second] = double.requests.slice(before).filter(isPost)
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
  })

  const onTelegram = (code: number, description: string, parameters?: object): [string, Proxy, RegExp, Fault] => [
    'Telegram', telegram, /^POST .*\/editMessageText$/,
    { status: code, body: JSON.stringify({ ok: false, error_code: code, description, parameters }) },
  ]
  it.each<[platform: string, double: Proxy, edit: RegExp, fault: Fault, says: string]>([
    [
      'Teams', teams, /^PUT /, { status: 403, body: '{"error":{"code":"BotNotInConversationRoster"}}' },
      '403 BotNotInConversationRoster. Add the app to the team of TEAMS_CHANNEL_ID.',
    ],
    [
      'Google Chat', google, /^PATCH /, { status: 403, body: '{"error":{"code":403,"status":"PERMISSION_DENIED"}}' },
      '403 PERMISSION_DENIED. Add the Chat app to the space of GOOGLE_CHAT_SPACE, and check that GOOGLE_CHAT_CREDENTIALS are of its project.',
    ],
    [
      'Google Chat', google, /^PATCH /, { status: 404, body: '{"error":{"code":404,"status":"NOT_FOUND"}}' },
      '404 NOT_FOUND.',
    ],
    [
      ...onTelegram(403, 'Forbidden: bot was kicked from the supergroup chat'),
      '403. Add the bot to the group of TELEGRAM_CHAT_ID, and let it write there.',
    ],
    [...onTelegram(400, 'Bad Request: message to edit not found'), '400. The card was deleted.'],
    [
      ...onTelegram(
        400, 'Bad Request: group chat was upgraded to a supergroup chat', { migrate_to_chat_id: -100777 },
      ), '400. The group has become a supergroup: change TELEGRAM_CHAT_ID to -100777.',
    ],
  ])('an edit (%s) is asked again, and the log says what to check', async (platform, double, edit, fault, says) => {
    const cards = await submitToAll({ name: 'unwelcome' })
    double.fault = ({ method, path }) => edit.test(`${method} ${path}`) ? fault : undefined
    await click(d, cards.slack, 'spam', cards.id)
    expect(failureOf(d, cards.id, `${platform} answered ${says}`)).toMatchObject({ work: 'update', again: true })
  })
})

it.each([
  ['teams', {}], ['gchat', {}], ['telegram', {}],
  ['teams', { authorization: 'Bearer x' }], ['gchat', { authorization: 'Bearer x' }],
  ['teams', { authorization: `Bearer ${unsigned('https://api.botframework.com')}` }],
  ['gchat', { authorization: `Bearer ${unsigned('https://accounts.google.com')}` }],
  ['telegram', { 'x-telegram-bot-api-secret-token': 'wrong' }],
])('a webhook of %s with the headers %o is refused before its body is there', async (platform, headers) => {
  const { hostname, port } = new URL(d.server.url)
  const socket = connect(Number(port), hostname)
  const lines = Object.entries({
    'host': 'x', 'content-type': 'application/json', 'content-length': 250_000, ...headers,
  })
  socket.write([
    `POST /api/webhooks/${platform} HTTP/1.1`, ...lines.map(line => line.join(': ')), '', '['.repeat(100_000),
  ].join('\r\n'))
  const [answer] = await once(socket, 'data') as [Buffer]
  expect(answer.toString()).toMatch(/^HTTP\/1\.1 401 /)
  socket.destroy()
})

it.each([
  ['slack', 1024], ['teams', 256], ['gchat', 256], ['telegram', 1024],
])('a webhook of %s has at most %i KiB', async (platform, kib) => {
  const signed = { 'x-telegram-bot-api-secret-token': telegram.env.TELEGRAM_WEBHOOK_SECRET_TOKEN! }
  const post = (bytes: number) => postJson(`${d.server.url}/api/webhooks/${platform}`, 'x'.repeat(bytes), signed)
  const statuses = [(await post(kib * 1024)).status, (await post(kib * 1024 + 1)).status]
  expect(statuses).toEqual(platform === 'slack' ? [401, 413] : platform === 'telegram' ? [400, 413] : [401, 401])
})

it('the webhook of a platform that is not set up is unknown', async () => {
  const response = await fetch(`${d.server.url}/api/webhooks/discord`, { method: 'POST', body: '{}' })
  expect([response.status, await response.json()]).toEqual([
    404, { error: 'Unknown platform: discord', message: 'Unknown platform: discord' },
  ])
})
