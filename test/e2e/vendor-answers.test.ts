import { expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { cardNow, click, deploy, failureOf, idOf, sendForm, submit } from '../support/deployment'
import { endAfterTest, formsFile, testFolder } from '../support/lifetime'
import { until } from '../support/until'
import { postJson } from '../support/webhook'

it('a post that Slack takes without saying its id is posted again, and that card follows', async () => {
  const d = endAfterTest(await deploy())
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
  const d = endAfterTest(await deploy())
  const answers = [
    { status: 200, body: '<h1>Welcome</h1>', headers: { 'content-type': 'text/html' } }, { status: 200, body: '{}' },
    'lose-answer' as const,
  ]
  let sends = 0
  d.resend.fault = ({ method }) => method === 'POST' ? answers[sends++] : undefined
  const { id, card } = await submit(d, { name: 'Ada' })
  await click(d, card, 'forward', id)
  await until('the end', () => d.server.output().includes('"submission.finished"'))
  const keys = d.resend.requests.filter(({ method }) => method === 'POST').map(({ headers }) => (
    headers['idempotency-key']
  ))
  expect(keys.length).toBeGreaterThan(answers.length)
  expect(new Set(keys).size).toBe(1)
  expect(await d.resend.emails()).toHaveLength(1)
})

it('a refused channel of a form is named, and not the variable of another', async () => {
  const FORMS_CONFIG = formsFile({ jobs: { name: 'Jobs', channels: { slack: 'C0JOBS0001' } } }, testFolder())
  const d = endAfterTest(await deploy({ FORMS_CONFIG }))
  await sendForm(d.server, { name: 'default' })
  const id = await idOf(await postJson(`${d.server.url}/api/form/jobs`, '{"name":"Ada"}'))
  const failure = await until('the refusal', () => failureOf(d, id, 'Slack'))
  expect(failure).toMatchObject({
    room: 'slack/C0JOBS0001',
    reason: 'Slack answered channel_not_found. Check the channel C0JOBS0001 of forms.config.ts (or FORMS_CONFIG).',
  })
})
