import { randomUUID } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { answerOf, cardNow, cardOf, deploy, emailsAbout, serveAlso, submit, submitForm } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { blockActions, interact, viewSubmission, type Block, type SlackMessage } from '../support/slack'
import { APP_TOKEN } from '../support/slack-socket'
import { envelope, nextTs, postsIn, said } from '../support/slack-talk'
import { until } from '../support/until'
import { PASSWORD, visit } from '../support/visitor'
import type { Setup } from '../../shared/types/setup'
import type { StatusReport } from '../../shared/types/status'

/** Slack by a socket alone: there is no public URL, and nothing with which a webhook could be verified. */
const BY_SOCKET = { CHAT_APP_TOKEN: APP_TOKEN, CHAT_SIGNING_SECRET: '', NUXT_PUBLIC_SITE_URL: '' }
const CUTS = 100

// A killed listener blocks the next one for half of LEASE_MS.
const d = endAfterAll(await deploy({ ...BY_SOCKET, LEASE_MS: '4000', FORMS_CONFIG: formsFile({
  orders: { name: 'Orders', fields: { name: 'Name', seats: { label: 'Seats', type: 'integer', max: 9 } } },
}) }))
const { sockets } = d.slack
await until('the socket', () => sockets.live() === 1)
beforeEach(() => { sockets.patienceMs = 3000 })

const press = (card: SlackMessage, action: string, id: string, trigger?: string) => sockets.deliver(
  'interactive', blockActions(card, action, id, d.slack.reviewer, trigger),
)

/** Mentions the bot; resolves with the message's timestamp once both events are acknowledged. */
async function mention(text: string): Promise<string> {
  const ts = nextTs()
  const message = said(d.slack, `<@${d.slack.botId}> ${text}`, ts)
  await Promise.all([message, { ...message, type: 'app_mention' }].map(event => (
    sockets.deliver('events_api', envelope(event))
  )))
  return ts
}

/** Types a command; resolves with the path that takes the answer. */
async function command(text: string): Promise<string> {
  const id = randomUUID()
  const path = `/commands/T000000001/${id}`
  await sockets.deliver('slash_commands', {
    command: '/forms', text, user_id: d.slack.reviewer.id, user_name: 'ada', team_id: 'T000000001',
    team_domain: 'test', channel_id: 'C000000001', channel_name: 'general', api_app_id: 'A000000001',
    is_enterprise_install: 'false', response_url: d.slack.url + path, trigger_id: id,
  })
  return path
}

const answersTo = (path: string) => d.slack.requests.filter(request => request.path === path)
const closed = (card: SlackMessage) => until('the card closed', async () => (
  !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions')
))
const gateway = async (server = d.server) => {
  const ada = visit(server)
  await ada.signIn(PASSWORD)
  return (await (await ada.get('/api/status')).json() as StatusReport).gateways[0]!
}

describe('a service without a public URL', () => {
  it('gets clicks: one on Forward sends the email', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    await press(card, 'forward', id)
    await closed(card)
    await d.server.drain()
    expect(emailsAbout(d, id)).toHaveLength(1)
  })

  it('opens the edit form, shows what is wrong in the form, and takes in the corrected one', async () => {
    const { id, card } = await submit(d, { name: 'Ada', seats: 2 }, '/orders')
    await press(card, 'edit', id, await d.slack.trigger())
    const { view } = await until('the form', () => d.slack.calls('views.open')[0]) as { view: Block }
    const submitted = (values: Record<string, string>) => sockets.deliver(
      'interactive', viewSubmission(view, values, d.slack.reviewer),
    )
    expect(await submitted({ f1: '10' })).toEqual({ response_action: 'errors', errors: { f1: 'At most 9, please.' } })
    expect(await submitted({ f1: '9' })).toEqual({})
    await closed(card)
    await d.server.drain()
    expect(d.endpoint.requests.map(({ body }) => body)).toContainEqual(expect.stringContaining('9'))
  })

  it('answers a message once, and a typed command only to the person who typed it', async () => {
    const thread = await mention('hi')
    await until('the welcome', () => postsIn(d.slack, thread).length > 0)
    const path = await command('list')
    await until('the answer', () => answersTo(path).length > 0)
    await d.server.drain()
    expect(postsIn(d.slack, thread).map(({ blocks }) => blockText(blocks as Block[]))).toEqual([
      expect.stringContaining('Hello Ada Lovelace'),
    ])
  })

  it('accepts no webhook, however it is signed', async () => {
    const { id, card } = await submit(d, { name: 'Ada' })
    const payload = blockActions(card, 'forward', id, d.slack.reviewer)
    for (const options of [{}, { secret: '' }, { secret: 'undefined' }, { secret: APP_TOKEN }, { signature: null }]) {
      expect((await interact(d.server.url, payload, options)).status).toBe(401)
    }
    await d.server.drain()
    expect(emailsAbout(d, id)).toEqual([])
  })

  it('says on the status page who listens and since when, and has a manifest with the socket', async () => {
    const { status, ...about } = await until('the connection', async () => {
      const found = await gateway()
      return found.status?.connectedSince && found
    })
    const visitor = visit(d.server)
    await visitor.signIn(PASSWORD)
    expect(about).toEqual({ platform: 'slack', label: 'Slack', outgoing: 'socket' })
    expect(status).toMatchObject({ owner: expect.stringContaining(`:${d.server.pid}`) as string, refusal: null })
    const { platforms, needsSiteUrl } = await (await visitor.get('/api/setup')).json() as Setup
    expect(needsSiteUrl).toBe(false)
    expect(platforms.find(({ key }) => key === 'slack')!.required).toEqual([
      'CHAT_BOT_TOKEN', 'CHAT_APP_TOKEN', 'CHAT_CHANNEL_ID',
    ])
    const manifest = await (await fetch(`${d.server.url}/api/slack/manifest`)).json() as Block
    expect([manifest.settings.socket_mode_enabled, JSON.stringify(manifest).includes('url')]).toEqual([true, false])
  })

  it('acknowledges at once: Slack waits for no work', () => {
    const sorted = sockets.latencies.toSorted((a, b) => a - b)
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThan(200)
    expect(sockets.repeated).toBe(0)
  })
})

describe('when a socket ends', () => {
  it('after Slack announced it, the next one was open before', async () => {
    const opened = sockets.opened
    sockets.refresh(10_000)
    await until('the next socket', () => sockets.opened > opened && sockets.live() === 1)
    expect(sockets.overlaps.at(-1)).toBe(2)
  })

  it(`${CUTS} times at full speed, every click and every message still counts exactly once`, async () => {
    sockets.patienceMs = 1000
    const ids: string[] = []
    const cards: SlackMessage[] = []
    for (let i = 0; i < CUTS / 2; i++) ids.push(await submitForm(d.server, { name: `Ada ${i}` }))
    for (const id of ids) cards.push(await cardOf(d, id))
    const before = sockets.opened
    const [threads, commands]: string[][] = [[], []]
    for (let cut = 0; cut < CUTS; cut++) {
      // Cut before the envelope arrives, after it arrived, or when its acknowledgement is on the way.
      if (cut % 3 === 2) sockets.losing = 1
      const index = cut >> 1
      const sent = cut % 2 === 0
        ? press(cards[index]!, 'forward', ids[index]!)
        : cut % 4 === 1
          ? mention('status').then(ts => threads!.push(ts))
          : command('help').then(path => commands!.push(path))
      if (cut % 3 === 1) await new Promise(resolve => setImmediate(resolve))
      if (cut % 3 !== 2) sockets.cut()
      await sent
    }
    expect(sockets.opened - before).toBeGreaterThanOrEqual(CUTS)
    for (const card of cards) await closed(card)
    const answers = () => [
      ...threads!.map(thread => postsIn(d.slack, thread).length), ...commands!.map(path => answersTo(path).length),
    ]
    await until('all answers', () => answers().every(count => count > 0))
    await d.server.drain()
    expect(ids.map(id => emailsAbout(d, id).length)).toEqual(ids.map(() => 1))
    expect(answers()).toEqual(Array.from({ length: CUTS / 2 }, () => 1))
  })
})

describe('of two replicas', () => {
  it('one has the socket; when it is killed, the other one gets what Slack sends again, once', async () => {
    const other = await serveAlso(d, {})
    const { id, card } = await submit(d, { name: 'Ada' })
    expect(sockets.live()).toBe(1)
    sockets.patienceMs = 200
    const sent = [press(card, 'forward', id), mention('status')] as const
    await d.server.kill()
    const thread = (await Promise.all(sent))[1]
    await until('the email', () => emailsAbout(d, id).length > 0)
    await until('the answer', () => postsIn(d.slack, thread).length > 0)
    await other.drain()
    expect([emailsAbout(d, id).length, postsIn(d.slack, thread).length, sockets.live()]).toEqual([1, 1, 1])
    expect((await gateway(other)).status?.owner).toContain(`:${other.pid}`)
  })
})

describe('a token or an app that Slack refuses', () => {
  it.each([
    ['a wrong token', { CHAT_APP_TOKEN: 'xapp-1-A000000002-1-wrong' }, true, 'Check CHAT_APP_TOKEN'],
    ['a bot token', { CHAT_APP_TOKEN: 'xoxb-local-test' }, true, 'Check CHAT_APP_TOKEN'],
    ['Socket Mode off', { CHAT_APP_TOKEN: APP_TOKEN }, false, 'Switch Socket Mode on'],
  ])('is named with what to change: %s', async (_, env, enabled, advice) => {
    const refused = endAfterAll(await deploy({ ...BY_SOCKET, ...env, SLACK_API_URL: d.slack.apiUrl }))
    d.slack.sockets.enabled = enabled
    const { status } = await until('the refusal', async () => {
      const found = await gateway(refused.server)
      return found.status?.refusal && found
    })
    expect(status!.refusal).toContain(advice)
    expect((await answerOf(refused.server)).status).toBe(200)
  })
})
