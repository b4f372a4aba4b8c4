import { afterEach, describe, expect, it } from 'vitest'
import { blockText } from '../support/block-kit'
import { submit } from '../support/deployment'
import { endAfterAll } from '../support/lifetime'
import { startServer } from '../support/server'
import { CHANNEL, sendEvent } from '../support/slack'
import { deployAgent, heard, openCards, press, tell, textOf } from '../support/slack-people'
import { whispers } from '../support/slack-talk'
import { until } from '../support/until'

/** Text longer than the buffer of Slack's client */
const LONG = 'This is what I found so far. '.repeat(20).trim()
const TEXT = [`${LONG}\n\n`, 'And ', 'so ', 'on ']
const STOPPED = 'Stopped by Ada Lovelace.'

/** Delay of Slack's answers, ms: longer than any other work of the service takes. */
const SLOW_MS = 700

const d = endAfterAll(await deployAgent())
const other = endAfterAll(await startServer(d.env))
afterEach(() => { d.slack.fault = () => undefined })

let presses = 0

/** Presses Slack's Stop as Ada. By default, the event goes to a different server than the answering one. */
async function stop(thread: string, { url = other.url, closed = [] as string[] } = {}): Promise<void> {
  const { id, team_id } = d.slack.reviewer
  const ts = `${1_900_000_000 + presses++}.000100`
  const response = await sendEvent(url, {
    type: 'event_callback', team_id, api_app_id: 'A000000001', event_id: `EvStop${ts}`, event_time: Number.parseInt(ts),
    event: {
      type: 'agent_session_stopped', channel: CHANNEL, user: id, thread_ts: thread, streaming_message_ts: closed,
      event_ts: ts,
    },
  })
  expect(response.status).toBe(200)
  await other.drain()
}

const begun = (thread: string) => until('the answer to begin', () => (
  d.slack.calls('chat.startStream').some(({ thread_ts }) => thread_ts === thread)
))

/** Checks that the answer keeps its text, and ends with the name of the person who stopped it. */
async function expectStopped(thread: string): Promise<void> {
  const [said, ...rest] = await heard(d, thread)
  expect(said).toContain(LONG.slice(0, 100))
  expect(rest).toEqual([STOPPED])
}

const spam = (id: string) => ({ name: 'markSubmissionAsSpam', input: { id }, id: `call_${id}` })

describe('an answer that somebody stops', () => {
  it.each(['the server that makes it', 'another one'])('at %s ends at once, and says by whom', async (where) => {
    d.model.script({ text: TEXT, end: 'hang' })
    const thread = await tell(d, 'tell me everything')
    await begun(thread)
    await stop(thread, { url: where === 'another one' ? other.url : d.server.url })
    await expectStopped(thread)
    expect(d.server.output()).not.toContain('agent.reply-failed')
  })

  it('says by whom, also when Slack takes words as it happens and is slow to take that the session is over', async () => {
    d.model.script({ text: TEXT, end: 'hang' })
    const thread = await tell(d, 'tell me everything')
    const [closed, over] = ['chat.stopStream', 'agents.sessions.setStatus'].map((method) => {
      const before = d.slack.calls(method).length
      return until(method, () => d.slack.calls(method).length > before)
    })
    d.slack.fault = ({ path }) => {
      if (path.includes('chat.startStream')) return { hold: over! }
      if (!path.includes('agents.sessions.setStatus')) return
      return { hold: closed!.then(() => new Promise(resolve => setTimeout(resolve, SLOW_MS))) }
    }
    await begun(thread)
    await stop(thread, { url: d.server.url })
    await expectStopped(thread)
    expect(d.server.output()).not.toContain('agent.reply-failed')
  })

  it('keeps what was said where Slack has closed the message by itself', async () => {
    d.model.script({ text: TEXT, end: 'hang' })
    const thread = await tell(d, 'tell me everything')
    await begun(thread)
    d.slack.fault = ({ path }) => /chat\.(?:append|stop)Stream/.test(path)
      ? { status: 200, body: '{"ok":false,"error":"message_not_in_streaming_state"}' }
      : undefined
    await stop(thread, { closed: [(await d.slack.thread(thread)).at(-1)!.ts] })
    await expectStopped(thread)
  })

  it('calls no tool and asks for nothing any more', async () => {
    const { id } = await submit(d, { name: 'Grace' })
    d.model.script({ text: TEXT, pauseMs: 60_000, calls: [spam(id)] })
    const thread = await tell(d, 'mark it as spam')
    await begun(thread)
    await stop(thread)
    await expectStopped(thread)
    expect(d.model.requests).toHaveLength(1)
  })

  it('before its first word says so, too', async () => {
    d.model.script({ end: 'hang' })
    const thread = await tell(d, 'think')
    await until('the question', () => d.model.requests.length === 1)
    await stop(thread)
    expect(await heard(d, thread)).toEqual([STOPPED])
  })
})

describe('an approval that waits', () => {
  it('suspends the session, and is withdrawn when somebody stops the agent', async () => {
    const { id, card } = await submit(d, { name: 'Grace' })
    d.model.script({ text: 'I suggest this.', calls: [spam(id)] })
    const thread = await tell(d, 'mark it as spam')
    const [approval] = await openCards(d, thread)
    await d.server.drain()
    expect(d.slack.calls('agents.sessions.setStatus').at(-1)).toMatchObject({ thread_ts: thread, status: 'suspended' })
    await stop(thread)
    const shown = (await d.slack.thread(thread)).find(({ ts }) => ts === approval!.ts)!
    expect(shown.blocks.some(({ type }) => type === 'actions')).toBe(false)
    expect(textOf(shown)).toContain('Not done: stopped by Ada Lovelace on Slack')
    await press(d, approval!, 'approve')
    await d.server.drain()
    expect(whispers(d.slack).at(-1)).toMatchObject({ text: expect.stringContaining('This is over') })
    expect(d.model.requests).toHaveLength(1)
    const now = (await d.slack.messages()).find(({ ts }) => ts === card.ts)!
    expect(blockText(now.blocks)).toContain('New Form Submission')
  })

  it('in another thread goes on waiting', async () => {
    const { id } = await submit(d, { name: 'Grace' })
    d.model.script({ text: 'I suggest this.', calls: [spam(id)] })
    const thread = await tell(d, 'mark it as spam')
    await openCards(d, thread)
    await d.server.drain()
    await stop('1700000000.000001')
    expect(await openCards(d, thread)).toHaveLength(1)
  })
})
