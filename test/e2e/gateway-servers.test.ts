import { createClient } from 'redis'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { deploy, type Deployment } from '../support/deployment'
import { startDiscord, type DiscordDouble } from '../support/discord/discord'
import { endAfterTest } from '../support/lifetime'
import { startProxy, type Proxy } from '../support/proxy'
import { startServer, type Server } from '../support/server'
import { until } from '../support/until'

const SECRET = 'a-secret-of-some-length'
const RESTARTS = 20
const KILLED_AT = [5, 8, 11, 14, 17]

let discord: DiscordDouble
let d: Deployment
let route: Proxy
let listeners: Server[]
let serverless: Record<string, string>

beforeEach(async () => {
  discord = endAfterTest(await startDiscord())
  d = endAfterTest(await deploy({
    ...discord.env, CRON_SECRET: SECRET, VERCEL: '1',
    // A killed listener leaves a lease of half this length behind.
    LEASE_MS: '10000',
  }))
  route = endAfterTest(await startProxy(d.server.url))
  // Listens only when called, and forwards to the route of the first server.
  serverless = { ...d.env, NUXT_PUBLIC_SITE_URL: route.url }
  listeners = await Promise.all([startServer(serverless), startServer(serverless)])
})
afterEach(async () => { await Promise.all(listeners.map(listener => listener.kill())) })

it('20 restarts over two server processes, five of them killed, under a message per 50 ms and an outage of the route: every event is handled once', async () => {
  const redis = await createClient({ url: d.redis.url }).connect()
  const handled = async () => (await redis.keys('*discord-gateway:seen:*')).length
  const start = async (index: number) => {
    const resumes = discord.gateway.resumes
    await fetch(`${listeners[index]!.url}/api/discord/gateway`, { headers: { authorization: `Bearer ${SECRET}` } })
    const { gateway } = discord
    const begun = () => resumes === 0 && gateway.identifies === 1 && gateway.live() === 1
    await until('the takeover', () => gateway.resumes > resumes || begun(), 60_000)
  }
  await start(0)
  let emitted = 0
  const chatter = setInterval(() => {
    const { id } = discord.emitMessage({ content: `message ${emitted++}` })
    if (emitted % 4 === 0 && ++emitted) discord.emitReaction({ messageId: id, emoji: '👍' })
  }, 50)

  for (let restart = 1; restart <= RESTARTS; restart++) {
    const [owner, next] = [(restart + 1) % 2, restart % 2]
    if (restart === 4) route.fault = () => ({ status: 503 })
    if (restart === 4) setTimeout(() => (route.fault = () => undefined), 2000)
    if (KILLED_AT.includes(restart)) {
      await listeners[owner]!.kill()
      listeners[owner] = await startServer(serverless)
    }
    await start(next)
  }
  clearInterval(chatter)

  // Wait as long as there is progress: a slow machine has many events to catch up on.
  for (let done = 0; done < emitted;) {
    const before = done
    done = await until(`more than ${before} of ${emitted} events handled in ${discord.gateway.identifies} sessions`,
      async () => {
        const now = await handled()
        return now > before && now
      }, 60_000)
  }
  expect(await handled()).toBe(emitted)
  expect(discord.gateway.identifies).toBeLessThanOrEqual(2)
  expect(discord.gateway.live()).toBe(1)
  redis.destroy()
}, 900_000)
