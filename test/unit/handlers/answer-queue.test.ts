import { createMemoryState } from '@chat-adapter/state-memory'
import { Chat, Message, ThreadHistoryCache, type Adapter, type AdapterPostableMessage, type StreamOptions } from 'chat'
import { beforeEach, describe, expect, it } from 'vitest'
import { createAnswerQueue, type QueuedMessage } from '../../../server/handlers/answer-queue'
import { EmbeddedMessageQueue } from '../../../server/adapters/embedded/message-queue'
import type { MessageQueue } from '../../../server/ports/message-queue'
import { until } from '../../support/until'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }
const adapter = {
  name: 'test', initialize: async () => {}, channelIdFromThreadId: (id: string) => id, isDM: () => false,
} as unknown as Adapter
const pause = () => new Promise(resolve => setTimeout(resolve, Math.random() * 3))

/** Store as if over a network: every call takes a short, varying time. */
function slowly<T extends object>(
  store: T, before: (name: keyof T, args: unknown[]) => Promise<void> | void = () => {},
): T {
  return new Proxy(store, {
    get: (target, name) => async (...args: unknown[]) => {
      await pause()
      await before(name as keyof T, args)
      const result = await (target[name as keyof T] as (...args: unknown[]) => Promise<unknown>).apply(target, args)
      await pause()
      return result
    },
  })
}

/** Called before a lock is released, after the queue was found empty. */
let beforeRelease: () => Promise<void>
/** Called before a message is removed from the queue. */
let beforeRemove: () => void
let memory: ReturnType<typeof createMemoryState>
let queue: MessageQueue
let joined: string[]
let answered: string[]
let answering: number
let most: number

beforeEach(async () => {
  memory = createMemoryState()
  await memory.connect()
  queue = new EmbeddedMessageQueue(Date.now, { most: 1000, keptMs: 3_600_000 })
  ;[joined, answered, answering, most] = [[], [], 0, 0]
  beforeRelease = async () => {}
  beforeRemove = () => {}
})

/** One replica, which answers its messages in order. */
async function replica(
  answer: (turn: QueuedMessage) => Promise<void> = async () => {}, platform: Partial<Adapter> = {},
) {
  const state = slowly(memory, name => name === 'releaseLock' ? beforeRelease() : undefined)
  const bot = new Chat({
    userName: 'bot', adapters: { test: { ...adapter, ...platform } }, state, logger: quiet,
    streamingUpdateIntervalMs: 1234, fallbackStreamingPlaceholderText: null,
  })
  await bot.initialize()
  const noted = slowly(queue, (name, [, message]) => {
    if (name === 'remove') beforeRemove()
    if (name === 'add') joined.push((JSON.parse(String(message)) as QueuedMessage).message.id)
  })
  const turns = createAnswerQueue({ bot, queue: noted, leaseMs: 30_000, answer: async (turn) => {
    most = Math.max(most, ++answering)
    answered.push(turn.message.id)
    await pause()
    answering--
    await answer(turn)
  } })
  const take = (id: string, threadId = 'test:c:t') => {
    const message = new Message({
      id, threadId, text: id, formatted: { type: 'root', children: [] }, raw: { id }, attachments: [],
      author: { userId: 'U1', userName: 'ada', fullName: 'Ada Lovelace', isBot: false, isMe: false },
      metadata: { dateSent: new Date(), edited: false },
    })
    return turns.take({ thread: bot.thread(threadId), message, opens: false, place: [] })
  }
  return Object.assign(take, { turns })
}

/** Message as a process stores it in the queue. */
const LEFT = JSON.stringify({
  thread: { _type: 'chat:Thread', id: 'test:c:t', channelId: 'test:c', adapterName: 'test', isDM: false },
  message: {
    _type: 'chat:Message', id: 'left', threadId: 'test:c:t', text: 'hello', formatted: { type: 'root', children: [] },
    raw: {}, attachments: [],
    author: { userId: 'U1', userName: 'ada', fullName: 'Ada Lovelace', isBot: false, isMe: false },
    metadata: { dateSent: '2026-11-21T12:00:00.000Z', edited: false },
  },
  opens: true,
})

describe('messages of one thread', () => {
  it('that come to three replicas at random moments are each answered once, in the order in which they joined, one at a time', async () => {
    const replicas = await Promise.all([replica(), replica(), replica()])
    const COUNT = 200
    const takes: Promise<void>[] = []
    for (let index = 0; index < COUNT; index++) {
      takes.push(replicas[index % 3]!(`m${index}`))
      // About the length of an answer, so that the queue becomes empty again and again.
      if (index % 4 === 0) await pause()
    }
    await Promise.all(takes)
    expect(answered).toEqual(joined)
    expect(new Set(answered).size).toBe(COUNT)
    expect(most).toBe(1)
  })

  it.each([
    ['another process', 1], ['the same process', 0],
  ])('of which one joins in %s between the last look at the queue and the release of the lock are both answered', async (_, of) => {
    const replicas = [await replica(), await replica()]
    let late: Promise<void> | undefined
    beforeRelease = async () => {
      late ??= replicas[of]!('late')
      await until('it to wait', async () => !await queue.isEmpty('test:c:t'))
      // Time to find that the lock is taken.
      for (let step = 0; step < 10; step++) await pause()
      beforeRelease = async () => {}
    }
    await replicas[0]!('first')
    await late
    expect(answered).toEqual(['first', 'late'])
  })

  it('are answered after one whose answer failed', async () => {
    const take = await replica(async ({ message }) => {
      if (message.id === 'bad') throw new Error('no answer')
    })
    await Promise.all([take('bad'), take('good')])
    expect(answered.toSorted()).toEqual(['bad', 'good'])
  })

  it('are answered once, also when the store fails as one is taken out', async () => {
    const [one, other] = [await replica(), await replica()]
    let failures = 0
    beforeRemove = () => {
      if (++failures < 4) throw new Error('The store does not answer.')
    }
    await one('first')
    await other('second')
    expect(answered).toEqual(['first', 'second'])
    expect(failures).toBe(5)
  })

  it('left behind by a process that died are answered by the next, with what they said and who said it', async () => {
    const turns: QueuedMessage[] = []
    await queue.add('test:c:t', LEFT)
    const lock = await memory.acquireLock('conversation:test:c:t', 50)
    expect(lock).not.toBeNull()
    const take = await replica(async turn => void turns.push(turn))
    await take('new')
    expect(answered).toEqual(['left', 'new'])
    expect(turns[0]).toMatchObject({
      opens: true, message: { text: 'hello', author: { fullName: 'Ada Lovelace' } }, thread: { id: 'test:c:t' },
    })
    expect(turns[0]!.message).toBeInstanceOf(Message)
  })
})

describe('a queue that a process left behind', () => {
  it('is answered on demand, though nobody says anything more', async () => {
    await queue.add('test:c:t', LEFT)
    const { turns } = await replica()
    await turns.resume('test:c:t')
    expect(answered).toEqual(['left'])
    expect(await queue.isEmpty('test:c:t')).toBe(true)
  })

  it('is answered as what arrives here is: streamed to who said it by the bot\'s options, and remembered', async () => {
    await queue.add('test:c:t', LEFT)
    let streamed: StreamOptions | undefined
    const posted: AdapterPostableMessage[] = []
    const { turns } = await replica(async ({ thread }) => {
      await thread.post((async function* () { yield 'Hello.' })())
    }, {
      persistThreadHistory: true,
      stream: async (_threadId, _words, options) => {
        streamed = options
        return null
      },
      postMessage: async (threadId, message) => {
        posted.push(message)
        return { id: 'answer', threadId, raw: {} }
      },
    })
    await turns.resume('test:c:t')
    expect(streamed).toMatchObject({ recipientUserId: 'U1', updateIntervalMs: 1234 })
    expect(posted).toEqual([{ markdown: 'Hello.' }])
    expect(await new ThreadHistoryCache(memory).getMessages('test:c:t')).toMatchObject([{ text: 'Hello.' }])
  })

  it('is left to the process that is answering it', async () => {
    await queue.add('test:c:t', LEFT)
    await memory.acquireLock('conversation:test:c:t', 60_000)
    const { turns } = await replica()
    await turns.resume('test:c:t')
    expect(answered).toEqual([])
    expect(await queue.isEmpty('test:c:t')).toBe(false)
  })

  it('keeps what comes after the stop', async () => {
    const take = await replica(async () => take.turns.stop())
    await Promise.all([take('first'), take('second')])
    expect(answered).toEqual(joined.slice(0, 1))
    await take('third')
    const next = await replica()
    await next.turns.resume('test:c:t')
    expect(answered).toEqual(joined)
    expect(joined).toHaveLength(3)
  })
})

it('threads do not wait for each other', async () => {
  const gate = Promise.withResolvers<undefined>()
  const take = await replica(({ thread }) => thread.id === 'test:c:slow' ? gate.promise : Promise.resolve())
  const slow = take('first', 'test:c:slow')
  await until('the slow one', () => answered.includes('first'))
  await take('second', 'test:c:fast')
  expect(answered).toEqual(['first', 'second'])
  gate.resolve(undefined)
  await slow
})
