import { beforeEach, describe, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { blockText } from '../support/block-kit'
import {
  cardNow, click, deploy, emailsAbout, introduce, openEdit, sendForm, submit, submitEdit,
} from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import type { Answer, DiscordMessage } from '../support/discord/types'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { blockActions, interact, viewSubmission } from '../support/slack'
import { until } from '../support/until'

const discord = endAfterAll(await startDiscord({ answerWithinMs: 3000 }))
const d = endAfterAll(await deploy({ ...discord.env, RETRY_BASE_MS: '4000' }))
await introduce(d)
const webhook = `${d.server.url}/api/webhooks/discord`
beforeEach(() => {
  discord.fault = () => undefined
  d.slack.fault = () => undefined
})

const FORM = { name: 'Ada Lovelace', email: 'ada@example.com', message: 'Two engines,\nplease.', quantity: 2 }
const deliveriesOf = (id: string) => (
  d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))
)

/** Sends a form; returns its cards in both rooms. */
async function submitToBoth(data: object = FORM) {
  const { id, card } = await submit(d, data)
  const message = await until('the Discord card', () => discord.cardOf(id))
  return { id, card, message }
}

const onDiscord = ({ id }: DiscordMessage) => discord.messages().find(message => message.id === id)!
const shownOnDiscord = (message: DiscordMessage) => JSON.stringify(onDiscord(message).embeds).replaceAll('\\\\', '')

/** Waits less than any retry takes: an email attempt ends after 15 s, a lease after 30 s. */
async function soon(what: string, probe: () => boolean | Promise<boolean>): Promise<void> {
  await until(what, probe, 10_000)
}

describe('a submission in both rooms', () => {
  it('has a card in each, with the same fields and buttons', async () => {
    const { id, card, message } = await submitToBoth()
    expect(blockText(card.blocks)).toContain('Two engines,\nplease.')
    expect(shownOnDiscord(message)).toContain('Ada Lovelace')
    expect(message.components.map(({ components }) => (
      components as { label: string, custom_id: string }[]
    ).map(({ label, custom_id }) => [label, custom_id]))).toEqual([
      [['Forward Submission', buttonOf('forward', id)], ['Edit & Forward', buttonOf('edit', id)]],
      [['Mark as Spam', buttonOf('spam', id)]],
    ])
  })

  it('forwarded on Slack is closed on Discord without a sweep, which names the other room', async () => {
    const { id, card, message } = await submitToBoth()
    await click(d, card, 'forward', id)
    await soon('the Discord card closed', () => onDiscord(message).components.length === 0)
    expect(shownOnDiscord(message)).toContain('Forwarded by Ada Lovelace on Slack')
    expect(emailsAbout(d, id)).toHaveLength(1)
  })

  it('forwarded on Discord is closed on Slack without a sweep, which names the other room', async () => {
    const { id, card, message } = await submitToBoth()
    const answer = await discord.click(webhook, message, buttonOf('forward', id))
    expect(answer).toMatchObject({ status: 200, body: { type: 6 } })
    await soon(
      'the Slack card closed', async () => !(await cardNow(d, card)).blocks.some(({ type }) => type === 'actions'),
    )
    expect(blockText((await cardNow(d, card)).blocks)).toContain('Forwarded by Ada Lovelace on Discord')
    expect(emailsAbout(d, id)).toHaveLength(1)
    expect(deliveriesOf(id)).toHaveLength(1)
  })

  it('marked as spam on Discord loses its data in both', async () => {
    const { id, card, message } = await submitToBoth()
    await discord.click(webhook, message, buttonOf('spam', id))
    await soon(
      'the Slack card',
      async () => blockText((await cardNow(d, card)).blocks).includes('Marked as spam by Ada Lovelace on Discord'),
    )
    await d.server.drain()
    expect(blockText((await cardNow(d, card)).blocks)).not.toContain('Two engines')
    expect(shownOnDiscord(message)).not.toContain('Two engines')
  })

  it('edited and forwarded on Discord shows in both what was changed', async () => {
    const { id, card, message } = await submitToBoth()
    const { opened } = await discord.click(webhook, message, buttonOf('edit', id))
    const answer = await discord.submitModal(webhook, opened!, { i0: 'Grace Hopper' })
    expect(answer.status).toBe(200)
    await soon('the Slack card', async () => (
      blockText((await cardNow(d, card)).blocks).includes('Edited and forwarded by Ada Lovelace on Discord')
    ))
    await d.server.drain()
    expect(blockText((await cardNow(d, card)).blocks)).toContain('Edited: name')
    expect(shownOnDiscord(message)).toContain('Grace Hopper')
    expect(JSON.parse(deliveriesOf(id)[0]!.body)).toEqual({ ...FORM, name: 'Grace Hopper' })
  })

  it('edited and forwarded on Slack shows in both what was changed', async () => {
    const { id, card, message } = await submitToBoth()
    await submitEdit(d, await openEdit(d, card, id), { f0: 'Grace Hopper' })
    await soon(
      'the Discord card', () => shownOnDiscord(message).includes('Edited and forwarded by Ada Lovelace on Slack'),
    )
    expect(shownOnDiscord(message)).toContain('Edited: name')
  })

  it('clicked fifty times at once in both rooms is one decision', async () => {
    const { id, card, message } = await submitToBoth()
    const view = await openEdit(d, card, id)
    const clicks = Array.from({ length: 50 }, (_, index): Promise<Response | Answer> => {
      if (index % 4 === 0) return interact(d.server.url, blockActions(card, 'spam', id, d.slack.reviewer))
      if (index % 4 === 1) return discord.click(webhook, message, buttonOf('forward', id))
      if (index % 4 === 2) return discord.click(webhook, message, buttonOf('spam', id))
      return interact(d.server.url, viewSubmission(view, { f0: `Edit ${index}` }, d.slack.reviewer))
    })
    const answers = await Promise.all(clicks)
    await d.server.drain()
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    const claims = d.server.output().split('\n').filter(line => (
      line.includes('submission.claimed') && line.includes(id)
    ))
    expect(claims).toHaveLength(1)
    expect(emailsAbout(d, id)).toHaveLength(claims[0]!.includes('"spam"') ? 0 : 1)
    expect(onDiscord(message).components).toEqual([])
    expect((await cardNow(d, card)).blocks.some(({ type }) => type === 'actions')).toBe(false)
  })
})

describe('a room that is behind', () => {
  it('being down does not hold up the other, and gets its card later', async () => {
    discord.fault = ({ method }) => method === 'POST' ? { status: 503 } : undefined
    const { card, id } = await submit(d, { name: 'patient' })
    expect(card).toBeTruthy()
    discord.fault = () => undefined
    await until('the Discord card', () => discord.cardOf(id))
  })

  it('with 429 waits for Retry-After', async () => {
    const before = discord.requests.length
    let refused = 0
    discord.fault = ({ method, path }) => method === 'POST' && path.endsWith('/messages') && refused++ === 0
      ? {
          status: 429, headers: { 'retry-after': '1' },
          body: '{"retry_after":1,"global":false,"message":"You are being rate limited."}',
        }
      : undefined
    const response = await sendForm(d.server, { name: 'limited' })
    const { submissionId } = await response.json() as { submissionId: string }
    await until('the Discord card', () => discord.cardOf(submissionId))
    const [first, second] = discord.requests.slice(before).filter(({ method, path, body }) => method === 'POST'
      && path.endsWith('/messages') && body.includes(submissionId))
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
  })

  it('whose stale card is clicked decides nothing: the click refreshes the card', async () => {
    const { id, card, message } = await submitToBoth()
    const gate = Promise.withResolvers<undefined>()
    let held = 0
    // The first edit of the Discord card fails, so its buttons are still there to be clicked.
    discord.fault = ({ method }) => method === 'PATCH' && held++ === 0
      ? { status: 503, headers: { 'retry-after': '60' } }
      : undefined
    d.resend.fault = () => ({ hold: gate.promise })
    await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
    const store = new RedisStore(await connectRedis(d.redis.url), storeRules)
    await until('the failed edit written down', async () => (
      (await store.get(id))!.work.some(({ kind, attempts }) => kind === 'update' && attempts > 0)
    ))
    await store.close()
    await discord.click(webhook, message, buttonOf('spam', id))
    // Discord asked to wait a minute before the failed edit is retried.
    await soon('the Discord card closed', () => onDiscord(message).components.length === 0)
    expect(shownOnDiscord(message)).toContain('Forwarded by Ada Lovelace on Slack')
    d.resend.fault = () => undefined
    gate.resolve(undefined)
    await d.server.drain()
    expect(emailsAbout(d, id)).toHaveLength(1)
  })
})

describe('Discord\'s interactions endpoint', () => {
  it('answers a signed PING with PONG', async () => {
    expect(await discord.ping(webhook)).toMatchObject({ status: 200, body: { type: 1 } })
  })

  it.each([
    ['a bad signature', { headers: { 'x-signature-ed25519': '00'.repeat(64) } }],
    ['no signature', { headers: { 'x-signature-ed25519': undefined } }],
    ['a stale timestamp', { timestamp: Math.floor(Date.now() / 1000) - 3600 }],
    ['a changed body', { tamper: (body: string) => body.replace('spam', 'forward') }],
  ])('answers %s with 401 and does nothing', async (_, options) => {
    const { id, message } = await submitToBoth()
    expect((await discord.click(webhook, message, buttonOf('spam', id), options)).status).toBe(401)
    await d.server.drain()
    expect(onDiscord(message).components).toHaveLength(2)
  })

  it('answers a forged gateway token with 401', async () => {
    const response = await fetch(webhook, {
      method: 'POST', headers: { 'x-discord-gateway-token': `${discord.botToken}x` },
      body: '{"type":"GATEWAY_MESSAGE_CREATE","timestamp":0,"data":{}}',
    })
    expect(response.status).toBe(401)
  })
})
