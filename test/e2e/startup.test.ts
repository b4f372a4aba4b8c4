import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { submitForm } from '../support/deployment'
import { endAfterTest, testFolder } from '../support/lifetime'
import { startRedis } from '../support/redis-server'
import { runToExit, startServer, type Server } from '../support/server'
import { PASSWORD, QUIET_PRODUCTION, visit, WITH_PASSWORD } from '../support/visitor'
import { until } from '../support/until'
import { botUp, postJson } from '../support/webhook'

let dir: string
let server: Server | undefined
beforeEach(() => { dir = testFolder() })
afterEach(async () => {
  await server?.kill()
  server = undefined
})

const EMBEDDED = () => ({ NODE_ENV: 'development', DATA_DIR: dir })

describe('the start', () => {
  it('in production with nothing set stops, and says so in JSON: a line for each missing variable', async () => {
    const { code, output } = await runToExit({ NODE_ENV: 'production' })
    expect(code).toBe(1)
    const lines = output.trim().split('\n').map(line => JSON.parse(line) as Record<string, string>)
    expect(lines[0]).toMatchObject({
      level: 'error', event: 'config.invalid',
      message: 'The configuration has 7 problems. See .env.example for every variable.',
    })
    expect(lines.slice(1).map(({ event, problem }) => [event, problem!.split(' ')[0]])).toEqual([
      'CHAT_BOT_TOKEN', 'CHAT_SIGNING_SECRET', 'CHAT_CHANNEL_ID', 'MAIL_API_KEY', 'MAIL_FROM_ADDRESS', 'FORWARD_EMAIL',
      'STORE_URL',
    ].map(name => ['config.problem', name]))
  })

  it('has what node, Nitro and libraries print as JSON, too', async () => {
    const redis = endAfterTest(await startRedis())
    const print = `process.once('SIGUSR2', () => { process.emitWarning('careful'); console.log('plain %s', 'text'); console.error('bad', new Error('first\\nsecond')); Promise.reject(new TypeError('unhandled')); })`
    server = await startServer({
      ...QUIET_PRODUCTION, STORE_URL: redis.url,
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(print)}`,
    })
    process.kill(server.pid, 'SIGUSR2')
    await until('all of it', () => server!.output().includes('unhandled'))
    const lines = server.output().trim().split('\n').map(line => JSON.parse(line) as object)
    const line = (event: string, level: string, facts: object) => expect.objectContaining({ event, level, ...facts })
    const error = (facts: object) => ({ error: expect.objectContaining(facts) as object })
    expect(lines).toEqual(expect.arrayContaining([
      line('console', 'info', { message: expect.stringContaining('Listening on') as string }),
      line('process.warning', 'warn', error({ message: 'careful' })),
      line('console', 'info', { message: 'plain %s' }),
      line('console', 'error', { message: 'bad', ...error({ message: 'first\nsecond' }) }),
      line('console', 'error', { message: '[unhandledRejection]', ...error({ name: 'TypeError' }) }),
    ]))
    expect(await server.stop()).toBe(0)
  })

  it.each(['18.20.8', '22.12.0'])('on Node %s stops with what it needs, before anything is loaded', async (version) => {
    const pretend = `data:text/javascript,${encodeURIComponent(`Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } })`)}`
    expect(await runToExit({ ...EMBEDDED(), NODE_OPTIONS: `--import ${pretend}` })).toEqual({
      code: 1,
      output: `\nThis service needs Node 22.13 or newer, and this is Node ${version}. Install a newer one: https://nodejs.org/download\n\n`,
    })
  })

  it('on a port that is taken stops and says so', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const { code, output } = await runToExit({ ...EMBEDDED(), PORT: String(port) })
    other.close()
    expect(code).toBe(1)
    expect(output).toMatch(/"listen\.failed".*"EADDRINUSE".*"PORT".*"Something else listens on this port: stop it, or set another PORT\."/)
  })

  it.each([
    ['PORT', '65536'], ['HOST', 'nobody.invalid'],
    // Address reserved for documentation, which no machine has (RFC 5737)
    ['HOST', '192.0.2.1'],
  ])('with %s=%s, where nobody could reach it, stops and names the setting', async (name, value) => {
    const { code, output } = await runToExit({ ...EMBEDDED(), [name]: value })
    expect(code).toBe(1)
    const failed = output.split('\n').filter(line => line.includes('"listen.failed"'))
    expect(failed.map(line => JSON.parse(line) as object)).toEqual([expect.objectContaining({ setting: name })])
  })

  it('with values that look unusual warns of them, also on status and set-up; forged webhooks are refused', async () => {
    const redis = endAfterTest(await startRedis())
    server = await startServer({
      ...QUIET_PRODUCTION, ...WITH_PASSWORD, STORE_URL: redis.url, CHAT_BOT_TOKEN: 'test', CHAT_CHANNEL_ID: 'C123',
      PLATFORM2_BOT_TOKEN: 'test', PLATFORM2_PUBLIC_KEY: 'test', PLATFORM2_APPLICATION_ID: '1', CRON_SECRET: 'x',
    })
    const unusual = [
      'CHAT_BOT_TOKEN', 'CHAT_CHANNEL_ID', 'PLATFORM2_BOT_TOKEN', 'PLATFORM2_PUBLIC_KEY', 'PLATFORM2_APPLICATION_ID',
      'CRON_SECRET',
    ]
    const named = (lines: readonly string[]) => unusual.filter(name => (
      lines.some(line => line.startsWith(`${name} looks unusual`))
    ))
    const logged = server.output().split('\n').flatMap(line => /"reason":"(.*?[^\\])"/.exec(line)?.[1] ?? [])
    const viewer = visit(server)
    await viewer.signIn(PASSWORD)
    const { missing } = await (await viewer.get('/api/status')).json() as { missing: string[] }
    const { warnings } = await (await viewer.get('/api/setup')).json() as { warnings: string[] }
    expect([named(logged), named(missing), named(warnings)]).toEqual([unusual, unusual, unusual])
    for (const platform of ['slack', 'discord']) {
      const headers = { 'x-signature-ed25519': 'ab'.repeat(64), 'x-signature-timestamp': '1790000000' }
      expect((await fetch(
        `${server.url}/api/webhooks/${platform}`, { method: 'POST', body: '{"type":1}', headers },
      )).status).toBe(401)
    }
  })
})

describe('the sandbox', () => {
  it('in production starts only with a way to sign in, and asks for it; people speak under the name that they signed in with', async () => {
    const redis = endAfterTest(await startRedis())
    const env = { ...QUIET_PRODUCTION, STORE_URL: redis.url, SANDBOX: '1' }
    const { code, output } = await runToExit(env)
    expect({ code, output }).toMatchObject({
      code: 1, output: expect.stringContaining('SANDBOX is on in production') as string,
    })
    server = await startServer({ ...env, ...WITH_PASSWORD })
    const [ada, stranger] = [visit(server), visit(server)]
    const user = { id: 'boss', name: 'The Boss' }
    const message = { type: 'message', channel: 'triage', text: '@form-bot help', user }
    for (const path of [
      '/api/sandbox/state', '/api/sandbox/events',
    ]) expect((await stranger.get(path)).status).toBe(401)
    expect((await stranger.post('/api/webhooks/sandbox', message)).status).toBe(401)
    await ada.signIn(PASSWORD)
    for (const foreign of [
      { 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.example' },
    ] as Record<string, string>[]) expect((await ada.post('/api/webhooks/sandbox', message, foreign)).status).toBe(403)
    await botUp(() => ada.post('/api/webhooks/sandbox', ''))
    expect((await ada.post('/api/webhooks/sandbox', message)).status).toBe(200)
    await server.drain()
    const { messages, signedInAs } = await (await ada.get('/api/sandbox/state')).json() as {
      messages: { text: string | null, author: { name: string } | null }[]
      signedInAs: string
    }
    expect([signedInAs, messages[0]]).toMatchObject([
      'Ada Lovelace', { text: '@form-bot help', author: { name: 'Ada Lovelace' } },
    ])
    expect(messages).toHaveLength(2)
  })

  it('answers no other website, no other host name, and no page of another server of this machine', async () => {
    server = await startServer({ ...EMBEDDED() })
    const click = {
      type: 'action', messageId: 'm1', threadId: 'sandbox:triage:m1', actionId: 'spam', value: 'x',
      user: { id: 'u', name: 'U' },
    }
    for (const headers of ['https://evil.example', 'null', 'http://127.0.0.1:9'].map(origin => ({ origin }))) {
      expect((await fetch(`${server.url}/api/sandbox/state`, { headers })).status).toBe(403)
      expect((await fetch(`${server.url}/api/submissions/x`, { headers })).status).toBe(403)
      expect((await postJson(`${server.url}/api/webhooks/sandbox`, click, headers)).status).toBe(403)
    }
    for (const host of ['rebound.example', 'localhost.rebound.example']) {
      expect(await statusWithHost(server, '/api/sandbox/state', host)).toBe(403)
    }
    expect((await fetch(`${server.url}/api/sandbox/state`)).status).toBe(200)
  })
})

describe('the embedded store', () => {
  it('needs nothing set, listens on loopback only, and survives a restart: a form sent before is shown after, hostile keys included', async () => {
    server = await startServer({ ...EMBEDDED(), HOST: '' })
    expect(server.output()).toContain('Listening on http://127.0.0.1:')
    const submissionId = await submitForm(server, '{"__proto__":"kept","name":"Ada"}')
    await server.stop()
    server = await startServer(EMBEDDED())
    const shown = await (await fetch(`${server.url}/api/submissions/${submissionId}`)).json()
    expect(shown).toMatchObject({ id: submissionId, state: 'waiting', open: true, fields: [
      { label: '__proto__', value: 'kept', edited: false }, { label: 'name', value: 'Ada', edited: false },
    ] })
  })
})

async function statusWithHost(to: Server, path: string, host: string): Promise<number> {
  const { request } = await import('node:http')
  return new Promise((resolve, reject) => {
    request(
      to.url + path, { headers: { host } }, response => resolve(response.statusCode ?? 0),
    ).on('error', reject).end()
  })
}
