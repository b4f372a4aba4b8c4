import { afterEach, describe, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import type { Submission } from '../../server/ports/submission'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, submit, submitEdit } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { emailOf, forward, MAIL_SECRET, mailEvent, noMailbox, send, tell } from '../support/mail-events'
import type { Block, SlackMessage } from '../support/slack'
import { startServer } from '../support/server'
import { until } from '../support/until'

const FORM = { name: 'Ada Lovelace', message: 'Two engines, please.' }
const MINUTE_MS = 60_000
const METRICS_TOKEN = 'a-token-of-some-length'
const discord = endAfterAll(await startDiscord())
const d = endAfterAll(await deploy({
  NODE_ENV: 'development', MAIL_WEBHOOK_SECRET: MAIL_SECRET, METRICS_TOKEN, ...discord.env,
}))
const store = endAfterAll(new RedisStore(await connectRedis(d.redis.url), storeRules))
afterEach(() => { d.slack.fault = d.resend.fault = () => undefined })

interface Forwarded {
  id: string
  card: SlackMessage
  /** Message id of the card on Discord */
  message: string
  /** Resend's id of the email */
  email: string
}

/** Sends and forwards a form, with cards in both rooms. */
async function forwarded(): Promise<Forwarded> {
  const found = await forward(d, store, FORM)
  const { cards } = (await store.get(found.id))!
  return { ...found, message: cards.find(({ platform }) => platform === 'discord')!.messageId }
}

const onSlack = async (card: SlackMessage) => blockText((await cardNow(d, card)).blocks)
const onDiscord = (message: string) => JSON.stringify(discord.messages().find(({ id }) => id === message))
const buttons = async (card: SlackMessage) => (await cardNow(d, card)).blocks.flatMap(({ type, elements }) => (
  type === 'actions' ? (elements as Block[]).map(({ action_id }) => String(action_id)) : []
))
const repliesTo = ({ ts }: SlackMessage) => (
  d.slack.calls('chat.postMessage').filter(({ thread_ts }) => thread_ts === ts).map(({ blocks }) => blockText(blocks))
)
const editsOf = ({ ts }: SlackMessage) => d.slack.calls('chat.update').filter(call => call.ts === ts).length
const emailsAbout = async (id: string) => (await d.resend.emails()).filter(({ html }) => html.includes(id))

/** Moves all timestamps of the submission back by `ms`. */
async function age(id: string, ms: number): Promise<void> {
  const now = (await store.get(id))!
  const old: Submission = {
    ...now, version: now.version + 1, keptUntil: now.keptUntil && now.keptUntil - ms,
    decision: now.decision && { ...now.decision, at: now.decision.at - ms },
  }
  expect(await store.replace(now, old)).not.toBeNull()
}

describe('an email that comes back', () => {
  it('30 minutes later opens both cards again, and is sent to another address', async () => {
    const { id, card, message, email } = await forwarded()
    await age(id, 30 * MINUTE_MS)
    await tell(d, mailEvent('delivery_delayed', id, email))
    expect(await onSlack(card)).toContain('Email: Delivery delayed')
    expect((await tell(d, mailEvent('bounced', id, email, noMailbox))).status).toBe(200)
    for (const shown of [await onSlack(card), onDiscord(message)]) {
      expect(shown).toContain('Email failed: Bounced: mailbox does not exist.')
      expect(shown).toContain('Two engines, please.')
      expect(shown).toContain('Send again')
    }
    expect(await buttons(card)).toEqual(['send_again', 'edit', 'spam'])
    const page = await (await fetch(`${d.server.url}/api/submissions/${id}`)).json()
    expect(page).toMatchObject({ open: true, sendAgain: 'triage@example.com', state: 'failed' })

    await click(d, card, 'send_again', id)
    const view = d.slack.calls('views.open').at(-1)!.view as Block
    expect(JSON.stringify(view)).toContain('triage@example.com')
    expect(await submitEdit(d, view, { to: 'nobody' })).toMatchObject({ response_action: 'errors' })
    expect(await submitEdit(d, view, { to: 'grace@example.com' })).toEqual({})
    await until('it is sent', async () => (await emailsAbout(id)).length === 2)
    const again = (await emailsAbout(id)).find(({ to }) => to.includes('grace@example.com'))!
    expect(again.text).not.toContain('corrects')
    await until('both cards follow', async () => (await store.get(id))?.work.length === 0)
    expect(await onSlack(card)).toContain('grace@example.com')
    expect(d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))).toHaveLength(1)
    await tell(d, mailEvent('delivered', id, await emailOf(store, id)))
    expect(await onSlack(card)).toContain('Email: Delivered')
    // An event about the first email no longer changes anything.
    await tell(d, mailEvent('complained', id, email))
    expect(await onSlack(card)).toContain('Email: Delivered')
  })

  it('when the form is gone is told of in the threads, and no card loses what it shows', async () => {
    const { id, card, message, email } = await forwarded()
    await age(id, 60 * MINUTE_MS)
    await until('only the trace', async () => isOver((await store.get(id))!))
    const edits = editsOf(card)
    const hostile = { bounce: { message: 'No <!channel> *here* @everyone', subType: 'General', type: 'Permanent' } }
    expect((await tell(d, mailEvent('bounced', id, email, hostile))).status).toBe(200)
    expect(repliesTo(card)).toEqual([expect.stringMatching(/^Email to triage@example.com: Bounced: No .+channel/)])
    expect(d.slack.calls('chat.postMessage').at(-1)!.text).toContain('&lt;!channel&gt;')
    const told = JSON.stringify(discord.messages().find(each => JSON.stringify(each).includes('Email to triage@')))
    expect(told).toContain('No \\\\<!channel> \\\\*here\\\\* \\\\@everyone')
    expect(editsOf(card)).toBe(edits)
    for (const shown of [await onSlack(card), onDiscord(message)]) expect(shown).toContain('Two engines, please.')
    expect(isOver((await store.get(id))!)).toBe(true)
    await tell(d, mailEvent('bounced', id, email, hostile))
    expect(repliesTo(card)).toHaveLength(1)
  })
})

describe('an event', () => {
  it('that Resend did not sign, or not now, is 401 and changes nothing', async () => {
    const { id, email } = await forwarded()
    const { version } = (await store.get(id))!
    const event = mailEvent('bounced', id, email, noMailbox)
    for (const signing of [{ secret: `whsec_${'a'.repeat(32)}` }, { at: Date.now() - 6 * MINUTE_MS }]) {
      const refused = await tell(d, event, signing)
      expect([refused.status, (await refused.json()).code]).toEqual([401, 'NOT_SIGNED'])
    }
    const unsigned = await fetch(`${d.server.url}/api/mail/events`, { method: 'POST', body: JSON.stringify(event) })
    expect(unsigned.status).toBe(401)
    expect((await store.get(id))!.version).toBe(version)
  })

  it('about no email of ours, or of another type, is 200 and counted', async () => {
    const { id, email } = await forwarded()
    for (const event of [
      mailEvent('bounced', 'nothing', email), mailEvent('bounced', id, 'another'), mailEvent('opened', id, email),
    ]) expect((await tell(d, event)).status).toBe(200)
    expect((await store.get(id))!.state).toBe('settled')
    const metrics = await (await fetch(`${d.server.url}/api/metrics`, {
      headers: { authorization: `Bearer ${METRICS_TOKEN}` },
    })).text()
    expect(metrics).toMatch(/^triage_receipts_total\{verdict="none",result="foreign"\} [3-9]/m)
    expect(metrics).toMatch(/^triage_receipts_total\{verdict="bounced",result="news"\} \d/m)
  })

  it('while the store is away, or before the email is on record, is 503, and is taken when it is sent again', async () => {
    const { id, email } = await forwarded()
    const event = mailEvent('bounced', id, email, noMailbox)
    d.redis.pause()
    const away = await tell(d, event)
    d.redis.resume()
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, expect.any(String)])
    await until('it is taken', async () => (await tell(d, event)).status === 200)
    expect((await store.get(id))!.state).toBe('open')

    const early = await submit(d, FORM)
    const gate = Promise.withResolvers<undefined>()
    d.resend.fault = ({ method }) => method === 'POST' ? { hold: gate.promise } : undefined
    const clicked = click(d, early.card, 'forward', early.id)
    await until('it is on its way', async () => (await store.get(early.id))?.state === 'settling')
    const refused = await send(d, mailEvent('delivered', early.id, 'not on record yet'))
    gate.resolve(undefined)
    expect([refused.status, (await refused.json()).code]).toEqual([503, 'RECEIPT_TOO_EARLY'])
    await clicked
  })
})

it('without the secret there is no such address, and the form is gone with the forward', async () => {
  const server = endAfterTest(await startServer({ ...d.env, MAIL_WEBHOOK_SECRET: '', RECEIPT_WAIT: '' }))
  const plain = { ...d, server }
  expect((await tell(plain, mailEvent('delivered', 'x', 'x'))).status).toBe(404)
  const { id, card } = await submit(plain, FORM)
  await click(plain, card, 'forward', id)
  await until('only the trace', async () => isOver((await store.get(id))!))
})

it('a test email is told what became of it, and not of another one', async () => {
  const setup = (query: string, init?: RequestInit) => fetch(`${d.server.url}/api/setup/email${query}`, init)
  const sendOne = async () => (await (await setup('', {
    method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}',
  })).json() as { messageId: string }).messageId
  const [first, second] = [await sendOne(), await sendOne()]
  expect((await tell(d, mailEvent('delivered', 'test-email', first))).status).toBe(200)
  const known = async (id: string) => (await setup(`?messageId=${id}`)).json()
  expect(await known(first)).toEqual({ arrived: true, returned: false, text: 'Delivered' })
  expect(await known(second)).toEqual({ arrived: false, returned: false, text: null })
  await tell(d, mailEvent('bounced', 'test-email', second, noMailbox))
  expect(await known(second)).toEqual({ arrived: false, returned: true, text: 'Bounced: mailbox does not exist' })
})

it('a process that is killed between the event and the edit leaves both cards to the next', async () => {
  await d.server.kill()
  d.env.LEASE_MS = '4000'
  d.server = await startServer(d.env)
  const { id, card, message, email } = await forwarded()
  const held = Promise.withResolvers<undefined>()
  // Requests of a dead process never arrive.
  const lost = () => ({ hold: held.promise.then(() => { throw new Error('the sender is gone') }) })
  d.slack.fault = ({ path }) => path === '/api/chat.update' ? lost() : undefined
  discord.fault = ({ method }) => method === 'PATCH' ? lost() : undefined
  const told = send(d, mailEvent('bounced', id, email, noMailbox)).catch(() => null)
  await until('it is on record', async () => (await store.get(id))?.state === 'open')
  await d.server.kill()
  await told
  d.slack.fault = () => undefined
  discord.fault = () => undefined
  held.resolve(undefined)
  d.server = await startServer(d.env)
  await until('both cards follow', async () => (await onSlack(card)).includes('Bounced: mailbox does not exist')
    && onDiscord(message).includes('Bounced: mailbox does not exist'))
})
