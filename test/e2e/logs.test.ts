import { describe, expect, it } from 'vitest'
import { cardNow, click, deploy, openEdit, sendForm, SIGNING_KEY, submit, submitEdit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startProxy } from '../support/proxy'
import { startServer } from '../support/server'
import { BOT_TOKEN, blockActions, interact, sendEvent, SIGNING_SECRET } from '../support/slack'
import { startTcpProxy } from '../support/tcp-proxy'
import { until } from '../support/until'

/** Marker in every text that users type or vendors answer */
const MARK = 'xyzzy'
const ADDRESS = '203.0.113.77'
const API_KEY = `key-for-servers-${MARK}-0123`
const form = {
  [`${MARK}-field`]: `${MARK} value`, email: `${MARK}@private.example`, phone: '+1 555 019 9477',
  note: `line one ${MARK}\nline two`,
}

const lines = (text = output) => text.split('\n').filter(Boolean)

const send = (body: unknown, headers: Record<string, string> = {}) => sendForm(
  d.server, body, { 'x-forwarded-for': ADDRESS, 'idempotency-key': `${MARK}-${Math.random()}`, ...headers },
)

async function decided(): Promise<void> {
  const forwarded = await submit(d, form)
  await click(d, forwarded.card, 'forward', forwarded.id)
  await click(d, forwarded.card, 'forward', forwarded.id)
  const spam = await submit(d, form)
  await click(d, spam.card, 'spam', spam.id)
  const edited = await submit(d, { ...form, list: [1] })
  const view = await openEdit(d, edited.card, edited.id)
  await submitEdit(d, view, { f0: `${MARK} typed`, f4: `{${MARK} no list` })
  await submitEdit(d, view, { f0: `${MARK} typed` })
  await submitEdit(d, view, { f0: `${MARK} too late` })
}

/** Makes vendors refuse requests, with errors that quote the input. */
async function failing(): Promise<void> {
  const body = JSON.stringify({
    ok: false, error: `bad_${MARK}`, name: 'validation_error', message: `${form.email} is ${MARK}`, statusCode: 422,
  })
  for (const fault of [
    { status: 500, body }, 'drop' as const, { status: 429, body, headers: { 'retry-after': '1' } },
    { status: 422, body },
  ]) {
    const { id, card } = await submit(d, form)
    for (const vendor of [d.slack, d.resend, d.endpoint]) vendor.fault = ({ method }) => method === 'POST'
      ? fault
      : undefined
    await send(form)
    // Don't wait for background work: retries keep it busy.
    for (const action of ['edit', 'forward']) await interact(
      d.server.url, blockActions(card, action, id, d.slack.reviewer, await d.slack.trigger()),
    )
    for (const work of ['email', 'endpoint', 'update']) await until(
      `${work} failed`,
      () => lines(d.server.output()).some(line => line.includes('work.failed') && line.includes(id)
        && line.includes(`"${work}"`)),
    )
    for (const vendor of [d.slack, d.resend, d.endpoint]) vendor.fault = () => undefined
  }
}

async function malformed(): Promise<void> {
  for (const body of [
    `{"${MARK}": ${MARK}`, MARK, `"${MARK}"`, `["${MARK}"]`, `${'['.repeat(200)}"${MARK}"${']'.repeat(200)}`,
    `{"a":${'{"a":'.repeat(200)}"${MARK}"${'}'.repeat(201)}`,
  ]) expect((await send(body)).status).toBe(400)
  for (const type of [
    `text/${MARK}`, 'multipart/form-data; boundary=none', `multipart/form-data; boundary="${MARK}`,
  ]) expect((await send(MARK, { 'content-type': type })).status).toBeGreaterThanOrEqual(400)
  expect((await send({ a: MARK.repeat(80_000) })).status).toBe(413)
  expect((await send({ ...form, _gotcha: MARK })).status).toBe(200)
  for (const path of [
    `/api/form?token=${MARK}`, `/api/${MARK}`, `/submissions/${MARK}?key=${MARK}`, `/api/submissions/${MARK}`,
    `/api/cron/sweep?secret=${MARK}`, `/%${MARK}`, `/api/webhooks/${MARK}`,
  ]) {
    await (await fetch(d.server.url + path, { headers: { authorization: `Bearer ${MARK}` } })).arrayBuffer()
    await (await fetch(
      d.server.url + path, { method: 'POST', body: MARK, headers: { cookie: `session=${MARK}` } },
    )).arrayBuffer()
  }
  for (const options of [{}, { secret: MARK }, { signature: `v0=${MARK}` }]) {
    await sendEvent(d.server.url, { type: 'event_callback', event_id: `E${Math.random()}`, event: {
      type: 'app_mention', channel: 'C000000001', user: 'U1', ts: '1.1', text: MARK,
    } }, options)
    await sendEvent(d.server.url, { type: MARK, token: MARK }, options)
  }
  const { card } = await submit(d, form)
  for (const action of ['forward', 'edit', 'spam', MARK]) await click(d, card, action, MARK)
}

async function withoutRedis(): Promise<void> {
  const { id, card } = await submit(d, form)
  const view = await openEdit(d, card, id)
  await tcp.refuse()
  expect((await send(form)).status).toBe(503)
  await interact(d.server.url, blockActions(card, 'forward', id, d.slack.reviewer))
  await submitEdit(d, view, { f0: `${MARK} typed` }).catch(() => null)
  await tcp.accept()
  await until('a form accepted again', async () => (await send(form)).status === 200)
}

async function guardedForms(): Promise<void> {
  const post = (body: object, headers: Record<string, string>) => sendForm(
    guarded, { ...form, ...body }, { 'x-forwarded-for': ADDRESS, ...headers },
  )
  await post({}, { 'x-api-key': API_KEY })
  await post({}, { authorization: `Bearer wrong-${MARK}` })
  await post({}, { origin: `https://${MARK}.example` })
  await post({ 'cf-turnstile-response': `${MARK}-token` }, { origin: 'https://shop.example' })
  verifier.fault = () => ({ status: 500, body: MARK })
  await post({ 'cf-turnstile-response': `${MARK}-token` }, { origin: 'https://shop.example' })
  for (let count = 0; count < 6; count++) await post({}, { 'x-api-key': API_KEY })
}

const tcp = endAfterAll(await startTcpProxy())
const verifier = endAfterAll(await startProxy())
const d = endAfterAll(await deploy({ STORE_URL: tcp.url, TRUST_PROXY: '1', CRON_SECRET: `cron-${MARK}-0123456789` }))
tcp.use(d.redis.port)
await until('a form accepted', async () => (await send(form)).status === 200)
const guarded = await startServer({
  ...d.env, FORM_API_KEY: API_KEY, FORM_ALLOWED_ORIGINS: 'https://shop.example', FORM_RATE_LIMIT: '3',
  TURNSTILE_SECRET_KEY: `${MARK}-turnstile`, TURNSTILE_VERIFY_URL: `${verifier.url}/siteverify`,
})
const locked = await startServer({ ...d.env, STORE_URL: `redis://${MARK}:${MARK}-password@127.0.0.1:${d.redis.port}` })
await decided()
await malformed()
await guardedForms()
await withoutRedis()
await failing()
expect((await sendForm(locked, form)).status).toBe(503)
const { card } = await submit(d, form)
await until('the card', () => cardNow(d, card))
for (const server of [d.server, guarded, locked]) expect(await server.stop()).toBe(0)
const output = [d.server, guarded, locked].map(server => server.output()).join('')

describe('the log of everything that can happen', () => {
  it('is one JSON object a line with time, level and event', () => {
    const others = lines().filter((line) => {
      try {
        const { time, level, event } = JSON.parse(line) as Record<string, unknown>
        return !(typeof time === 'string' && !Number.isNaN(Date.parse(time))
          && ['info', 'warn', 'error'].includes(String(level)) && typeof event === 'string')
      }
      catch {
        return true
      }
    })
    expect(others).toEqual([])
  })

  it('tells of decisions, failures, traps and outages', () => {
    const events = new Set(
      lines().filter(line => line.startsWith('{')).map(line => (JSON.parse(line) as { event: string }).event),
    )
    expect([...events]).toEqual(expect.arrayContaining([
      'submission.claimed', 'work.failed', 'review.failed', 'intake.honeypot', 'intake.human-check',
      'redis.unreachable', 'redis.reachable',
    ]))
  })

  it('has nothing of what people typed, vendors quoted, or attackers sent', () => {
    expect(lines().filter(line => line.toLowerCase().includes(MARK))).toEqual([])
  })

  it.each([
    ADDRESS, '@private.example', 'triage@example.com', 'forms@example.com', '555 019', BOT_TOKEN, SIGNING_SECRET,
    SIGNING_KEY.slice(6), 'secret-in-url', 're_test_key', 'Lovelace',
  ])('does not have %s', text => expect(lines().filter(line => line.includes(text))).toEqual([]))
})
