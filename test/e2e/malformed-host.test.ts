import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { deploy } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { runToExit, startServer } from '../support/server'
import { until } from '../support/until'

const d = endAfterAll(await deploy({ CRON_SECRET: 'a-cron-secret-of-the-test' }))

/** Sends bytes; resolves with the whole answer. `fetch` would correct the header. */
function raw(request: string): Promise<string> {
  const { hostname, port } = new URL(d.server.url)
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => socket.write(request))
    socket.setEncoding('utf8').on(
      'data', (text: string) => { answer += text },
    ).on('end', () => resolve(answer)).on('error', reject)
  })
}

const HOSTS = ['a b', '[', 'evil.example:99999999', '<script>', '%']

it.each(HOSTS)('a webhook with the Host %j is answered 400 in JSON', async (host) => {
  const answer = await raw(`POST /api/webhooks/slack HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`)
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('"code":"INVALID_HOST"')
})

it.each([
  '/', '/api/form', '/api/health', '/api/ready', '/api/status', '/api/submissions', '/api/slack/manifest',
  '/api/slack/install', '/api/cron/sweep', '/api/discord/gateway', '/api/nope', '/favicon.svg',
])('GET %s with a Host that is none is answered as with a right one, or 400', async (path) => {
  const statusWith = async (host: string) => Number(
    /(?<=^HTTP\/1\.1 )\d+/.exec(await raw(`GET ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))?.[0],
  )
  const usual = await statusWith('forms.example.com')
  for (const host of HOSTS) expect([usual, 400], host).toContain(await statusWith(host))
})

it('none of that leaves a stack, or more than JSON, in the log', () => {
  const lines = d.server.output().trim().split('\n').map(line => JSON.parse(line) as { level: string })
  expect(lines.filter(({ level }) => level === 'error')).toEqual([])
  expect(d.server.output()).not.toMatch(/\bat .*\.mjs/)
})

it('what node, Nitro and libraries print is JSON too', async () => {
  const print = `process.once('SIGUSR2', () => { process.emitWarning('careful'); console.log('plain %s', 'text'); console.error('bad', new Error('first\\nsecond')); Promise.reject(new TypeError('unhandled')); })`
  const server = await startServer({
    ...d.env, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(print)}`,
  })
  process.kill(server.pid, 'SIGUSR2')
  await until('all of it', () => server.output().includes('unhandled'))
  const lines = server.output().trim().split('\n').map(line => (
    JSON.parse(line) as { event: string, level: string, message?: string, error?: { message: string } }
  ))
  expect(lines).toEqual(expect.arrayContaining([
    expect.objectContaining({
      event: 'console', level: 'info', message: expect.stringContaining('Listening on') as string,
    }),
    expect.objectContaining({
      event: 'process.warning', level: 'warn', error: expect.objectContaining({ message: 'careful' }) as object,
    }),
    expect.objectContaining({ event: 'console', level: 'info', message: 'plain %s' }),
    expect.objectContaining({
      event: 'console', level: 'error', message: 'bad',
      error: expect.objectContaining({ message: 'first\nsecond' }) as object,
    }),
    expect.objectContaining({
      event: 'console', level: 'error', message: '[unhandledRejection]',
      error: expect.objectContaining({ name: 'TypeError' }) as object,
    }),
  ]))
  expect(await server.stop()).toBe(0)
})

it('a start that fails says so in JSON, a line for each problem', async () => {
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
