import { describe, expect, it } from 'vitest'
import { deploy, serveAlso, submitForm } from '../support/deployment'
import { startDiscord } from '../support/discord/discord'
import { buttonOf } from '../support/discord/edit-form'
import type { Answer, DiscordMessage } from '../support/discord/types'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const SECRET = 'a-secret-of-some-length'
const CALLS = 20

const discord = endAfterAll(await startDiscord())
const { gateway } = discord
// A long-lived process, which listens by itself. If it is killed, its lease remains for half of LEASE_MS.
const d = endAfterAll(await deploy({ ...discord.env, CRON_SECRET: SECRET, LEASE_MS: '10000' }))

const get = (path: string, server: Server, authorization?: string) => fetch(
  `${server.url}/api/discord/${path}`, { headers: authorization ? { authorization } : {} },
)
const call = (server: Server, authorization = `Bearer ${SECRET}`) => get('gateway', server, authorization)
const onRecord = () => until('the connection on record', async () => {
  const told = await (await get('status', d.server, `Bearer ${SECRET}`)).json() as { connectedSince: number | null }
  return told.connectedSince !== null && told
})
const passed = (ms: number) => new Promise(resolve => setTimeout(resolve, ms))
const mention = () => discord.emitMessage({ content: `<@${discord.applicationId}> hi` }).id
const welcomed = (thread: string) => until('the welcome', () => discord.messages(thread).length > 0)

/** Waits for a listener's new connection; `before` is the number of earlier ones. */
const connected = (before: number) => until('a listener', () => gateway.live() > 0 && connections() > before)
const connections = () => gateway.identifies + gateway.resumes

/** Sends a form; returns its id and its Discord card. */
async function submitted(): Promise<{ id: string, message: DiscordMessage }> {
  const id = await submitForm(d.server, { name: 'Ada' })
  return { id, message: await until('the card', () => discord.cardOf(id)) }
}

/** Clicks until the service answers: a process that was too slow for Discord gets another click. */
const answered = (click: () => Promise<Answer>) => until('the answer', async () => {
  const answer = await click()
  return !answer.timedOut && answer
})

const closed = ({ id }: DiscordMessage) => until(
  'the card closed', () => discord.messages().find(message => message.id === id)!.components.length === 0,
)

/** Forwards over the gateway; resolves once the card is closed. */
async function forward(): Promise<string> {
  const { id, message } = await submitted()
  await answered(() => discord.click('gateway', message, buttonOf('forward', id)))
  await closed(message)
  return id
}

describe('a long-lived process', () => {
  it('listens by itself: a click that comes over the gateway is decided, and answered through REST', async () => {
    await connected(0)
    const id = await forward()
    await d.server.drain()
    expect((await d.resend.emails()).filter(({ html }) => html.includes(id))).toHaveLength(1)
  })

  it('tells the person on duty who listens and since when, and nobody else', async () => {
    expect((await get('status', d.server)).status).toBe(401)
    expect(await onRecord()).toMatchObject({
      owner: expect.stringMatching(/:\d+$/) as string, connectedSince: expect.any(Number) as number, refusal: null,
      resumes: 0, identifiesInDay: 1, lastForwardError: null, nextRestartAt: null, deadLetters: 0,
    })
  })

  it('opens and takes in the edit form over the gateway', async () => {
    const { id, message } = await submitted()
    // A form can only be the first response to an interaction.
    const opened = await until(
      'the form', async () => (await discord.click('gateway', message, buttonOf('edit', id))).opened,
    )
    await answered(() => discord.submitModal('gateway', opened, { i0: 'Grace' }))
    await closed(message)
    await d.server.drain()
    expect(d.endpoint.requests.map(({ body }) => body)).toContain('{"name":"Grace"}')
  })
})

describe('GET /api/discord/gateway', () => {
  it('without Discord is 404 with the specified message', async () => {
    const without = await serveAlso(d, Object.fromEntries(Object.keys(discord.env).map(name => [name, ''])))
    const response = await call(without)
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ error: 'Discord adapter not configured' })
  })

  it('in production without CRON_SECRET refuses and names the variable', async () => {
    const response = await call(await serveAlso(d, { CRON_SECRET: '' }), 'Bearer anything')
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({ error: expect.stringContaining('CRON_SECRET') })
  })

  it('lets only the bearer of the secret in, listens then, and forwards to the site; all over one session', async () => {
    const serverless = await serveAlso(d, { VERCEL: '1', NUXT_PUBLIC_SITE_URL: d.server.url })
    for (const wrong of ['', 'Bearer', `Bearer ${SECRET}x`, SECRET]) {
      expect((await call(serverless, wrong)).status).toBe(401)
    }
    for (let restart = 0; restart < 2; restart++) {
      const { resumes } = gateway
      const response = await call(serverless)
      expect([response.status, await response.json()]).toEqual([200, { status: 'listening', durationMs: 600_000 }])
      await until('the takeover', () => gateway.resumes > resumes)
      expect(gateway.live()).toBe(1)
    }
    await forward()
    expect(gateway.identifies).toBe(1)
  })

  it('answers with what failed: Discord refuses the token, or the store is away', async () => {
    const token = `${discord.botToken}-of-somebody-else`
    const refused = await call(await serveAlso(d, { VERCEL: '1', PLATFORM2_BOT_TOKEN: token }))
    const why = expect.stringContaining('PLATFORM2_BOT_TOKEN') as string
    expect([refused.status, await refused.json()]).toEqual([502, { code: 'GATEWAY_FAILED', error: why, message: why }])
    const lonely = endAfterTest(await startServer({ ...d.env, VERCEL: '1', STORE_URL: 'redis://127.0.0.1:9' }))
    const away = await call(lonely)
    const said = expect.stringContaining('STORE_URL') as string
    expect([away.status, await away.json()]).toEqual([502, { code: 'GATEWAY_FAILED', error: said, message: said }])
    const unknown = await get('status', lonely, `Bearer ${SECRET}`)
    expect([unknown.status, await unknown.json()]).toMatchObject([503, { code: 'STORE_UNAVAILABLE' }])
  })
})

describe('replicas that listen by themselves', () => {
  it(`answer ${CALLS} calls, of which some meet, with 200: at most one hand-over a call, nothing missed, nothing twice`, async () => {
    const site = { NUXT_PUBLIC_SITE_URL: d.server.url }
    const replicas = [await serveAlso(d, site), await serveAlso(d, site)]
    const { identifies, resumes } = gateway
    const threads: string[] = []
    const chatter = setInterval(() => threads.push(mention()), 400)
    const calls: Promise<Response>[] = []
    for (let index = 0; index < CALLS; index++) {
      calls.push(call(replicas[index * index * 7 % 11 % 2]!))
      await Promise.race([calls.at(-1), passed(index * 37 % 5 * 300)])
    }
    const statuses = (await Promise.all(calls)).map(({ status }) => status)
    clearInterval(chatter)
    expect(statuses).toEqual(Array(CALLS).fill(200))
    expect(gateway.identifies).toBe(identifies)
    expect(gateway.resumes - resumes).toBeLessThanOrEqual(CALLS + 1)
    await until('every welcome', () => threads.every(thread => discord.messages(thread).length > 0))
    await Promise.all([d.server, ...replicas].map(server => server.drain()))
    expect(threads.filter(thread => discord.messages(thread).length > 1)).toEqual([])
  })
})

describe('a process that ends', () => {
  it('hands over on SIGTERM: its successor resumes the session, and what came in between is not lost', async () => {
    await onRecord()
    const { identifies, resumes } = gateway
    expect(await d.server.stop()).toBe(0)
    await until('the socket closed', () => gateway.live() === 0)
    const thread = mention()
    d.server = await startServer(d.env)
    await welcomed(thread)
    expect(gateway).toMatchObject({ identifies, resumes: resumes + 1 })
  })

  it('leaves its listener to a replica when it is killed', async () => {
    // A session that is not recorded yet cannot be resumed, so wait for the record.
    await onRecord()
    const next = await startServer(d.env)
    const { identifies, resumes } = gateway
    await d.server.kill()
    d.server = next
    await until('the survivor', () => gateway.resumes > resumes)
    await forward()
    expect(gateway.identifies).toBe(identifies)
  })
})

describe('while Redis is away', () => {
  it('what is said waits, and is answered then', async () => {
    d.redis.pause()
    const thread = mention()
    await until('a check without an answer', () => d.server.output().includes('could not be checked for repetition'))
    d.redis.resume()
    await welcomed(thread)
  })

  it('a process that starts listens once it is back', async () => {
    await d.server.kill()
    d.redis.pause()
    d.server = await startServer(d.env)
    await until('a start that failed', () => d.server.output().includes('gateway.failed'))
    const before = connections()
    d.redis.resume()
    await connected(before)
  })
})
