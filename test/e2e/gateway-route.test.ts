import { beforeEach, describe, expect, it } from 'vitest'
import { deploy, submitForm, type Deployment } from '../support/deployment'
import { startDiscord, type DiscordDouble } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import type { Answer, DiscordMessage } from '../support/discord/types'
import { endAfterTest } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const SECRET = 'a-secret-of-some-length'

let discord: DiscordDouble
let d: Deployment
beforeEach(async () => { discord = endAfterTest(await startDiscord()) })

const deployed = async (env: Record<string, string>) => void (d = endAfterTest(await deploy(env)))
const onDiscord = () => ({ ...discord.env })
const call = (server: Server, authorization?: string) => fetch(
  `${server.url}/api/discord/gateway`, { headers: authorization ? { authorization } : {} },
)
const status = (authorization?: string) => fetch(
  `${d.server.url}/api/discord/status`, { headers: authorization ? { authorization } : {} },
)
const onRecord = () => until('the connection on record', async () => {
  const told = await (await status(`Bearer ${SECRET}`)).json() as { connectedSince: number | null }
  return told.connectedSince !== null && told
})
const passed = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const listening = () => until('a listener', () => discord.gateway.live() > 0 && discord.gateway.identifies > 0)

/** Sends a form; returns its id and its Discord card. */
async function submitted(): Promise<{ id: string, message: DiscordMessage }> {
  const id = await submitForm(d.server, { name: 'Ada' })
  return { id, message: await until('the card', () => discord.cardOf(id)) }
}

const decided = (message: DiscordMessage) => until(
  'the card closed', () => discord.messages().find(({ id }) => id === message.id)!.components.length === 0,
)

/** Clicks until it is answered: a process that was too slow for Discord gets another click. */
const answered = (click: () => Promise<Answer>) => until('the answer', async () => {
  const answer = await click()
  return !answer.timedOut && answer
})

/** Clicks a button that closes the card. */
async function decide(message: DiscordMessage, button: string): Promise<void> {
  await answered(() => discord.click('gateway', message, button))
  await decided(message)
}

describe('GET /api/discord/gateway', () => {
  it('without Discord is 404 with the specified message', async () => {
    await deployed({ CRON_SECRET: SECRET })
    const response = await call(d.server, `Bearer ${SECRET}`)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'Discord adapter not configured' })
  })

  it('in production without CRON_SECRET refuses and names the variable', async () => {
    await deployed(onDiscord())
    const response = await call(d.server, 'Bearer anything')
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('CRON_SECRET') })
  })

  it('lets only the bearer of the secret in, and answers once the listener is connected', async () => {
    await deployed({ ...onDiscord(), CRON_SECRET: SECRET, VERCEL: '1' })
    for (const wrong of [
      undefined, 'Bearer', `Bearer ${SECRET}x`, SECRET,
    ]) expect((await call(d.server, wrong)).status).toBe(401)
    const response = await call(d.server, `Bearer ${SECRET}`)
    expect([discord.gateway.identifies, discord.gateway.live()]).toEqual([1, 1])
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ status: 'listening', durationMs: 600_000 })
  })

  it('answers with what failed: Discord refuses the token, or the store is away', async () => {
    await deployed({
      ...onDiscord(), CRON_SECRET: SECRET, VERCEL: '1', PLATFORM2_BOT_TOKEN: `${discord.botToken}-of-somebody-else`,
    })
    const refused = await call(d.server, `Bearer ${SECRET}`)
    expect(refused.status).toBe(502)
    const why = expect.stringContaining('PLATFORM2_BOT_TOKEN') as string
    expect(await refused.json()).toEqual({ code: 'GATEWAY_FAILED', error: why, message: why })
    await d.server.kill()
    await d.redis.stop()
    d.server = await startServer(d.env)
    const away = await call(d.server, `Bearer ${SECRET}`)
    expect(away.status).toBe(502)
    const said = expect.stringContaining('STORE_URL') as string
    expect(await away.json()).toEqual({ code: 'GATEWAY_FAILED', error: said, message: said })
    const unknown = await status(`Bearer ${SECRET}`)
    expect(unknown.status).toBe(503)
    expect(await unknown.json()).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('on a serverless host listens and forwards to the webhook route of the site, with one IDENTIFY over restarts', async () => {
    await deployed({ CRON_SECRET: SECRET })
    await d.server.kill()
    const front = endAfterTest(await startServer({ ...d.env, ...onDiscord() }))
    d.server = await startServer({ ...d.env, ...onDiscord(), VERCEL: '1', NUXT_PUBLIC_SITE_URL: front.url })
    await call(d.server, `Bearer ${SECRET}`)
    await listening()
    for (let restart = 0; restart < 3; restart++) {
      const resumes = discord.gateway.resumes
      await call(d.server, `Bearer ${SECRET}`)
      await until('the takeover', () => discord.gateway.resumes > resumes)
    }
    const { id, message } = await submitted()
    await decide(message, buttonOf('spam', id))
    expect(discord.gateway.identifies).toBe(1)
  })
})

describe('three replicas that listen by themselves', () => {
  it('answer 50 calls, of which some meet, with 200: at most one hand-over a call, nothing missed, nothing twice', async () => {
    await deployed({ ...onDiscord(), CRON_SECRET: SECRET, VERCEL: '1' })
    const env = { ...d.env, VERCEL: '', NUXT_PUBLIC_SITE_URL: d.server.url }
    const replicas = (await Promise.all([env, env, env].map(startServer))).map(endAfterTest)
    // Messages before the first session are never replayed, so wait for it.
    await listening()
    const threads: string[] = []
    const chatter = setInterval(() => {
      threads.push(discord.emitMessage({ content: `<@${discord.applicationId}> hi` }).id)
    }, 400)
    const calls: Promise<Response>[] = []
    for (let index = 0; index < 50; index++) {
      calls.push(call(replicas[index * index * 7 % 11 % 3]!, `Bearer ${SECRET}`))
      await Promise.race([calls.at(-1), passed(index * 37 % 5 * 300)])
    }
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    clearInterval(chatter)
    expect(statuses).toEqual(Array(50).fill(200))
    expect(discord.gateway).toMatchObject({ identifies: 1 })
    expect(discord.gateway.resumes).toBeLessThanOrEqual(50)
    await until('every welcome', () => threads.every(thread => discord.messages(thread).length > 0))
    await Promise.all([d.server, ...replicas].map(server => server.drain()))
    expect(threads.filter(thread => discord.messages(thread).length > 1)).toEqual([])
  })
})

describe('GET /api/discord/status', () => {
  it('tells the person on duty who listens and since when, and nobody else', async () => {
    await deployed({ ...onDiscord(), CRON_SECRET: SECRET })
    await listening()
    expect((await status()).status).toBe(401)
    expect(await onRecord()).toEqual({
      owner: expect.stringMatching(/:\d+$/), connectedSince: expect.any(Number), refusal: null, resumes: 0,
      identifiesInDay: 1, lastEventAt: null, lastForwardError: null, nextRestartAt: null, deadLetters: 0,
    })
  })
})

describe('a long-lived process', () => {
  it('listens by itself: a click that comes over the gateway is decided, and answered through REST', async () => {
    await deployed(onDiscord())
    await listening()
    const { id, message } = await submitted()
    await decide(message, buttonOf('forward', id))
    await d.server.drain()
    expect(await d.resend.emails()).toHaveLength(1)
  })

  it('that starts while Redis is away listens once it is back', async () => {
    await deployed(onDiscord())
    await listening()
    await d.server.kill()
    d.redis.pause()
    d.server = await startServer(d.env)
    await until('a start that failed', () => d.server.output().includes('gateway.failed'))
    // The first process may have been killed before its session was recorded: then there is nothing to resume.
    const connections = () => discord.gateway.resumes + discord.gateway.identifies
    const before = connections()
    d.redis.resume()
    await until('the listener', () => connections() > before && discord.gateway.live() > 0)
  })

  it('answers what was said while Redis stood still', async () => {
    await deployed(onDiscord())
    await listening()
    d.redis.pause()
    const { id: thread } = discord.emitMessage({ content: `<@${discord.applicationId}> hi` })
    await until('a check without an answer', () => d.server.output().includes('could not be checked for repetition'))
    d.redis.resume()
    await until('the welcome', () => discord.messages(thread).length > 0)
  })

  it('opens and takes in the edit form over the gateway', async () => {
    await deployed(onDiscord())
    await listening()
    const { id, message } = await submitted()
    // A form can only be the first response to an interaction.
    const opened = await until(
      'the form', async () => (await discord.click('gateway', message, buttonOf('edit', id))).opened,
    )
    await answered(() => discord.submitModal('gateway', opened, { i0: 'Grace' }))
    await decided(message)
    await until('the delivery', () => d.endpoint.requests.length > 0)
    expect(JSON.parse(d.endpoint.requests[0]!.body)).toEqual({ name: 'Grace' })
  })

  it('hands over on SIGTERM: its successor resumes the session, and what came in between is not lost', async () => {
    await deployed(onDiscord())
    await listening()
    const { id, message } = await submitted()
    expect(await d.server.stop()).toBe(0)
    await until('the socket closed', () => discord.gateway.live() === 0)
    const { id: thread } = discord.emitMessage({ content: `<@${discord.applicationId}> hi` })
    d.server = await startServer(d.env)
    await until('the welcome', () => discord.messages(thread).length > 0)
    await decide(message, buttonOf('spam', id))
    expect(discord.gateway.identifies).toBe(1)
    expect(discord.gateway.resumes).toBe(1)
  })

  it('shares one listener with its replicas, and a survivor takes over from one that was killed', async () => {
    await deployed({ ...onDiscord(), CRON_SECRET: SECRET })
    await listening()
    const [next] = [await startServer(d.env), await startServer(d.env)].map(endAfterTest)
    // A session that is not recorded yet cannot be resumed, so wait for the record.
    await onRecord()
    expect(discord.gateway.live()).toBe(1)
    expect(discord.gateway.identifies).toBe(1)
    await d.server.kill()
    d.server = next!
    await until('the survivor', () => discord.gateway.resumes > 0)
    const { id, message } = await submitted()
    await decide(message, buttonOf('spam', id))
    expect(discord.gateway.identifies).toBe(1)
  })
})
