import { beforeEach, describe, expect, it } from 'vitest'
import { blockKitProblems, blockText } from '../support/block-kit'
import { deploy, submit } from '../support/deployment'
import { endAfterAll, endAfterTest } from '../support/lifetime'
import { startServer } from '../support/server'
import { blockActions, CHANNEL, command, interact, sendEvent, type Block, type SlackMessage } from '../support/slack'
import { envelope, mention, nextTs, postsIn, said, say } from '../support/slack-talk'
import { timed, took } from '../support/stopwatch'
import { until } from '../support/until'

const MENTION = '<!subteam^S0123456789>'
const BURST = 30

const d = endAfterAll(await deploy({ ESCALATION_MENTION: `${MENTION} <@&123456789012345678>` }))
beforeEach(() => { d.slack.fault = () => undefined })

const text = ({ blocks }: Block) => blockText(blocks)
const posts = async (thread: string, channel = CHANNEL) => {
  await d.server.drain()
  return postsIn(d.slack, thread, channel)
}
const texts = async (thread: string, channel = CHANNEL) => (await posts(thread, channel)).map(text)

/** Returns the numbers that the answers repeat. */
const numbersIn = (answers: string[]) => answers.flatMap(answer => Number(
  /number-(\d+)/.exec(answer)?.[1] ?? Number.NaN,
)).filter(number => !Number.isNaN(number))

/** Mentions the bot and resolves with the thread of its answer. */
async function talk(words = 'hi'): Promise<string> {
  const thread = await mention(d.server.url, d.slack, words)
  await d.server.drain()
  return thread
}

describe('a mention in a channel', () => {
  it.each([
    ['the message', false], ['the mention', true],
  ])('of which Slack sends %s first is welcomed once, in its thread, by full name', async (_, mentionFirst) => {
    const thread = await mention(d.server.url, d.slack, 'hi', { mentionFirst })
    const [welcome, ...others] = await posts(thread)
    expect(others).toEqual([])
    expect(text(welcome!)).toContain('Hello Ada Lovelace')
    expect(
      welcome!.blocks.at(-1).elements.map(({ action_id }: Block) => action_id),
    ).toEqual(['hello', 'info', 'escalate'])
    expect(blockKitProblems(welcome as never)).toEqual([])
    expect(welcome!.text).toContain('Hello Ada Lovelace')
  })

  it('that is the first event of a process which cannot know its own name yet is welcomed too', async () => {
    let asked = 0
    const late = () => ({ hold: new Promise(resolve => setTimeout(resolve, 300)) })
    d.slack.fault = ({ path }) => path === '/api/auth.test' && asked++ < 2 ? late() : undefined
    const fresh = endAfterTest(await startServer(d.env))
    const thread = await mention(fresh.url, d.slack, 'hi')
    await until('the welcome', () => postsIn(d.slack, thread).length > 0)
    await fresh.drain()
    // Once for the log line at start, and once for the bot
    expect(asked).toBe(2)
    expect(postsIn(d.slack, thread)).toHaveLength(1)
  })

  it('in a thread that talks already is answered, not welcomed again', async () => {
    const thread = await talk()
    await mention(d.server.url, d.slack, 'status', { thread })
    expect((await texts(thread)).slice(1)).toEqual([expect.stringContaining('Connected: Slack')])
  })
})

describe('a thread that the bot follows', () => {
  it('is left alone elsewhere: a message in the channel, or in a thread without a mention, gets no answer', async () => {
    const loose = await say(d.server.url, d.slack, 'status')
    const below = await say(d.server.url, d.slack, 'status', { thread: loose })
    expect([
      ...await posts(''), ...await posts(loose), ...await posts(below),
    ].filter(post => /Connected|understand/.test(text(post)))).toEqual([])
  })

  it('ignores the bot itself and other bots', async () => {
    const thread = await talk()
    await say(d.server.url, d.slack, 'help', { thread, user: d.slack.botId })
    await say(
      d.server.url, d.slack, 'help', { thread, more: { bot_id: 'B0OTHER', subtype: 'bot_message', username: 'other' } },
    )
    expect(await posts(thread)).toHaveLength(1)
  })

  it('answers an event that Slack repeats once', async () => {
    const thread = await talk()
    const event = envelope(said(d.slack, 'help', nextTs(), { thread }))
    for (let attempt = 0; attempt < 3; attempt++) expect((await sendEvent(d.server.url, event)).status).toBe(200)
    expect(await posts(thread)).toHaveLength(2)
  })

  it(`answers a burst of ${BURST} messages while a reply is being made, each once and in order, and acknowledges them at once`, async () => {
    const thread = await talk()
    const gate = Promise.withResolvers<undefined>()
    d.slack.fault = ({ path, body }) => path === '/api/chat.postMessage' && body.includes(thread)
      ? { hold: gate.promise }
      : undefined
    const waits: number[] = []
    const { delay } = await timed(d.server, async () => {
      for (let index = 0; index < BURST; index++) {
        waits.push(await took(() => say(d.server.url, d.slack, `show number-${index}`, { thread })))
      }
    })
    // Slack waits 3 s for each acknowledgement, and then resends the event.
    expect(Math.max(...waits) - delay).toBeLessThan(3000)
    await until('the first reply, and no other', () => postsIn(d.slack, thread).length === 2)
    d.slack.fault = () => undefined
    gate.resolve(undefined)
    expect(numbersIn(await texts(thread))).toEqual(Array.from({ length: BURST }, (_, index) => index))
  })
})

it('the request for a human pings by the one mention that Slack understands', async () => {
  const thread = await talk()
  const [welcome] = await posts(thread)
  const message = { ...welcome, ts: '1.2', thread_ts: thread } as unknown as SlackMessage
  await interact(d.server.url, blockActions(message, 'escalate', undefined, d.slack.reviewer))
  expect((await posts(thread))[1]!.blocks).toEqual([
    { type: 'section', text: { type: 'mrkdwn', text: MENTION } },
    expect.objectContaining({
      text: { type: 'plain_text', text: 'Ada Lovelace requested human support.', emoji: false },
    }),
  ])
})

const OPENS = /\/archives\/C000000001\/p\d+\|Open the card/

describe('/forms', () => {
  const ask = async (words: string, options = {}) => {
    const answer = await command(d.server.url, d.slack, words, options)
    expect([answer.response_type, blockKitProblems(answer as never)]).toEqual(['ephemeral', []])
    return answer
  }

  it('answers whoever asks alone, and says nothing in the channel', async () => {
    const { id } = await submit(d, { name: 'Ada', note: '<!channel> *hi*' })
    await d.server.drain()
    const before = d.slack.calls('chat.postMessage').length
    expect(text(await ask('pending'))).toContain(id.slice(0, 8))
    // The link appears once Slack has returned the workspace's address.
    await until('the way to the card', async () => OPENS.test(JSON.stringify(await ask(`show ${id}`))))
    const shown = await ask(`show ${id}`)
    expect(text(shown)).toContain('<!channel> *hi*')
    expect(JSON.stringify(shown.blocks)).not.toContain('"action_id":"forward"')
    expect(text(await ask('status'))).toContain('Connected: Slack')
    expect(text(await ask('take 0b1f'))).toContain('Set TAKE=1 to switch it on')
    for (const words of ['', 'what?', 'take']) expect(text(await ask(words))).toContain('show <id or words>')
    await d.server.drain()
    expect(d.slack.calls('chat.postMessage')).toHaveLength(before)
  })

  it('tells of no form elsewhere, and nothing to whom Slack did not sign for', async () => {
    const { id } = await submit(d, { name: 'Confidential' })
    for (const words of ['pending', `show ${id}`]) {
      expect(text(await ask(words, { channel: d.slack.dmChannel }))).toBe(
        'Forms are shown only in the channel of the cards: ask me there.',
      )
    }
    const forged = await fetch(`${d.server.url}/api/webhooks/slack`, {
      method: 'POST', body: new URLSearchParams({ command: '/forms', text: 'pending', channel_id: CHANNEL }),
    })
    expect(forged.status).toBe(401)
  })
})
