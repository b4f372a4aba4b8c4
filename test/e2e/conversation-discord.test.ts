import { beforeEach, describe, expect, it } from 'vitest'
import { deploy, sendForm, submitForm } from '../support/deployment'
import { withDiscord } from '../support/discord/deployed'
import { buttonOf } from '../support/discord/edit-form'
import type { DiscordMessage } from '../support/discord/types'
import { startProxy, type Proxy } from '../support/proxy'
import { startServer } from '../support/server'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const BURST = 30
const ROLE = '223456789012345678'
const CRON_SECRET = 'a-secret-of-some-length'
const OTHER_BOT = { id: '323456789012345678', username: 'other', global_name: null, bot: true }

const { d, discord } = await withDiscord(deploy, { ESCALATION_MENTION: `<!subteam^S1> <@&${ROLE}>`, CRON_SECRET })
beforeEach(() => { discord.fault = () => undefined })

/** Returns all text that the message shows, without the backslashes that Discord hides. */
const text = ({ content, embeds }: DiscordMessage) => (
  [content, ...embeds.flatMap(({ title, description, fields = [] }) => [
    title, description, ...fields.flatMap(({ name, value }: { name: string, value: string }) => [name, value]),
  ])].filter(Boolean).join('\n').replaceAll('\\', '')
)
const answersIn = (channelId: string) => (
  discord.messages(channelId).filter(({ author }) => author.id === discord.applicationId)
)
const answers = (channelId: string, count: number) => until(
  `${count} answers`, () => answersIn(channelId).length >= count && answersIn(channelId),
)

/** Mentions the bot in the channel; returns the new thread with its first answer. */
async function talk(words = 'hi'): Promise<{ thread: string, first: DiscordMessage }> {
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

async function say(channelId: string, content: string): Promise<string> {
  const before = answersIn(channelId).length
  discord.emitMessage({ channelId, content })
  return text((await answers(channelId, before + 1)).at(-1)!)
}

describe('a mention', () => {
  it('begins a thread with a welcome by full name and three buttons, which answer there', async () => {
    const { thread, first } = await talk()
    expect(text(first)).toContain('Hello Ada Lovelace')
    expect(
      first.components[0]!.components.map(({ custom_id }: { custom_id: string }) => custom_id),
    ).toEqual(['hello', 'info', 'escalate'])
    for (const [index, action] of ['hello', 'info', 'escalate'].entries()) {
      expect(
        await discord.click(`${d.server.url}/api/webhooks/discord`, first, action),
      ).toMatchObject({ status: 200, body: { type: 6 } })
      await answers(thread, index + 2)
    }
    const [, hello, info, escalate] = answersIn(thread)
    expect([hello!, info!].map(text)).toEqual(['Hello, Ada Lovelace!', 'You are talking to me on Discord.'])
    expect(text(escalate!)).toBe(`<@&${ROLE}>\nAda Lovelace requested human support.`)
    expect(escalate!.pings).toEqual({ everyone: false, users: [], roles: [ROLE] })
  })

  it('by a bot is not answered, nor is a message in a thread that the bot does not follow', async () => {
    const ignored = discord.emitMessage({ content: `<@${discord.applicationId}> hi`, author: OTHER_BOT })
    discord.emitMessage({ content: 'status' })
    await talk('status')
    expect(answersIn(ignored.id)).toEqual([])
    expect(answersIn(discord.channelId).filter(message => text(message).includes('Connected'))).toEqual([])
  })
})

describe('a thread that the bot follows', () => {
  it('gets an answer to each message of people, not to those of bots or without words', async () => {
    const { thread } = await talk()
    discord.emitMessage({ channelId: thread, content: 'help', author: OTHER_BOT })
    // The message that starts a thread arrives as an empty one of type 21.
    expect((await forward(thread, '', 21)).status).toBe(200)
    expect(await say(thread, 'status')).toContain('Connected: Slack, Discord')
    expect(await say(thread, 'what?')).toContain('Type help')
    expect(answersIn(thread)).toHaveLength(3)
  })

  it('gets none for what Discord writes there in the name of people, such as that somebody renamed it', async () => {
    const { thread } = await talk()
    discord.emitMessage({ channelId: thread, content: 'help', type: 4 })
    expect(await say(thread, 'status')).toContain('Connected: Slack, Discord')
    expect(answersIn(thread)).toHaveLength(2)
  })

  it('answers an event that is forwarded twice once', async () => {
    const { thread } = await talk()
    for (let attempt = 0; attempt < 2; attempt++) expect((await forward(thread, 'help')).status).toBe(200)
    await d.server.drain()
    expect(answersIn(thread)).toHaveLength(2)
  })

  it('shows form text as typed, pinging nobody, and a shown card decides the submission', async () => {
    const hostile = `@everyone <@${discord.user.id}> **bold** [bank](https://evil.example)`
    const id = await submitForm(d.server, { name: hostile })
    const { thread } = await talk()
    expect(await say(thread, 'pending')).toContain(hostile)
    expect(await say(thread, 'show nothing @everyone')).toContain('Nothing that waits matches “nothing')
    expect(await say(thread, `show ${id.slice(0, 8)}`)).toContain('New Form Submission')
    expect(
      answersIn(thread).every(({ pings }) => !pings.everyone && pings.users.length + pings.roles.length === 0),
    ).toBe(true)
    const shown = answersIn(thread).at(-1)!
    await discord.click(`${d.server.url}/api/webhooks/discord`, shown, buttonOf('spam', id))
    await until('both cards closed', () => [
      ...discord.messages(thread), ...discord.messages(),
    ].filter(message => text(message).includes('Marked as spam by Ada Lovelace')).length === 2)
    expect(discord.messages(thread).find(message => message.id === shown.id)!.components).toEqual([])
  })

  it(`answers a burst of ${BURST} messages while a reply is being made, each once and in order`, async () => {
    const { thread } = await talk()
    await burst(thread)
    expect(numbersIn(thread)).toEqual(Array.from({ length: BURST }, (_, index) => index))
  })
})

describe('/forms', () => {
  const route = () => `${d.server.url}/api/webhooks/discord`
  const privately = async (words: string, options = {}, url = route()) => {
    const { status, message } = await discord.command(url, words, options)
    expect([status, message!.flags & 64]).toEqual([200, 64])
    // Skip the placeholder: a busy machine first says that an answer will follow.
    return until('the answer', () => discord.ephemeral().find(({ id, flags }) => id === message!.id && !(flags & 128)))
  }

  it('answers whoever asks alone, with the way to the card instead of its buttons', async () => {
    const hostile = `@everyone <@${discord.user.id}> **bold**`
    const id = await submitForm(d.server, { name: hostile })
    await d.server.drain()
    const before = answersIn(discord.channelId).length
    expect(text(await privately('/forms pending'))).toContain(hostile)
    const shown = await privately(`/forms show ${id.slice(0, 8)}`)
    expect(text(shown)).toMatch(/\[Open the card\]\(https:\/\/discord\.com\/channels\/\d+\/\d+\/\d+\)/)
    expect([shown.components, shown.pings]).toEqual([[], { everyone: false, users: [], roles: [] }])
    expect(text(await privately('/forms status', {}, 'gateway'))).toContain('Connected: Slack, Discord')
    expect(answersIn(discord.channelId).filter(({ flags }) => !(flags & 64))).toHaveLength(before)
  })

  it('tells of no form in a direct message', async () => {
    const { id: channelId } = discord.openDm()
    expect(text(await privately('/forms pending', { channelId }))).toContain('only in the channel of the cards')
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

describe('a direct message', () => {
  it('is welcomed, answered from then on, and shown no form', async () => {
    const { id: dm } = discord.openDm()
    await sendForm(d.server, { name: 'Confidential' })
    expect(await say(dm, 'hi')).toContain('Hello Ada Lovelace')
    expect(await say(dm, 'pending')).toContain('only in the channel of the cards')
    expect(answersIn(dm).map(text).join()).not.toContain('Confidential')
  })
})

describe('with a listener of another process, which forwards to the webhook', () => {
  let route: Proxy
  it(`answers a burst of ${BURST} messages, each once and in order, although the route fails and events come twice`, async () => {
    route = await startProxy(d.server.url)
    const listener = await startServer({ ...d.env, VERCEL: '1', NUXT_PUBLIC_SITE_URL: route.url })
    try {
      const resumes = discord.gateway.resumes
      await fetch(`${listener.url}/api/discord/gateway`, { headers: { authorization: `Bearer ${CRON_SECRET}` } })
      await until('the takeover', () => discord.gateway.resumes > resumes)
      const { thread } = await talk()
      let forwards = 0
      route.fault = () => forwards++ % 7 === 3 ? 'lose-answer' : forwards % 7 === 5 ? { status: 503 } : undefined
      await burst(thread)
      expect(numbersIn(thread)).toEqual(Array.from({ length: BURST }, (_, index) => index))
      expect(forwards).toBeGreaterThan(BURST)
    }
    finally {
      await listener.kill()
      await route.close()
    }
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
  answersIn(thread).flatMap(message => /number-(\d+)/.exec(text(message))?.[1] ?? []).map(Number)
)
