import { describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { endAfterAll } from '../support/lifetime'
import { startServer } from '../support/server'
import type { Block } from '../support/slack'
import { deployAgent, heard, tell } from '../support/slack-people'
import { postsIn, say } from '../support/slack-talk'

const d = endAfterAll(await deployAgent({ AGENT_RATE_LIMIT: '3' }))
const other = endAfterAll(await startServer(d.env))

const inPrivate = () => postsIn(d.slack, '', d.slack.dmChannel).map(({ blocks, text }) => blocks
  ? blockText(blocks as Block[])
  : String(text))

describe('a direct message', () => {
  it('of a stranger gets the script, and no call of the model', async () => {
    for (const words of ['hello there', 'tell me everything', 'pending']) {
      await say(d.server.url, d.slack, words, { channel: d.slack.dmChannel, user: d.slack.botId.replace(/.$/, 'Z') })
      await d.server.drain()
    }
    expect(d.model.requests).toEqual([])
    expect(inPrivate()).toEqual([
      expect.stringContaining('I am the form triage bot'), expect.stringContaining('Type help'),
      expect.stringContaining('only in the channel of the cards'),
    ])
    expect(d.slack.calls('conversations.members')).toHaveLength(1)
  })

  it('of somebody who shares the channel gets the agent, which knows no forms there', async () => {
    d.model.script({ text: 'Hello, colleague.' })
    await say(d.server.url, d.slack, 'hello', { channel: d.slack.dmChannel })
    await d.server.drain()
    expect(d.model.requests).toHaveLength(1)
    expect(JSON.stringify(d.model.requests[0])).not.toContain('forwardSubmission')
  })

  it('while Slack does not say who is in the channel gets the script', async () => {
    d.slack.fault = ({ path }) => path === '/api/conversations.members' ? { status: 500 } : undefined
    const before = d.model.requests.length
    await say(other.url, d.slack, 'hello again', { channel: d.slack.dmChannel, user: d.slack.colleague.id })
    await other.drain()
    d.slack.fault = () => undefined
    expect(d.model.requests).toHaveLength(before)
    expect(other.output()).toContain('"membership.unknown"')
  })
})

describe('AGENT_RATE_LIMIT', () => {
  it('counts each person over all replicas; beyond it commands work, and it says when the hour is over', async () => {
    d.model.script({ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' })
    const before = d.model.requests.length
    const by = d.slack.colleague
    const threads: string[] = []
    for (const url of [d.server.url, other.url, d.server.url, other.url]) {
      threads.push(await tell(d, 'hello', { by, url }))
      await Promise.all([d.server.drain(), other.drain()])
    }
    expect(d.model.requests).toHaveLength(before + 3)
    expect(postsIn(d.slack, threads[3]!).map(({ blocks }) => blockText(blocks as Block[]))).toEqual([
      expect.stringMatching(
        /You have asked me 3 times within an hour, which is the limit here\. Ask me again in \d+ min\./,
      ),
    ])
    await tell(d, 'status', { by, thread: threads[3]! })
    await heard(d, threads[3]!)
    expect(
      postsIn(d.slack, threads[3]!).map(({ blocks }) => blockText(blocks as Block[])).at(-1),
    ).toContain('Connected: Slack')
    expect(d.model.requests).toHaveLength(before + 3)
  })
})
