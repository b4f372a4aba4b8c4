import { createRedisState } from '@chat-adapter/state-redis'
import { ConsoleLogger } from 'chat'
import { afterEach, describe, expect, it } from 'vitest'
import { submitForm } from '../support/deployment'
import { buttonOf, discordText } from '../support/discord/edit-form'
import type { DiscordMessage } from '../support/discord/types'
import { deployEverywhere, PLATFORMS } from '../support/everywhere'
import { startServer } from '../support/server'
import { isPost } from '../support/talks'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const BURST = 30
const ROLE = '223456789012345678'
const OTHER_BOT = { id: '323456789012345678', username: 'other', global_name: null, bot: true }

const d = await deployEverywhere(() => ({ env: {
  ESCALATION_MENTION: `<!subteam^S0123456789> <@&${ROLE}>`, FORWARD_ENDPOINT: '', FORWARD_SIGNING_SECRET: '',
} }))
const BUTTONS = ['Say hello', 'Where am I?', 'Ask for a human']
afterEach(() => { for (const { double } of d.talks) double.fault = () => undefined })

const HOSTILE = '@everyone <!channel> <users/all> **bold** [bank](https://evil.example)'

describe.each(d.talks)('on $platform', (talk) => {
  const { platform, double, mention, say, texts, buttons, press, inPrivate, limited } = talk
  /** Waits until the bot has posted `count` texts at a place. */
  const said = (place: string, count: number) => until(`${count} texts`, async () => {
    await d.server.drain()
    const all = await texts(place)
    return all.length >= count && all
  })

  it('a mention is welcomed once, by full name, with buttons that answer there', async () => {
    const place = await mention('hi')
    expect(await said(place, 1)).toEqual([expect.stringContaining('Hello Ada Lovelace')])
    expect(await buttons(place)).toEqual(BUTTONS)
    for (const [index, label] of BUTTONS.entries()) {
      await press(place, label)
      await said(place, index + 2)
    }
    expect((await said(place, 4)).slice(1)).toEqual([
      'Hello, Ada Lovelace!', `You are talking to me on ${PLATFORMS[platform]!.label}.`,
      expect.stringContaining('Ada Lovelace requested human support.'),
    ])
  })

  if (say) it('a conversation that the bot follows is answered without a mention', async () => {
    const place = await mention('hi')
    await said(place, 1)
    for (const [index, words] of ['help', 'what is this?'].entries()) {
      await say(place, words)
      await said(place, index + 2)
    }
    expect((await texts(place)).slice(1)).toEqual([
      expect.stringContaining('This is what I understand'), expect.stringMatching(/Type .{0,2}help/),
    ])
  })

  it('what is said while the platform takes no more gets there when it may', async () => {
    let refused = 0
    double.fault = request => isPost(request) && refused++ < 2 ? limited : undefined
    expect(await said(await mention('status'), 1)).toEqual([expect.stringContaining('Connected: ')])
    expect(refused).toBe(3)
  })

  it('a form that is shown on request appears as it was typed', async () => {
    const id = await d.send('', { name: HOSTILE })
    const [card] = await said(await mention(`show ${id}`), 1)
    expect(card!.replace(/[\u2060\u200B\u200A]/g, '')).toContain(HOSTILE)
  })

  // On WhatsApp, cards are in a private chat anyway.
  if (platform !== 'whatsapp') it('no form is told of in private, not even how many wait', async () => {
    const id = await d.send('', { name: 'Confidential' })
    const before = double.requests.length
    const answers = () => double.requests.slice(before).map(({ body }) => body).filter(body => (
      /only.in.the.channel.of.the.cards/.test(body)
    ))
    for (const words of ['pending', `show ${id}`]) await inPrivate(words)
    await until('both answers', () => answers().length >= 2)
    expect(double.requests.slice(before).map(({ body }) => body).join()).not.toContain('Confidential')
  })
})

it('nobody is pinged by what a form says', () => {
  const { discord } = d.doubles
  const pings = discord.requests.filter(({ method, body }) => method === 'POST' && body.includes('everyone'))
  expect(pings.length).toBeGreaterThan(1)
  for (const { body } of pings) expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } })
})

const { discord } = d.doubles

const answersIn = (channelId: string) => (
  discord.messages(channelId).filter(({ author }) => author.id === discord.applicationId)
)
const answers = (channelId: string, count: number) => until(
  `${count} answers`, () => answersIn(channelId).length >= count && answersIn(channelId),
)

/** Mentions the bot in the channel; returns the new thread with its first answer. */
async function talkOnDiscord(words = 'hi'): Promise<{ thread: string, first: DiscordMessage }> {
  const { id: thread } = discord.emitMessage({ content: `<@${discord.applicationId}> ${words}` })
  const [first] = await answers(thread, 1)
  return { thread, first: first! }
}

/** Forwards an event as a listener in another process does. */
function forward(thread: string, content: string, type = 0): Promise<Response> {
  const data = {
    id: String(BigInt(thread) + 1n), type, content, channel_id: thread, channel_type: 11, guild_id: discord.guildId,
    author: discord.user, mentions: [], attachments: [], timestamp: new Date().toISOString(),
    thread: { id: thread, parent_id: discord.channelId },
  }
  return postJson(`${d.server.url}/api/webhooks/discord`, {
    id: `session:${data.id}`, type: 'GATEWAY_MESSAGE_CREATE', timestamp: Date.now(), data,
  }, { 'x-discord-gateway-token': discord.botToken })
}

async function sayOnDiscord(channelId: string, content: string): Promise<string> {
  const before = answersIn(channelId).length
  discord.emitMessage({ channelId, content })
  return discordText((await answers(channelId, before + 1)).at(-1)!)
}

describe('a mention on Discord', () => {
  it('is answered in a thread, where the request for a human pings only the role that Discord knows', async () => {
    const { thread, first } = await talkOnDiscord()
    await discord.click(`${d.server.url}/api/webhooks/discord`, first, 'escalate')
    const [, escalate] = await answers(thread, 2)
    expect(discordText(escalate!)).toBe(`<@&${ROLE}>\nAda Lovelace requested human support.`)
    expect(escalate!.pings).toEqual({ everyone: false, users: [], roles: [ROLE] })
  })

  it('by a bot is not answered, nor is a message in a thread that the bot does not follow', async () => {
    const ignored = discord.emitMessage({ content: `<@${discord.applicationId}> hi`, author: OTHER_BOT })
    discord.emitMessage({ content: 'status' })
    await talkOnDiscord('status')
    expect(answersIn(ignored.id)).toEqual([])
    expect(answersIn(discord.channelId).filter(message => discordText(message).includes('Connected'))).toEqual([])
  })
})

describe('a thread on Discord', () => {
  it('gets an answer to each message of people, not to those of bots or without words', async () => {
    const { thread } = await talkOnDiscord()
    discord.emitMessage({ channelId: thread, content: 'help', author: OTHER_BOT })
    // The message that starts a thread arrives as an empty message of type 21.
    expect((await forward(thread, '', 21)).status).toBe(200)
    expect(await sayOnDiscord(thread, 'status')).toContain('Connected: Slack, Discord')
    expect(await sayOnDiscord(thread, 'what?')).toContain('Type help')
    expect(answersIn(thread)).toHaveLength(3)
  })

  it('gets none for what Discord writes there in the name of people, such as that somebody renamed it', async () => {
    const { thread } = await talkOnDiscord()
    discord.emitMessage({ channelId: thread, content: 'help', type: 4 })
    expect(await sayOnDiscord(thread, 'status')).toContain('Connected: Slack, Discord')
    expect(answersIn(thread)).toHaveLength(2)
  })

  it('answers an event that is forwarded twice once', async () => {
    const { thread } = await talkOnDiscord()
    for (let attempt = 0; attempt < 2; attempt++) expect((await forward(thread, 'help')).status).toBe(200)
    await d.server.drain()
    expect(answersIn(thread)).toHaveLength(2)
  })

  it('shows form text as typed, pinging nobody, and a shown card decides the submission', async () => {
    const hostile = `@everyone <@${discord.user.id}> **bold** [bank](https://evil.example)`
    const id = await submitForm(d.server, { name: hostile })
    const { thread } = await talkOnDiscord()
    expect(await sayOnDiscord(thread, 'pending')).toContain(hostile)
    expect(await sayOnDiscord(thread, 'show nothing @everyone')).toContain('No waiting submission matches “nothing')
    expect(await sayOnDiscord(thread, `show ${id.slice(0, 8)}`)).toContain('New Form Submission')
    expect(
      answersIn(thread).every(({ pings }) => !pings.everyone && pings.users.length + pings.roles.length === 0),
    ).toBe(true)
    const shown = answersIn(thread).at(-1)!
    await discord.click(`${d.server.url}/api/webhooks/discord`, shown, buttonOf('spam', id))
    await until('both cards closed', () => [
      ...discord.messages(thread), ...discord.messages(),
    ].filter(message => discordText(message).includes('Marked as spam by Ada Lovelace')).length === 2)
    expect(discord.messages(thread).find(message => message.id === shown.id)!.components).toEqual([])
  })

  it(`answers a burst of ${BURST} messages while a reply is being made, each once and in order`, async () => {
    const { thread } = await talkOnDiscord()
    await burst(thread)
    expect(numbersIn(thread)).toEqual(Array.from({ length: BURST }, (_, index) => index))
  })
})

describe('/forms on Discord', () => {
  const route = () => `${d.server.url}/api/webhooks/discord`
  const privately = async (words: string, options = {}, url = route()) => {
    const { status, message } = await discord.command(url, words, options)
    expect([status, message!.flags & 64]).toEqual([200, 64])
    // Skip the placeholder: on a busy machine, the bot first posts that an answer will follow.
    return until('the answer', () => discord.ephemeral().find(({ id, flags }) => id === message!.id && !(flags & 128)))
  }

  it('answers whoever asks alone, with the way to the card instead of its buttons', async () => {
    const hostile = `@everyone <@${discord.user.id}> **bold**`
    const id = await submitForm(d.server, { name: hostile })
    await d.server.drain()
    const before = answersIn(discord.channelId).length
    expect(discordText(await privately('/forms pending'))).toContain(hostile)
    const shown = await privately(`/forms show ${id.slice(0, 8)}`)
    expect(discordText(shown)).toMatch(/\[Open the card\]\(https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+\)/)
    expect([shown.components, shown.pings]).toEqual([[], { everyone: false, users: [], roles: [] }])
    expect(discordText(await privately('/forms status', {}, 'gateway'))).toContain('Connected: Slack, Discord')
    expect(answersIn(discord.channelId).filter(({ flags }) => !(flags & 64))).toHaveLength(before)
  })

  it('tells of no form in a direct message', async () => {
    const { id: channelId } = discord.openDm()
    expect(discordText(await privately('/forms pending', { channelId }))).toContain('only in the channel of the cards')
  })

  it('is registered once, by whichever server starts first', async () => {
    const registrations = () => discord.requests.filter(({ method, path }) => (
      method === 'POST' && path.endsWith(`/applications/${discord.applicationId}/commands`)
    )).length
    await until('the registration', () => registrations() === 1)
    const other = await startServer(d.env)
    await until('its start', async () => (await fetch(`${other.url}/api/ready`)).ok)
    await discord.ping(`${other.url}/api/webhooks/discord`)
    await other.kill()
    expect(registrations()).toBe(1)
  })
})

/** Sends thirty messages at once, while Discord delays the first answer. */
async function burst(thread: string): Promise<void> {
  const gate = Promise.withResolvers<undefined>()
  discord.fault = ({ method, path }) => method === 'POST' && path.endsWith(`/channels/${thread}/messages`)
    ? { hold: gate.promise }
    : undefined
  for (let index = 0; index < BURST; index++) discord.emitMessage({
    channelId: thread, content: `show number-${index}`,
  })
  await until('the first answer on its way', () => discord.requests.some(({ path, body }) => path.includes(thread)
    && body.includes('number-0')))
  discord.fault = () => undefined
  gate.resolve(undefined)
  await until('all answers', () => answersIn(thread).length >= BURST + 1)
}

const numbersIn = (thread: string) => (
  answersIn(thread).flatMap(message => /number-(\d+)/.exec(discordText(message))?.[1] ?? []).map(Number)
)

describe('a channel where no thread is made', () => {
  /** Mentions the bot; resolves with its first answer in the channel, or in the thread that it opens. */
  async function mentionIn(words: string, isInThread = false): Promise<DiscordMessage> {
    const before = answersIn(discord.channelId).length
    const { id } = discord.emitMessage({ content: `<@${discord.applicationId}> ${words}` })
    return until('the answer', () => isInThread ? answersIn(id)[0] : answersIn(discord.channelId)[before])
  }

  /** True if the bot answers a message without a mention there. A channel's events are handled in order. */
  async function isFollowed(): Promise<boolean> {
    const before = answersIn(discord.channelId).length
    discord.emitMessage({ content: 'status' })
    discord.fault = () => undefined
    await mentionIn('status', true)
    await d.server.drain()
    return answersIn(discord.channelId).length > before
  }

  /** Returns a fault with which Discord refuses to open a thread, with this status. */
  const without = (status: number) => ({ path }: { path: string }) => path.endsWith('/threads')
    ? { status, body: JSON.stringify({ code: status === 403 ? 50013 : 0, message: 'No' }) }
    : undefined

  it('a mention of which no thread is made is welcomed in the channel, and told that only mentions are answered there', async () => {
    discord.fault = without(403)
    expect(discordText(await mentionIn('hi'))).toMatch(/^Hello Ada Lovelace.* Mention me whenever you need me here\.$/m)
  })

  it.each([403, 500])('one of which Discord makes none (%d) is answered there, and the channel is not followed', async (status) => {
    discord.fault = without(status)
    expect(discordText(await mentionIn('what?'))).toContain('Type help')
    expect(await isFollowed()).toBe(false)
  })

  it.each([
    ['words', async () => void discord.emitMessage({ content: 'what?' }), 0],
    ['a mention, which is answered', () => mentionIn('what?'), 1],
  ])('a channel that was followed is not after %s', async (_, said, answers) => {
    const state = createRedisState({ url: d.redis.url, logger: new ConsoleLogger('silent') })
    await state.connect()
    const thread = `discord:${discord.guildId}:${discord.channelId}`
    await state.subscribe(thread)
    const before = answersIn(discord.channelId).length
    discord.fault = without(403)
    await said()
    expect(await isFollowed()).toBe(false)
    expect(answersIn(discord.channelId)).toHaveLength(before + answers)
    expect(await state.isSubscribed(thread)).toBe(false)
    await state.disconnect()
  })

  it('a name in plain text, of which Discord makes no mention, is not answered', async () => {
    const before = answersIn(discord.channelId).length
    const { id } = discord.emitMessage({ content: '@form-bot what?' })
    expect(await isFollowed()).toBe(false)
    expect([answersIn(discord.channelId).length, answersIn(id)]).toEqual([before, []])
  })
})
