import { createHash, randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { readdir, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CREATE, PUT } from '../../server/adapters/redis/store/scripts'
import { RedisStore } from '../../server/adapters/redis/store/store'
import { storeRules, isOver } from '../../server/domain/lifecycle/record'
import { connectRedis } from '../support/redis-client'
import { arm, restart, taken, trace, type CrashPoint } from '../support/crash-points'
import { cardOf, click, deploy, sendForm, submit, type Deployment } from '../support/deployment'
import { blockActions, interact } from '../support/slack'
import { startTcpProxy, type Command, type TcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'
import { SESSION_PASSWORD } from '../support/visitor'
import { kept, pdf, sendFiles } from '../support/uploads'

const WORDS = { subject: 'We have your order', text: 'We answer within two days.' }
const dir = mkdtempSync(join(tmpdir(), 'crash-forms-'))
const uploads = join(dir, 'uploads/form-files')
const cv = pdf(2 * 2 ** 20 + 1)
const sha256 = (content: ArrayBuffer | Buffer) => createHash('sha256').update(new Uint8Array(content)).digest('hex')
const wrote = (...scripts: { sha: string }[]) => ({ sha }: Command) => scripts.some(script => script.sha === sha)
/** Matches the write that adds the confirmation after the email was sent. A slow email may cause earlier writes. */
const wroteForward = (command: Command) => wrote(PUT)(command)
  && command.args.some(arg => arg.includes('"kind":"confirm"'))
let d: Deployment
let tcp: TcpProxy
/** Reads Redis directly, not through the proxy. */
let store: RedisStore

beforeAll(async () => {
  const path = join(dir, 'forms.json')
  writeFileSync(path, JSON.stringify({
    jobs: { name: 'Jobs', endpoint: null, files: { max: 2 } },
    orders: { name: 'Orders', endpoint: null, confirm: WORDS },
  }))
  tcp = await startTcpProxy()
  d = await deploy({
    NODE_ENV: 'development', STORE_URL: tcp.url, LEASE_MS: '4000', SWEEP_INTERVAL_MS: '50', RETRY_BASE_MS: '50',
    FORMS_CONFIG: path, DATA_DIR: dir, NUXT_SESSION_PASSWORD: SESSION_PASSWORD,
  })
  tcp.use(d.redis.port)
  store = new RedisStore(await connectRedis(d.redis.url), storeRules)
  // From here on, Redis has loaded every script, so running a script takes exactly one command.
  await until('a form accepted', async () => (await sendForm(d.server, { name: 'first' })).status === 200)
  const { id, card } = await submit(d, { name: 'warm-up' })
  await click(d, card, 'forward', id)
})
afterAll(async () => {
  await store.close()
  await d.close()
  await tcp.close()
  rmSync(dir, { recursive: true })
})

/** Kills the server at this point of `act`, and resolves with the answer to `act`. */
async function killed(at: CrashPoint['at'], act: () => Promise<Response>): Promise<Response | null> {
  await d.server.drain()
  const dead = arm(d, tcp, { at }, 0)
  const [answer] = await Promise.all([taken(act), dead])
  return answer
}

/** Makes all stored files look an hour old, and starts the server again. */
async function anHourLater(): Promise<void> {
  const old = Date.now() / 1000 - 3700
  for (const name of await readdir(uploads, { recursive: true })) await utimes(join(uploads, name), old, old)
  await restart(d)
}

describe('SIGKILL, with files', () => {
  const send = (key: string) => sendFiles(
    d.server, '/api/form/jobs', { name: 'Ada' }, [{ name: 'cv.pdf', content: cv }, { name: 'more.pdf', content: cv }],
    { 'idempotency-key': key },
  )

  test('when they are stored and the record is not: the next sweep leaves nothing of them', async () => {
    expect(await killed({ redis: wrote(CREATE), phase: 'before' }, () => send('one'))).toBeNull()
    expect((await kept(dir)).length).toBeGreaterThan(2)
    await anHourLater()
    await until('nothing', async () => (await readdir(uploads)).length === 0)
  })

  test('when the record is written and nobody was answered: all of them stay, and are sent again for nothing', async () => {
    expect(await killed({ redis: wrote(CREATE), phase: 'after' }, () => send('two'))).toBeNull()
    const stored = await kept(dir)
    await anHourLater()
    const { submissionId: id } = await (await send('two')).json()
    await cardOf(d, id)
    await d.server.drain()
    expect(await kept(dir)).toEqual(stored)
    expect(await readdir(uploads)).toEqual([id])
    const page = `${d.server.url}/api/submissions/${id}`
    const { files } = await (await fetch(page)).json() as { files: { url: string }[] }
    expect(files).toHaveLength(2)
    for (const { url } of files) expect(sha256(await (await fetch(d.server.url + url)).arrayBuffer())).toBe(sha256(cv))
    await fetch(page, { method: 'DELETE' })
    await until('nothing', async () => (await readdir(uploads)).length === 0)
  })

  test('when the decision is written that ends them, and they are there: the next sweep erases them', async () => {
    const { submissionId: id } = await (await send('three')).json()
    const card = await cardOf(d, id)
    await killed({ redis: wrote(PUT), phase: 'after' }, () => (
      interact(d.server.url, blockActions(card, 'spam', id, d.slack.reviewer))
    ))
    expect(await readdir(uploads)).toEqual([id])
    await anHourLater()
    await until('nothing', async () => (await readdir(uploads)).length === 0)
  })
})

describe('SIGKILL, with a confirmation', () => {
  const mail = (phase: 'before' | 'after') => (
    { vendor: 'resend', path: '/emails', phase, says: WORDS.subject } as const
  )

  test.each<[string, CrashPoint['at'], out: number]>([
    ['when the forward went out and is not on record', { redis: wroteForward, phase: 'before' }, 0],
    ['when the forward is on record', { redis: wroteForward, phase: 'after' }, 0],
    ['before it is sent', mail('before'), 0],
    ['when it is sent and nobody was answered', mail('after'), 1],
    ['when it is sent and not on record', { redis: trace, phase: 'before' }, 1],
  ])('%s: forward and confirmation go out once, each under one key', async (_, at, out) => {
    const email = `ada-${randomUUID()}@example.com`
    const { submissionId: id } = await (await sendForm(d.server, { email }, {}, '/orders')).json()
    const card = await cardOf(d, id)
    // The emulator returns null for an email without HTML.
    const sent = async () => (await d.resend.emails()).filter(({ to, html }: { to: string[], html: string | null }) => (
      to.includes(email) || html?.includes(id)
    ))
    await killed(at, () => interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer)))
    expect(await sent()).toHaveLength(1 + out)
    await restart(d)
    await until('only its trace', async () => isOver((await store.get(id))!))
    await d.server.drain()
    const subjects = (await sent()).map(({ subject }) => subject)
    expect(subjects.sort()).toEqual([WORDS.subject, expect.stringContaining('Orders')])
    const keys = d.resend.requests.filter(({ body }) => body.includes(`"to":["${email}"]`)).map(
      ({ headers }) => headers['idempotency-key'],
    )
    expect(new Set(keys)).toEqual(new Set([expect.stringMatching(RegExp(`^${id}-confirm-`))]))
  })
})
