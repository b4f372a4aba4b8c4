import { afterEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, submit, submitForm } from '../support/deployment'
import { endAfterAll, endAfterTest, formsFile } from '../support/lifetime'
import { startServer } from '../support/server'
import {
  blockActions, BOT_TOKEN, CHANNEL, inChannel, interact, sendEvent, viewSubmission, type Block, type SlackMessage,
} from '../support/slack'
import { envelope, nextTs, postsIn, said } from '../support/slack-talk'
import { everythingIn } from '../support/redis-keys'
import { atHome, deployForWorkspaces, HOME, install, PARTNER, tokensOf } from '../support/slack-workspaces'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

/** Channel of PARTNER, which the Slack emulator creates as #random */
const THERE = 'C000000002'
const FORMS_CONFIG = formsFile({
  home: { name: 'Ours' }, partner: { name: 'Partner', channels: { slack: `${PARTNER}:${THERE}` } },
})
const d = endAfterAll(await deployForWorkspaces({ FORMS_CONFIG, CARD_INTERVAL_MS: '0' }))
afterEach(() => atHome(d.slack))

const send = (data: object, form = '/partner') => submitForm(d.server, data, form)

const cardOf = (id: string) => until(`the card of ${id}`, async () => (
  (await d.slack.messages(THERE)).find(({ blocks }) => JSON.stringify(blocks).includes(id))
))
const shown = async (card: SlackMessage) => blockText((await cardNow(d, card, THERE)).blocks)

/** A click in the channel of the other workspace */
function clickThere(card: SlackMessage, action: string, id: string, team = PARTNER, trigger?: string): Block {
  const payload = blockActions(card, action, id, d.slack.reviewer, trigger)
  return { ...inChannel(payload, THERE), team: { id: team, domain: 'x' } }
}

async function press(payload: Block): Promise<number> {
  const { status } = await interact(d.server.url, payload)
  await d.server.drain()
  return status
}

async function tell(event: Block, team = PARTNER): Promise<number> {
  const { status } = await sendEvent(d.server.url, { ...envelope({ ts: nextTs(), ...event }), team_id: team })
  await d.server.drain()
  return status
}

const isInstalled = async () => (
  [...(await everythingIn(d.redis.url)).keys()].some(key => key.includes(`slack:installation:${PARTNER}`))
)

describe('a card for a channel of another workspace', () => {
  it('goes out as soon as that has installed the app, with its token', async () => {
    const id = await send({ name: 'Ada' })
    await until('the reason', () => d.server.output().includes('has not installed the app. Open /api/slack/install.'))
    expect(tokensOf(d.slack, 'chat.postMessage', THERE)).toEqual([])
    await install(d)
    await cardOf(id)
    expect(tokensOf(d.slack, 'chat.postMessage', THERE)).toEqual([expect.stringMatching(/^xoxb-/)])
    expect(tokensOf(d.slack, 'chat.postMessage', THERE)).not.toContain(BOT_TOKEN)
  })

  it('is decided by a click there, and updated with the same token', async () => {
    const id = await send({ name: 'Grace' })
    const card = await cardOf(id)
    expect(await press(clickThere(card, 'forward', id))).toBe(200)
    expect(await shown(card)).toContain('Form Submission forwarded: Partner')
    const used = new Set([...tokensOf(d.slack, 'chat.postMessage', id), ...tokensOf(d.slack, 'chat.update', card.ts)])
    expect([...used]).toEqual([expect.stringMatching(/^xoxb-/)])
    expect(used).not.toContain(BOT_TOKEN)
    expect((await d.resend.emails()).filter(({ html }) => html.includes(id))).toHaveLength(1)
  })

  it('opens its edit form with the same token', async () => {
    const id = await send({ name: 'Joan' })
    const card = await cardOf(id)
    await press(clickThere(card, 'edit', id, PARTNER, await d.slack.trigger()))
    expect(tokensOf(d.slack, 'views.open', id)).toEqual(tokensOf(d.slack, 'chat.postMessage', id))
    expect(tokensOf(d.slack, 'views.open', id)).not.toContain(BOT_TOKEN)
    const view = d.slack.calls('views.open').at(-1)!.view as Block
    const input = (view.blocks as Block[]).find(({ type }) => type === 'input')!
    // Sent by a user of a third workspace, in a channel shared with it
    const form = { ...viewSubmission(
      { ...view, app_installed_team_id: PARTNER }, { [input.block_id]: 'Joan Clarke' }, d.slack.reviewer,
    ), team: { id: 'T0THIRD000' } }
    expect(await press(form)).toBe(200)
    expect(await shown(card)).toContain('Joan Clarke')
  })
})

describe('a click', () => {
  it.each(['forward', 'spam', 'edit'])('in one workspace (%s) does not count on a card of the other, though the ids of the channels are the same', async (action) => {
    const there = await send({ name: 'Theirs' })
    const { id: here, card } = await submit(d, { name: 'Ours' })
    const opened = d.slack.calls('views.open').length
    expect(await press(clickThere(await cardOf(there), action, there, HOME, await d.slack.trigger()))).toBe(200)
    const payload = blockActions(card, action, here, d.slack.reviewer, await d.slack.trigger())
    expect(await press({ ...payload, team: { id: PARTNER, domain: 'partner' } })).toBe(200)
    await until(
      'the log', () => [there, here].every(id => new RegExp(`"review.misplaced".*${id}`).test(d.server.output())),
    )
    expect(await shown(await cardOf(there))).toContain('New Form Submission')
    expect(
      blockText((await d.slack.messages()).find(({ ts }) => ts === card.ts)!.blocks),
    ).toContain('New Form Submission')
    const views = d.slack.calls('views.open').slice(opened).map(({ view }) => JSON.stringify(view))
    expect(views.filter(view => !view.includes('belongs to another channel'))).toEqual([])
  })
})

it('the bot converses in the other workspace, with its token', async () => {
  const [token] = tokensOf(d.slack, 'chat.postMessage', THERE)
  const answer = await postJson(
    `${d.slack.apiUrl}conversations.open`, { users: d.slack.reviewer.id }, { authorization: `Bearer ${token}` },
  )
  const { channel: { id: dm } } = await answer.json() as { channel: { id: string } }
  await tell(said(d.slack, 'status', nextTs(), { channel: dm }))
  expect(postsIn(d.slack, '', dm).map(({ blocks }) => blockText(blocks))).toEqual([
    expect.stringContaining('Connected: Slack'),
  ])
  expect(tokensOf(d.slack, 'chat.postMessage', dm)).toEqual([token])
})

describe('the first workspace', () => {
  it('keeps its own token', async () => {
    const { id, card } = await submit(d, { name: 'Home' })
    expect(
      await press({ ...blockActions(card, 'spam', id, d.slack.reviewer), team: { id: HOME, domain: 'home' } }),
    ).toBe(200)
    expect(blockText((await d.slack.messages()).find(({ ts }) => ts === card.ts)!.blocks)).toContain('spam')
    expect(
      new Set([...tokensOf(d.slack, 'chat.postMessage', CHANNEL), ...tokensOf(d.slack, 'chat.update', card.ts)]),
    ).toEqual(new Set([BOT_TOKEN]))
  })
})

it.each([
  [HOME, 'Ours', 'Partner'], [PARTNER, 'Partner', 'Ours'],
])('the App Home in the workspace %s shows what waits there (%s), and nothing of the other, where the same id is somebody else', async (team, own, other) => {
  for (const form of ['/home', '/partner']) await send({ name: 'Grace' }, form)
  await d.server.drain()
  const { fault, reviewer: { id }, dmChannel: channel } = d.slack
  // The emulator has only one workspace. Simulate a user of ours with the same id; both are in the partner's channel.
  d.slack.fault = (request) => {
    const isOurs = request.headers.authorization === `Bearer ${BOT_TOKEN}`
    const user = { id, team_id: isOurs ? HOME : PARTNER, real_name: 'Ada' }
    switch (request.path) {
      case '/api/conversations.members': return { status: 200, body: JSON.stringify({ ok: true, members: [id] }) }
      case '/api/users.info': return { status: 200, body: JSON.stringify({ ok: true, user }) }
      default: return fault(request)
    }
  }
  expect(await tell({ type: 'app_home_opened', user: id, channel, tab: 'home' }, team)).toBe(200)
  const { view } = d.slack.calls('views.publish').at(-1)!
  const home = blockText((view as { blocks: Block[] }).blocks)
  expect(home).toContain(own)
  expect(home).not.toContain(other)
})

describe('a process that does not know yet which workspace its token is of', () => {
  const asHome = (card: SlackMessage, id: string) => ({
    ...blockActions(card, 'spam', id, d.slack.reviewer), team: { id: HOME, domain: 'home' },
  })

  it('waits for Slack to say so, and acknowledges nothing while it does not', async () => {
    const { id, card } = await submit(d, { name: 'Early' })
    d.slack.fault = ({ path }) => path === '/api/auth.test' ? { status: 500 } : undefined
    const fresh = await startServer(d.env)
    expect((await interact(fresh.url, asHome(card, id))).status).toBe(500)
    await fresh.kill()
    atHome(d.slack)
    const next = endAfterTest(await startServer(d.env))
    expect((await interact(next.url, asHome(card, id))).status).toBe(200)
    await next.drain()
    expect(blockText((await d.slack.messages()).find(({ ts }) => ts === card.ts)!.blocks)).toContain('spam')
  })

  it('serves those that installed the app all the same', async () => {
    const id = await send({ name: 'Mary' })
    const card = await cardOf(id)
    d.slack.fault = ({ path }) => path === '/api/auth.test' ? { status: 500 } : undefined
    const fresh = endAfterTest(await startServer(d.env))
    expect((await interact(fresh.url, clickThere(card, 'spam', id))).status).toBe(200)
    await fresh.drain()
    expect(await shown(card)).toContain('spam')
  })
})

describe('a workspace that did not install the app', () => {
  it('is not listened to', async () => {
    const { id, card } = await submit(d, { name: 'Home' })
    expect(
      await press({ ...blockActions(card, 'spam', id, d.slack.reviewer), team: { id: 'T0STRANGER', domain: 'x' } }),
    ).toBe(200)
    expect(
      blockText((await d.slack.messages()).find(({ ts }) => ts === card.ts)!.blocks),
    ).toContain('New Form Submission')
    const before = d.slack.calls('chat.postMessage').length
    expect(await tell(said(d.slack, 'status', nextTs(), { channel: d.slack.dmChannel }), 'T0STRANGER')).toBe(200)
    expect(d.slack.calls('chat.postMessage')).toHaveLength(before)
  })
})

describe('a workspace that removes the app', () => {
  it('stays while only the tokens of people are revoked', async () => {
    await tell({ type: 'tokens_revoked', tokens: { oauth: ['U0SOMEBODY'], bot: [] } })
    expect(await isInstalled()).toBe(true)
  })

  it.each([
    { type: 'app_uninstalled' }, { type: 'tokens_revoked', tokens: { oauth: [], bot: ['U0BOT'] } },
  ])('is forgotten by $type', async (event) => {
    if (!await isInstalled()) await install(d)
    const id = await send({ name: 'Last' })
    const card = await cardOf(id)
    expect(await tell(event)).toBe(200)
    expect(await isInstalled()).toBe(false)
    const before = tokensOf(d.slack, 'chat.update', card.ts).length
    expect(await press(clickThere(card, 'forward', id))).toBe(200)
    expect(tokensOf(d.slack, 'chat.update', card.ts)).toHaveLength(before)
    expect((await d.resend.emails()).filter(({ html }) => html.includes(id))).toEqual([])
  })

  it('is forgotten when the store comes back, if it was away', async () => {
    if (!await isInstalled()) await install(d)
    d.redis.pause()
    try {
      expect(await tell({ type: 'app_uninstalled' })).toBeGreaterThanOrEqual(500)
    }
    finally {
      d.redis.resume()
    }
    // Slack resends events that were not acknowledged.
    await until('the store', async () => await tell({ type: 'app_uninstalled' }) === 200)
    expect(await isInstalled()).toBe(false)
  })
})
