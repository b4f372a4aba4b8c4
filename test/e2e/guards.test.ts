import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { endAfterAll } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { startServer, type Server } from '../support/server'
import { PASSWORD, QUIET_PRODUCTION, visit, WITH_PASSWORD } from '../support/visitor'

/** Public routes, with the reason. All others answer 401 or 403 without a session. */
const PUBLIC: Record<string, string> = {
  '/api/form': 'takes forms from everybody',
  '/api/form/:form': 'takes forms from everybody',
  '/api/form/:form/embed': 'the form as anybody may see it on its website',
  '/api/form/:form/embed.js': 'the same script for everybody',
  '/api/challenge': 'work for everybody who sends a form',
  '/api/form/:form/schema': 'says what the form takes, as its website does',
  '/api/files/:id/:index': 'a signature in the address guards it',
  '/api/openapi.json': 'says what stands here',
  '/api/thanks': 'thanks who sent a form, and says nothing about it',
  '/api/:platform/manifest': 'holds no secret, and apps are created from it',
  '/api/:platform/oauth/callback': 'ends what its install began in the same browser, with a state and a code',
  '/api/webhooks/:platform': 'a signature guards it',
  '/api/mail/events': 'a signature guards it',
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

/** Routes that are off in production, for everybody */
const OFF = ['/api/sandbox/events', '/api/sandbox/state']

const ROOT = resolve(import.meta.dirname, '../..')

interface Route { path: string, method: string }

/** Every route that the built server serves, including those of libraries; one without a method accepts any. */
const routes = [
  ...readFileSync(`${ROOT}/.output/server/chunks/nitro/nitro.mjs`, 'utf8').replaceAll('\\\n', '').matchAll(
    /\{\s*route:\s*["']([^"']+)["'],\s*handler:\s*\w+,\s*lazy:\s*\w+,\s*middleware:\s*false,\s*method:\s*(?:"(\w+)"|undefined|void 0)\s*\}/g,
  ),
]
  .flatMap(([, path, method]): Route[] => (method ? [method] : ['get', 'post']).map(each => ({
    path: path!, method: each.toUpperCase(),
  })))

const guarded = routes.filter(({ path }) => !(path in PUBLIC) && !OFF.includes(path))

/** Configures an unreachable Discord, because its routes are 404 without it. */
const DISCORD = {
  PLATFORM2_BOT_TOKEN: 'discord-bot-token-of-some-length', PLATFORM2_PUBLIC_KEY: 'ab'.repeat(32),
  PLATFORM2_APPLICATION_ID: '123456789012345678', DISCORD_CHANNEL_ID: '223456789012345678',
  DISCORD_API_URL: 'http://127.0.0.1:9/api/v10',
}

const redis = endAfterAll(await startRedis())
const env = {
  ...QUIET_PRODUCTION, ...DISCORD, STORE_URL: redis.url, NUXT_PUBLIC_SITE_URL: 'https://forms.example.com',
}
const open = endAfterAll(await startServer({ ...env, ...WITH_PASSWORD, CRON_SECRET: 'a-cron-secret-of-some-length' }))
const closed = endAfterAll(await startServer(env))

/** Fills in a platform for which the route exists. */
const addressOf = (path: string) => path.replace(/:platform(?=\/(?:gateway|status)$)/, 'discord').replace(
  /:platform(?=\/(?:install|manifest|oauth)\b)/, 'slack',
).replaceAll(/:\w+|\*\*/g, 'x')

const call = (server: Server, { path, method }: Route, headers: Record<string, string> = {}) => fetch(server.url
  + addressOf(path), {
  method, headers: { 'content-type': 'application/json', ...headers },
  body: method === 'GET' || method === 'HEAD' ? undefined : '{}', redirect: 'manual',
})

describe('the list of routes', () => {
  it('has one for every file of server/api', () => {
    const files = readdirSync(`${ROOT}/server/api`, { recursive: true, withFileTypes: true }).filter(entry => (
      entry.isFile()
    ))
    const served = routes.map(({ path }) => path).filter(path => path.startsWith('/api/'))
    const takesAny = files.filter(({ name }) => !/\.(get|post|put|patch|delete|head|options)\.ts$/.test(name))
    expect(served).toHaveLength(files.length + takesAny.length)
  })

  it('is described by OpenAPI, as far as anybody may call them', async () => {
    const { paths } = await (await fetch(`${open.url}/api/openapi.json`)).json() as { paths: Record<string, object> }
    const told = Object.entries(paths).flatMap(([path, methods]) => (
      Object.keys(methods).map(method => `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`)
    ))
    // Forms have a route for any method, which refuses all but POST.
    const taken = routes.filter(({ path, method }) => path in PUBLIC && path.startsWith('/api/')
      && !(method === 'GET' && /^\/api\/form(\/:form)?$/.test(path)))
    expect(told.sort()).toEqual(taken.map(({ method, path }) => `${method} ${path}`).sort())
  })

  it('has guarded ones', () => expect(guarded).toContainEqual({ path: '/api/submissions/:id', method: 'GET' }))
})

describe.each(guarded)('$method $path', (route) => {
  it('is 401 or 403 without a session, whatever the request claims', async () => {
    for (const headers of [{}, {
      'authorization': 'Bearer x', 'cookie': '__Host-triage-session=x', 'x-forwarded-for': '127.0.0.1',
      'host': 'localhost',
    }] as Record<string, string>[]) {
      expect([401, 403]).toContain((await call(open, route, headers)).status)
    }
  })

  it('is 403 while nobody can sign in', async () => expect((await call(closed, route)).status).toBe(403))
})

/** Routes for programs on other machines, which send no user's cookies */
const TAKES_FROM_ELSEWHERE = ['/api/form', '/api/form/:form', '/api/webhooks/:platform', '/api/mail/events']

describe.each(routes.filter(({ path, method }) => method !== 'GET' && path.startsWith('/api/')
  && !TAKES_FROM_ELSEWHERE.includes(path)))('$method $path', (route) => {
  it('refuses pages of other sites, also for whoever has signed in', async () => {
    const ada = visit(open)
    await ada.signIn(PASSWORD)
    const cookie = `__Host-triage-session=${ada.cookies.get('__Host-triage-session')}`
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' },
    ] as Record<string, string>[]) expect((await call(open, route, { cookie, ...headers })).status).toBe(403)
    expect((await call(open, route, { cookie, 'content-type': 'text/plain' })).status).toBe(415)
  })
})

it.each(OFF)('%s is 404', async path => expect((await call(open, { path, method: 'GET' })).status).toBe(404))

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const paths = [...new Set(routes.map(({ path }) => path))].filter(path => path.startsWith('/api/'))

/** Returns the methods of a path; forms have their own. HEAD comes with GET. */
function taken(path: string): string[] {
  if (/^\/api\/form(\/:form)?$/.test(path)) return ['POST', 'OPTIONS']
  const methods = routes.filter(route => route.path === path).map(({ method }) => method)
  return methods.includes('GET') ? [...methods, 'HEAD'] : methods
}

describe.each(paths)('%s', (path) => {
  it.each(
    METHODS.filter(method => !taken(path).includes(method)),
  )('does not take %s: 405 with Allow, as JSON', async (method) => {
    const response = await call(open, { path, method })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')?.split(', ').sort()).toEqual(taken(path).sort())
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
  })
})

it.each(paths.filter(path => taken(path).includes('GET')))('%s answers HEAD as GET, without the body', async (path) => {
  const [got, head] = await Promise.all([call(open, { path, method: 'GET' }), call(open, { path, method: 'HEAD' })])
  expect(head.status).toBe(got.status)
  expect(head.headers.get('content-type')).toBe(got.headers.get('content-type'))
  expect(await head.text()).toBe('')
})

it('HEAD of a stream of events ends, also for whoever has signed in', async () => {
  const ada = visit(open)
  await ada.signIn(PASSWORD)
  const headers = { cookie: `__Host-triage-session=${ada.cookies.get('__Host-triage-session')}` }
  const head = await fetch(
    `${open.url}/api/submissions/events`, { method: 'HEAD', headers, signal: AbortSignal.timeout(10_000) },
  )
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
})

describe('an address that is no route', () => {
  it.each([
    '/api', '/api/', '/api/nope', '/api/forms', '/api/form/a/b', '/api/webhooks', '/api/webhooks/', '/api//form',
    '/api/submissions/x/decisions', '/api/%E0%A4%A', '/api/../api/nope',
  ])('%s is 404 JSON under any method', async (path) => {
    for (const method of METHODS) {
      const response = await call(open, { path, method })
      expect([
        method, response.status, response.headers.get('content-type')?.split(';')[0],
      ]).toEqual([method, 404, 'application/json'])
      if (method !== 'HEAD') {
        const said = expect.stringContaining('/api/form') as string
        expect(await response.json()).toEqual({ code: 'NO_SUCH_ROUTE', error: said, message: said })
      }
    }
  })

  it.each([
    '/form', '/nope', '/api-docs', '/submissions', '/submissions/a/b', '/status/x', '/wp-login.php', '/index.html',
    '/%E0%A4%A',
  ])('%s is no page: 404 with one that says so, and what is sent there is refused', async (path) => {
    const page = await fetch(open.url + path, { headers: { accept: 'text/html' } })
    expect([page.status, page.headers.get('content-type')?.split(';')[0]]).toEqual([404, 'text/html'])
    const sent = await call(open, { path, method: 'POST' })
    expect([sent.status, (await sent.json()).code]).toEqual([404, 'NO_SUCH_ROUTE'])
  })

  it.each([
    '/', '/deliveries', '/status', '/status/', '/Status', '/setup?x=1', '/sign-in', '/sandbox', '/submissions/some-id',
  ])('%s is a page, and takes nothing', async (path) => {
    expect((await fetch(open.url + path)).status).toBe(200)
    expect((await fetch(open.url + path, { method: 'HEAD' })).status).toBe(200)
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const sent = await call(open, { path, method })
      expect([
        sent.status, sent.headers.get('allow'), (await sent.json()).code,
      ]).toEqual([405, 'GET, HEAD', 'NO_SUCH_ROUTE'])
    }
  })
})

it.each([
  '/', '/nope', '/favicon.svg', '/favicon.ico', '/_nuxt/none.js', '/api/nope', '/api/health', '/api/form',
  '/api/webhooks/slack', '/api/slack/manifest', '/api/submissions/events',
])('%s says nosniff', async (path) => {
  for (const method of ['GET', 'POST']) expect(
    (await call(open, { path, method })).headers.get('x-content-type-options'),
  ).toBe('nosniff')
})

it('the favicon that browsers ask for is one', async () => {
  const response = await fetch(`${open.url}/favicon.ico`)
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200, expect.stringMatching(/^image\/(vnd\.microsoft\.icon|x-icon)$/),
  ])
  // Icon files start with these bytes: https://en.wikipedia.org/wiki/ICO_(file_format)
  expect([...new Uint8Array(await response.arrayBuffer())].slice(0, 4)).toEqual([0, 0, 1, 0])
})

/** Sends raw bytes and returns the whole answer. `fetch` would correct a malformed head. */
async function raw(head: string): Promise<string> {
  const { hostname, port } = new URL(open.url)
  const socket = connect(Number(port), hostname)
  socket.write(`${head}Content-Length: 0\r\nConnection: close\r\n\r\n`)
  const answer = (await Array.fromAsync(socket as AsyncIterable<Buffer>)).join('')
  // Remove headers that differ in every answer.
  return answer.replace(/^(?:date|x-request-id): .*$/gim, '')
}

describe('a request whose Host is none', () => {
  const HOSTS = ['a b', '[', 'evil.example:99999999', '<script>', '%']

  it('is answered as with a right one, or 400 in JSON', async () => {
    for (const line of ['GET /', 'GET /api/health', 'GET /api/status', 'GET /api/slack/manifest', 'GET /api/nope']) {
      const answer = (host: string) => raw(`${line} HTTP/1.1\r\nHost: ${host}\r\n`)
      const status = (text: string) => Number(/(?<=^HTTP\/1\.1 )\d+/.exec(text)?.[0])
      const usual = status(await answer('forms.example.com'))
      for (const host of HOSTS) expect([usual, 400], host).toContain(status(await answer(host)))
    }
    for (const host of HOSTS) {
      const answer = await raw(`POST /api/webhooks/discord HTTP/1.1\r\nHost: ${host}\r\n`)
      expect(answer).toMatch(/^HTTP\/1\.1 400 [^]*"code":"INVALID_HOST"/)
    }
  })

  it('none of that leaves a stack, or more than JSON, in the log', () => {
    const lines = open.output().trim().split('\n').map(line => JSON.parse(line) as { event: string })
    expect(lines.filter(({ event }) => event === 'request.failed')).toEqual([])
    expect(open.output()).not.toMatch(/\bat .*\.mjs/)
  })
})

it.each([
  '/_nuxt/nope.js', '/_nuxt/builds/meta/nope.json', '/__nuxt_error', '/__nuxt_error?url=/setup', '/__nuxt_island/x',
])('%s, which Nuxt would answer by itself, is 404 with the headers of all pages', async (path) => {
  const usual = await fetch(`${open.url}/nope`)
  for (const accept of ['text/html', '*/*']) {
    const { status, headers } = await fetch(open.url + path, { headers: { accept } })
    expect([status, headers.get('content-security-policy')]).toEqual([
      404, expect.stringMatching(/^default-src 'none';/),
    ])
    for (const name of [
      'x-frame-options', 'cross-origin-opener-policy', 'cross-origin-resource-policy', 'permissions-policy',
      'x-content-type-options', 'strict-transport-security',
    ]) expect([name, headers.get(name)]).toEqual([name, usual.headers.get(name)])
    expect(headers.get('x-powered-by')).toBeNull()
  }
})

it.each([
  'GET /api/status', 'GET /setup', 'GET /api/nope', 'GET ', 'POST /api/submissions/x', 'OPTIONS *',
])('%s with a host in front of its path is answered as without', async (line) => {
  const [method = '', path = ''] = line.split(' ')
  const answer = (target: string) => raw(`${method} ${target} HTTP/1.1\r\nHost: forms.example.com\r\n`)
  const plain = await answer(path || '/')
  for (const host of ['http://forms.example.com', 'HTTPS://[::1]:3000']) {
    expect(await answer(path === '*' ? path : host + path)).toEqual(plain)
  }
  expect(plain).not.toContain('Cannot find any')
})
