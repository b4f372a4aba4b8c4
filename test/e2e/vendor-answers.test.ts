import { createClient } from 'redis'
import { afterEach, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, emailsAbout, failureOf, idOf, sendForm, submit } from '../support/deployment'
import { endAfterAll, formsFile } from '../support/lifetime'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

const FORMS_CONFIG = formsFile({ jobs: { name: 'Jobs', channels: { slack: 'C0JOBS0001' } } })
const d = endAfterAll(await deploy({ FORMS_CONFIG }))
afterEach(() => { d.slack.fault = d.resend.fault = () => undefined })

it('a post that Slack takes without saying its id is posted again, and that card follows', async () => {
  let posts = 0
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage' && posts++ === 0
    ? { status: 200, body: '{"ok":true}' }
    : undefined
  const { id, card } = await submit(d, { name: 'Ada' })
  expect(failureOf(d, id, 'Slack')).toMatchObject({
    work: 'post', again: true, reason: 'Slack answered without the id of the message.',
  })
  await click(d, card, 'forward', id)
  const closed = await until('the card closed', async () => {
    const now = await cardNow(d, card)
    return !now.blocks.some(({ type }) => type === 'actions') && now
  })
  expect(blockText(closed.blocks)).toContain('Form Submission forwarded')
})

it('an email that is answered with a page or without an id is sent once, under one key', async () => {
  const answers = [
    { status: 200, body: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } }, { status: 200, body: '{}' },
    'lose-answer' as const,
  ]
  let sends = 0
  d.resend.fault = ({ method }) => method === 'POST' ? answers[sends++] : undefined
  const { id, card } = await submit(d, { name: 'Ada' })
  await click(d, card, 'forward', id)
  await until('the end', () => d.server.output().split('\n').some(line => (
    line.includes('"submission.finished"') && line.includes(id)
  )))
  const keys = emailsAbout(d, id).map(({ headers }) => headers['idempotency-key'])
  expect(keys.length).toBeGreaterThan(answers.length)
  expect(new Set(keys).size).toBe(1)
  expect((await d.resend.emails()).filter(({ html }) => html.includes(id))).toHaveLength(1)
})

it('a refused channel of a form is named, and not the variable of another', async () => {
  const id = await idOf(await postJson(`${d.server.url}/api/form/jobs`, '{"name":"Ada"}'))
  const failure = await until('the refusal', () => failureOf(d, id, 'Slack'))
  expect(failure).toMatchObject({
    room: 'slack/C0JOBS0001',
    reason: 'Slack answered channel_not_found. Check the channel C0JOBS0001 of forms.config.ts (or FORMS_CONFIG).',
  })
})

it('a Retry-After of years closes a room for an hour at most', async () => {
  d.slack.fault = ({ path }) => path === '/api/chat.postMessage'
    ? { status: 429, body: '{"ok":false,"error":"ratelimited"}', headers: { 'retry-after': '99999999999' } }
    : undefined
  const id = await idOf(await sendForm(d.server, { name: 'Ada' }))
  await until('the refusal', () => failureOf(d, id, 'Slack'))
  await d.server.drain()
  const client = await createClient({ url: d.redis.url }).connect()
  const ttl = await client.pTTL('{triage}:line:slack:gate').finally(() => client.destroy())
  expect(ttl).toBeGreaterThan(3_000_000)
  expect(ttl).toBeLessThanOrEqual(3_600_000)
})
