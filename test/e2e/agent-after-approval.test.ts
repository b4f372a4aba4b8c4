import { createClient } from 'redis'
import { beforeEach, expect, it } from 'vitest'
import { RedisApprovals } from '../../server/adapters/redis/approvals'
import { endAfterAll } from '../support/lifetime'
import { connectRedis } from '../support/redis-client'
import { submit } from '../support/deployment'
import { deployAgent, heard, openCards, press, tell, type AgentDeployment } from '../support/slack-people'
import { until } from '../support/until'

const UNCERTAIN = 'Mark submission as spam: This was approved, so it may have been done before that. Please check, and ask me again only if it is still to be done.'

const d = endAfterAll(await deployAgent())
beforeEach(() => { d.slack.fault = () => undefined })

/** Ada asks, and the model proposes to mark a new submission as spam; the test scripts what follows. */
async function proposed(...after: Parameters<AgentDeployment['model']['script']>) {
  const { id, card } = await submit(d, { name: 'Grace' })
  d.model.script({ calls: [{ name: 'markSubmissionAsSpam', input: { id } }] }, ...after)
  const thread = await tell(d, 'mark it as spam')
  const [approval] = await openCards(d, thread)
  await d.server.drain()
  const title = async () => (
    (await d.slack.messages()).find(({ ts }) => ts === card.ts)!.blocks[0]!.text.text as string
  )
  return { thread, approval: approval!, title }
}

it('the model fails after an approved write: the thread is told that it may be done', async () => {
  const { thread, approval, title } = await proposed({ status: 400 })
  await press(d, approval, 'approve')
  expect((await heard(d, thread)).slice(1)).toEqual([
    expect.stringContaining('The language model does not work just now'), UNCERTAIN,
  ])
  expect(await title()).toContain('marked as spam')
})

it('the platform refuses the answer after an approved write: the thread is told that it may be done', async () => {
  const { thread, approval, title } = await proposed({ text: 'It is done.' })
  d.slack.fault = ({ path, body }) => (
    /startStream|postMessage/.test(path) && /It(?: |\+|%20)is/.test(body) ? { status: 500 } : undefined
  )
  await press(d, approval, 'approve')
  expect((await heard(d, thread)).slice(1)).toEqual([
    'That did not work just now. Please ask again in a moment.', UNCERTAIN,
  ])
  expect(await title()).toContain('marked as spam')
})

it('the model fails after a denial: there is nothing to check', async () => {
  const { thread, approval, title } = await proposed({ status: 400 })
  await press(d, approval, 'deny')
  expect((await heard(d, thread)).slice(1)).toEqual([
    expect.stringContaining('The language model does not work just now'),
  ])
  expect(await title()).toBe('New Form Submission')
})

it('a process dies after a denial: nobody is told of an approval', async () => {
  const { thread } = await proposed()
  const [redis, client] = [await createClient({ url: d.redis.url }).connect(), await connectRedis(d.redis.url)]
  const turn = (await redis.zRange('{triage}:approvals', -1, -1))[0]!
  // Record the decision as the dead process did before it died.
  await new RedisApprovals(client).decide(
    turn, 0, { approved: false, by: { id: d.slack.reviewer.id, name: 'Ada', platform: 'Slack' }, at: Date.now() },
    Date.now(),
  )
  await until('the end of the turn', async () => await redis.exists(`{triage}:approval:${turn}`) === 0)
  expect((await heard(d, thread)).join()).not.toContain('approved')
  await Promise.all([redis.close(), client.close()])
})
