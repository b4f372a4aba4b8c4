import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules } from '../../server/domain/lifecycle/record'
import { introduce, submit } from '../support/deployment'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { endAfterTest } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { isPost } from '../support/talks'
import type { Action, Held } from '../support/unlisted'
import { until } from '../support/until'

const TOKEN = 'a-token-for-prometheus'
const d = await deployEverywhere(() => ({ env: { RETRY_BASE_MS: '1000', METRICS_TOKEN: TOKEN } }))
await introduce(d)
afterEach(() => { for (const { double } of d.tries) double.fault = () => undefined })

const FORM = { name: 'Ada Lovelace', message: 'Two engines,\nplease.' }
const HOSTILE = '<!channel> @everyone <users/all> **bold** [bank](https://evil.example) {{DATE(1,SHORT)}} <b>&amp;</b> #tag'
const TOLD = /belongs.to.another.channel.{1,3}so.nothing.was.changed/

type Cards = Record<string, Held>

/** Sends a form; resolves with its id and its cards, by platform. */
async function sendToAll(data: object = FORM): Promise<{ id: string, cards: Cards }> {
  const id = await d.send('', data)
  const cards = await Promise.all(d.tries.map(async ({ platform, hold }) => [platform, await hold(id)] as const))
  await d.server.drain()
  return { id, cards: Object.fromEntries(cards) }
}

const shownOn = async (cards: Cards) => Promise.all(Object.values(cards).map(card => card.now()))

/** Waits until no room shows buttons any more; returns the texts of the cards by platform. */
async function closed(cards: Cards): Promise<Record<string, string>> {
  await until('every card closed', async () => (await shownOn(cards)).every(({ buttons }) => buttons === 0))
  await d.server.drain()
  const texts = (await shownOn(cards)).map(({ text }) => text)
  return Object.fromEntries(Object.keys(cards).map((platform, index) => [platform, texts[index]!]))
}

const deliveriesOf = (id: string) => (
  d.endpoint.requests.filter(({ headers }) => String(headers['webhook-id']).startsWith(id))
)
const logged = (event: string, id: string) => d.server.output().split('\n').filter(line => (
  line.includes(`"${event}"`) && line.includes(id)
))

it('a platform that does not answer at the start holds up no other', async () => {
  const gate = Promise.withResolvers<undefined>()
  d.doubles.telegram.fault = ({ path }) => path.endsWith('/getMe') ? { hold: gate.promise } : undefined
  const { id } = await submit(d, FORM)
  const card = await d.on('slack').hold(id)
  expect((await card.press('spam')).status).toBe(200)
  await until('the card closed', async () => (await card.now()).buttons === 0)
  gate.resolve(undefined)
})

it('a card in each room shows the form as it was typed', async () => {
  const { cards } = await sendToAll({ value: HOSTILE })
  for (const { text, buttons } of await shownOn(cards)) {
    expect(text).toContain(HOSTILE)
    expect(buttons).toBeGreaterThan(0)
  }
})

describe.each(d.tries)('on $platform', ({ platform, double, hold, heard }) => {
  const by = `by Ada Lovelace on ${PLATFORMS[platform]!.label}`

  it('forwarded, a submission is closed in every room, and later clicks are told by whom', async () => {
    const { id, cards } = await sendToAll()
    expect((await cards[platform]!.press('forward')).status).toBe(200)
    for (const text of Object.values(await closed(cards))) expect(text).toContain(`Forwarded ${by}`)
    expect([d.emailsAbout(id).length, deliveriesOf(id).length]).toEqual([1, 1])
    const before = heard().length
    expect((await cards[platform]!.press('spam')).status).toBe(200)
    await until('the answer', () => heard().slice(before).some(text => text.includes(`Forwarded ${by}`)))
    expect(logged('submission.claimed', id)).toHaveLength(1)
  })

  it('marked as spam, it loses its data in every room', async () => {
    const { cards } = await sendToAll()
    expect((await cards[platform]!.press('spam')).status).toBe(200)
    for (const text of Object.values(await closed(cards))) {
      expect(text).toContain(`Marked as spam ${by}`)
      expect(text).not.toContain('Two engines')
    }
  })

  it('pressed in another chat, a copy of its buttons decides nothing, which is told and counted', async () => {
    const id = await d.send()
    const card = await hold(id)
    const counted = async () => {
      const answer = await fetch(`${d.server.url}/api/metrics`, { headers: { authorization: `Bearer ${TOKEN}` } })
      const line = new RegExp(`^triage_misplaced_decisions_total\\{platform="${platform}"\\} (\\d+)$`, 'm')
      return Number(line.exec(await answer.text())?.[1] ?? 0)
    }
    const actions: Action[] = PLATFORMS[platform]!.modal ? ['forward', 'spam', 'edit'] : ['forward', 'spam']
    const [before, earlier] = [await counted(), double.requests.length]
    const answers: string[] = []
    for (const action of actions) {
      const { status, text } = await card.press(action, { isElsewhere: true })
      expect(status).toBe(200)
      answers.push(text)
      await d.server.drain()
    }
    await until('the log', () => logged('review.misplaced', id).length >= actions.length)
    expect(JSON.parse(logged('review.misplaced', id)[0]!)).toMatchObject({ level: 'warn', submission: id, platform })
    expect(await counted()).toBe(before + actions.length)
    const told = [...answers, ...double.requests.slice(earlier).map(({ body }) => body)].filter(text => TOLD.test(text))
    expect(told.length).toBeGreaterThanOrEqual(actions.length)
    expect([(await d.shown(id)).state, d.emailsAbout(id)]).toEqual(['waiting', []])
    await card.press('forward')
    await until('the email', () => d.emailsAbout(id).length === 1)
  })

  // WhatsApp's refusal does not say how long to wait.
  if (platform !== 'whatsapp') it('too many cards are posted again when it says so', async () => {
    const { limited } = d.talks.find(talk => talk.platform === platform)!
    let refused = 0
    double.fault = request => isPost(request) && refused++ === 0 ? limited : undefined
    const before = double.requests.length
    await hold(await d.send())
    const [first, second] = double.requests.slice(before).filter(isPost)
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(1000)
  })
})

describe('Edit & Forward', () => {
  beforeEach(() => { d.endpoint.requests.length = 0 })

  /** Checks that every room shows the change, and that it was forwarded. */
  async function expectEdited(cards: Cards, label: string): Promise<void> {
    for (const [platform, text] of Object.entries(await closed(cards))) {
      expect(text).toContain(`Edited and forwarded by Ada Lovelace on ${label}`)
      if (platform !== 'whatsapp') expect(text).toContain('Grace Hopper')
    }
    expect(d.endpoint.requests.map(({ body }) => JSON.parse(body) as object)).toEqual([
      { ...FORM, name: 'Grace Hopper' },
    ])
  }

  it('in a modal of Discord shows in every room what was changed', async () => {
    const { id, cards } = await sendToAll()
    const { discord } = d.doubles
    const url = `${d.server.url}/api/webhooks/discord`
    const { opened } = await discord.click(url, discord.cardOf(id)!, `edit\n${id}`)
    expect((await discord.submitModal(url, opened!, { i0: 'Grace Hopper' })).status).toBe(200)
    await expectEdited(cards, 'Discord')
  })

  it('in a dialog of Teams shows in every room what was changed', async () => {
    const { cards } = await sendToAll()
    const { teams } = d.doubles
    const { task } = JSON.parse((await cards.teams!.press('edit')).text)
    expect((await teams.submit(d.server.url, task.value.card.content, { f0: 'Grace Hopper' })).status).toBe(200)
    await expectEdited(cards, 'Teams')
  })
})

it('clicked in every room at once, fifty times, is one decision', async () => {
  const { id, cards } = await sendToAll()
  const held = Object.values(cards)
  const answers = await Promise.all(Array.from({ length: 50 }, (_, index) => (
    held[index % held.length]!.press(index % 4 < 2 ? 'forward' : 'spam')
  )))
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
  await closed(cards)
  const claims = logged('submission.claimed', id)
  expect(claims).toHaveLength(1)
  expect(d.emailsAbout(id)).toHaveLength(claims[0]!.includes('"spam"') ? 0 : 1)
})

describe('a room that is behind', () => {
  it('being down does not hold up the others, and gets its card later', async () => {
    const { discord } = d.doubles
    discord.fault = ({ method }) => method === 'POST' ? { status: 503 } : undefined
    const { id } = await submit(d, { name: 'patient' })
    expect(discord.cardOf(id)).toBeUndefined()
    discord.fault = () => undefined
    await until('the Discord card', () => discord.cardOf(id))
  })

  it('whose stale card is clicked decides nothing: the click refreshes the card', async () => {
    const { id, cards } = await sendToAll()
    const { discord } = d.doubles
    const gate = Promise.withResolvers<undefined>()
    let edits = 0
    // Fail the first edit of the Discord card, so that it keeps its buttons. Discord asks to wait a minute.
    discord.fault = ({ method }) => method === 'PATCH' && edits++ === 0
      ? { status: 503, headers: { 'retry-after': '60' } }
      : undefined
    d.resend.fault = () => ({ hold: gate.promise })
    await cards.slack!.press('forward')
    const store = endAfterTest(new RedisStore(await connectRedis(d.redis.url), storeRules))
    await until('the failed edit written down', async () => (
      (await store.get(id))!.work.some(({ kind, attempts }) => kind === 'update' && attempts > 0)
    ))
    await cards.discord!.press('spam')
    await until('the Discord card closed', async () => (await cards.discord!.now()).buttons === 0, 10_000)
    expect((await cards.discord!.now()).text).toContain('Forwarded by Ada Lovelace on Slack')
    d.resend.fault = () => undefined
    gate.resolve(undefined)
    await d.server.drain()
    expect(d.emailsAbout(id)).toHaveLength(1)
  })
})
