import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startRedis, type RedisServer } from '../support/redis-server'
import { startServer, type Server } from '../support/server'
import { PASSWORD, QUIET_PRODUCTION, visit, WITH_PASSWORD } from '../support/visitor'

/** What anybody may call, and why. Everything else answers 401 or 403 to whoever has not signed in. */
const PUBLIC: Record<string, string> = {
  '/api/form': 'takes forms from everybody',
  '/api/form/:form': 'takes forms from everybody',
  '/api/slack/manifest': 'holds no secret, and Slack apps are created from it',
  '/api/slack/oauth/callback': 'ends what /api/slack/install began in the same browser, with a state and a code',
  '/api/webhooks/:platform': 'a signature guards it',
  '/api/auth/session': 'says how to sign in',
  '/api/auth/sign-in': 'signs in',
  '/api/auth/sign-out': 'signs out',
  '/api/auth/:platform': 'signs in',
  '/api/auth/:platform/callback': 'signs in, with a state and a code',
  '/api/health': 'says that the process lives',
  '/api/ready': 'says whether it can work',
  '/__nuxt_error': 'not reachable from outside',
  '/__nuxt_island/**': 'there are no islands',
  '/**': 'the shell of the pages, without data',
}

/** Off in production, for everybody. */
const OFF = ['/api/sandbox/events', '/api/sandbox/state']

const ROOT = resolve(import.meta.dirname, '../..')

interface Route { path: string, method: string }

/** Every route that the built server serves, those of libraries too; one without a method takes any. */
const routes = [...readFileSync(`${ROOT}/.output/server/chunks/nitro/nitro.mjs`, 'utf8').replaceAll('\\\n', '').matchAll(/\{\s*route:\s*["']([^"']+)["'],\s*handler:\s*\w+,\s*lazy:\s*\w+,\s*middleware:\s*false,\s*method:\s*(?:"(\w+)"|undefined|void 0)\s*\}/g)]
  .flatMap(([, path, method]): Route[] => (method ? [method] : ['get', 'post']).map(each => ({ path: path!, method: each.toUpperCase() })))

const guarded = routes.filter(({ path }) => !(path in PUBLIC) && !OFF.includes(path))

/** Discord is configured, because its routes are 404 for everybody without it; it cannot be reached. */
const DISCORD = { PLATFORM2_BOT_TOKEN: 'discord-bot-token-of-some-length', PLATFORM2_PUBLIC_KEY: 'ab'.repeat(32), PLATFORM2_APPLICATION_ID: '123456789012345678', DISCORD_CHANNEL_ID: '223456789012345678', DISCORD_API_URL: 'http://127.0.0.1:9/api/v10' }

let redis: RedisServer
let open: Server
let closed: Server
beforeAll(async () => {
  redis = await startRedis()
  const env = { ...QUIET_PRODUCTION, ...DISCORD, STORE_URL: redis.url }
  ;[open, closed] = await Promise.all([startServer({ ...env, ...WITH_PASSWORD, CRON_SECRET: 'a-cron-secret-of-some-length' }), startServer(env)])
})
afterAll(async () => {
  await Promise.all([open.kill(), closed.kill()])
  await redis.stop()
})

const call = (server: Server, { path, method }: Route, headers: Record<string, string> = {}) => fetch(server.url + path.replaceAll(/:\w+|\*\*/g, 'x'), {
  method, headers: { 'content-type': 'application/json', ...headers }, body: method === 'GET' ? undefined : '{}', redirect: 'manual',
})

describe('the list of routes', () => {
  it('has one for every file of server/api', () => {
    const files = readdirSync(`${ROOT}/server/api`, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    const served = routes.map(({ path }) => path).filter(path => path.startsWith('/api/'))
    const takesAny = files.filter(({ name }) => !/\.(get|post|put|patch|delete|head|options)\.ts$/.test(name))
    expect(served).toHaveLength(files.length + takesAny.length)
  })

  it('has guarded ones', () => {
    expect(guarded).toContainEqual({ path: '/api/submissions/:id', method: 'GET' })
  })
})

describe.each(guarded)('$method $path', (route) => {
  it('is 401 or 403 without a session, whatever the request claims', async () => {
    for (const headers of [{}, { 'authorization': 'Bearer x', 'cookie': 'triage-session=x', 'x-forwarded-for': '127.0.0.1', 'host': 'localhost' }] as Record<string, string>[]) {
      expect([401, 403]).toContain((await call(open, route, headers)).status)
    }
  })

  it('is 403 while nobody can sign in', async () => {
    expect((await call(closed, route)).status).toBe(403)
  })
})

describe.each(routes.filter(({ path, method }) => method !== 'GET' && path.startsWith('/api/') && !['/api/form', '/api/form/:form', '/api/webhooks/:platform'].includes(path)))('$method $path', (route) => {
  it('refuses pages of other sites, also for whoever has signed in', async () => {
    const ada = visit(open)
    await ada.signIn(PASSWORD)
    const cookie = `triage-session=${ada.cookies.get('triage-session')}`
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' }] as Record<string, string>[]) expect((await call(open, route, { cookie, ...headers })).status).toBe(403)
    expect((await call(open, route, { cookie, 'content-type': 'text/plain' })).status).toBe(415)
  })
})

it.each(OFF)('%s is 404', async (path) => {
  expect((await call(open, { path, method: 'GET' })).status).toBe(404)
})
