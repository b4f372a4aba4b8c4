import { createClient } from 'redis'
import { afterEach, expect, it } from 'vitest'
import { endAfterAll } from '../support/lifetime'
import { startServer, type Server } from '../support/server'
import { deployAgent, tell } from '../support/slack-people'
import { until } from '../support/until'

const CRON_SECRET = 'a-cron-secret-of-the-test'

const ALL = ['Answer 1.', 'Answer 2.', 'Answer 3.']

let next: Server | undefined
const d = endAfterAll(await deployAgent({ CRON_SECRET, LEASE_MS: '1500' }))
afterEach(() => next?.kill())

const said = async (thread: string) => (
  (await d.slack.thread(thread)).filter(({ user }) => user === d.slack.botId).map(({ text }) => text)
)

/** Sends three messages, and kills the process during the first answer, while the other two messages wait. */
async function leaveBehind(server: Server): Promise<string> {
  d.model.script({ text: 'I begin', end: 'hang' })
  const thread = await tell(d, 'first', { url: server.url })
  await until('the first to be asked', () => d.model.requests.length === 1)
  for (const text of ['second', 'third']) await tell(d, text, { thread, url: server.url })
  await until('both to wait', async () => (await waiting(thread)) === 3)
  await server.kill()
  d.model.script(...ALL.map(text => ({ text })))
  return thread
}

async function waiting(thread: string): Promise<number> {
  const client = await createClient({ url: d.redis.url }).connect()
  const length = await client.lLen(`{triage}:conversation:slack:C000000001:${thread}`)
  client.destroy()
  return length
}

it('messages that waited behind an answer in which the process died are answered by the next, once each, in order', async () => {
  const thread = await leaveBehind(d.server)
  next = await startServer(d.env)
  await until('all answers', async () => (await said(thread)).includes(ALL[2]!))
  await next.drain()
  expect((await said(thread)).filter(text => text.startsWith('Answer'))).toEqual(ALL)
  expect(d.model.left()).toBe(0)
  // The first message still counts as the one that opened the conversation: it is answered on its own.
  expect(d.model.requests[0]!.messages).toEqual([{ role: 'user', content: expect.stringContaining('first') as string }])
  expect(await waiting(thread)).toBe(0)
})

it('where no process stays, the cron that sweeps has them answered', async () => {
  const thread = await leaveBehind(await startServer(d.env))
  next = await startServer({ ...d.env, SWEEP_INTERVAL_MS: '3600000' })
  await until('all answers', async () => {
    expect(
      (await fetch(`${next!.url}/api/cron/sweep`, { headers: { authorization: `Bearer ${CRON_SECRET}` } })).status,
    ).toBe(200)
    return (await said(thread)).includes(ALL[2]!)
  })
  // A message left in the queue would be answered again.
  await next.drain()
  expect((await said(thread)).filter(text => text.startsWith('Answer'))).toEqual(ALL)
})

it('a message that ends every process is not tried for ever: people are told', async () => {
  d.model.script()
  let server = await startServer(d.env)
  const hanging = { text: 'I begin', end: 'hang' } as const
  d.model.script(hanging)
  const thread = await tell(d, 'poison', { url: server.url })
  for (let attempt = 1; attempt <= 3; attempt++) {
    await until(`attempt ${attempt}`, () => d.model.requests.length > 0)
    await server.kill()
    expect(d.model.requests).toHaveLength(1)
    d.model.script(hanging)
    server = next = await startServer(d.env)
  }
  await until('an apology', async () => (
    (await d.slack.thread(thread)).some(message => JSON.stringify(message).includes('That did not work just now'))
  ))
  await server.drain()
  expect(d.model.requests).toHaveLength(0)
  expect(await waiting(thread)).toBe(0)
})
