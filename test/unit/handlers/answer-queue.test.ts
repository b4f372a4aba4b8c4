import { Chat, Message, ThreadHistoryCache, type Adapter, type AdapterPostableMessage, type StreamOptions } from 'chat'
import { beforeEach, describe, expect, it } from 'vitest'
import { SqliteMessageQueue } from '../../../server/adapters/sqlite/message-queue'
import { createAnswerQueue, type QueuedMessage } from '../../../server/handlers/answer-queue'
import type { MessageQueue } from '../../../server/ports/message-queue'
import { untilStored } from '../../../shared/stored'
import { memoryDatabase, memoryState } from '../../support/sqlite'
import { until } from '../../support/until'

const silentLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => silentLogger }
const adapter = {
  name: 'test', initialize: async () => {}, channelIdFromThreadId: (id: string) => id, isDM: () => false,
} as unknown as Adapter
const pause = () => new Promise(resolve => setTimeout(resolve, Math.random() * 3))

/** Delays every call of a store by a short, varying time, as a network does. */
function delayCalls<T extends object>(
  store: T, beforeCall: (name: keyof T, args: unknown[]) => Promise<void> | void = () => {},
): T {
  return new Proxy(store, {
    get: (target, name) => async (...args: unknown[]) => {
      await pause()
      await beforeCall(name as keyof T, args)
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
let memory: ReturnType<typeof memoryState>
let queue: MessageQueue
let joinedIds: string[]
let answeredIds: string[]
let activeAnswers: number
let mostAtOnce: number

beforeEach(async () => {
  memory = memoryState()
  await memory.connect()
  queue = new SqliteMessageQueue(memoryDatabase(), { most: 1000, keptMs: 3_600_000 })
  ;[joinedIds, answeredIds, activeAnswers, mostAtOnce] = [[], [], 0, 0]
  beforeRelease = async () => {}
  beforeRemove = () => {}
})

/** One replica, which answers its messages in order. */
async function startReplica(
  answer: (turn: QueuedMessage) => Promise<void> = async () => {}, platform: Partial<Adapter> = {},
) {
  const state = delayCalls(memory, name => name === 'releaseLock' ? beforeRelease() : undefined)
  const bot = new Chat({
    userName: 'bot', adapters: { test: { ...adapter, ...platform } }, state, logger: silentLogger,
    streamingUpdateIntervalMs: 1234, fallbackStreamingPlaceholderText: null,
  })
  await bot.initialize()
  const delayedQueue = delayCalls(queue, (name, [, message]) => {
    if (name === 'remove') beforeRemove()
    if (name === 'add') joinedIds.push((JSON.parse(String(message)) as QueuedMessage).message.id)
  })
  const turns = createAnswerQueue({ bot, queue: delayedQueue, leaseMs: 30_000, answer: async (turn) => {
    mostAtOnce = Math.max(mostAtOnce, ++activeAnswers)
    answeredIds.push(turn.message.id)
    await pause()
    activeAnswers--
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
const LEFT_MESSAGE = JSON.stringify({
  thread: { _type: 'chat:Thread', id: 'test:c:t', channelId: 'test:c', adapterName: 'test', isDM: false },
  message: {
    _type: 'chat:Message', id: 'left', threadId: 'test:c:t', text: 'hello', formatted: { type: 'root', children: [] },
    raw: {}, attachments: [],
    author: { userId: 'U1', userName: 'ada', fullName: 'Ada Lovelace', isBot: false, isMe: false },
    metadata: { dateSent: '2026-11-21T12:00:00.000Z', edited: false },
  },
  opens: true,
})

it('a message is stored once it is in the queue, before its answer ends', async () => {
  const answered = Promise.withResolvers<undefined>()
  const take = await startReplica(() => answered.promise)
  let taking: Promise<void> | undefined
  await untilStored(() => taking = take('slow'))
  expect(await queue.isEmpty('test:c:t')).toBe(false)
  answered.resolve(undefined)
  await taking
})

describe('messages of one thread', () => {
  it('that come to three replicas at random moments are each answered once, in the order in which they joined, one at a time', async () => {
    const replicas = await Promise.all([startReplica(), startReplica(), startReplica()])
    const COUNT = 200
    const takes: Promise<void>[] = []
    for (let index = 0; index < COUNT; index++) {
      takes.push(replicas[index % 3]!(`m${index}`))
      // Pause for about the length of an answer, so that the queue becomes empty again and again.
      if (index % 4 === 0) await pause()
    }
    await Promise.all(takes)
    expect(answeredIds).toEqual(joinedIds)
    expect(new Set(answeredIds).size).toBe(COUNT)
    expect(mostAtOnce).toBe(1)
  })

  it.each([
    ['another process', 1], ['the same process', 0],
  ])('of which one joins in %s between the last look at the queue and the release of the lock are both answered', async (_, replicaIndex) => {
    const replicas = [await startReplica(), await startReplica()]
    let lateAnswer: Promise<void> | undefined
    beforeRelease = async () => {
      lateAnswer ??= replicas[replicaIndex]!('late')
      await until('it to wait', async () => !await queue.isEmpty('test:c:t'))
      // Give the late message's process time to notice that the lock is taken.
      for (let step = 0; step < 10; step++) await pause()
      beforeRelease = async () => {}
    }
    await replicas[0]!('first')
    await lateAnswer
    expect(answeredIds).toEqual(['first', 'late'])
  })

  it('are answered once, also when the store fails as one is taken out', async () => {
    const [firstReplica, secondReplica] = [await startReplica(), await startReplica()]
    let failures = 0
    beforeRemove = () => {
      if (++failures < 4) throw new Error('The store does not answer.')
    }
    await firstReplica('first')
    await secondReplica('second')
    expect(answeredIds).toEqual(['first', 'second'])
    expect(failures).toBe(5)
  })

  it('left behind by a process that died are answered by the next, with what they said and who said it', async () => {
    const turns: QueuedMessage[] = []
    await queue.add('test:c:t', LEFT_MESSAGE)
    const lock = await memory.acquireLock('conversation:test:c:t', 50)
    expect(lock).not.toBeNull()
    const take = await startReplica(async turn => void turns.push(turn))
    await take('new')
    expect(answeredIds).toEqual(['left', 'new'])
    expect(turns[0]).toMatchObject({
      opens: true, message: { text: 'hello', author: { fullName: 'Ada Lovelace' } }, thread: { id: 'test:c:t' },
    })
    expect(turns[0]!.message).toBeInstanceOf(Message)
  })
})

describe('a queue that a process left behind', () => {
  it('is answered on demand, though nobody says anything more', async () => {
    await queue.add('test:c:t', LEFT_MESSAGE)
    const { turns } = await startReplica()
    await turns.resume('test:c:t')
    expect(answeredIds).toEqual(['left'])
    expect(await queue.isEmpty('test:c:t')).toBe(true)
  })

  it('is answered as what arrives here is: streamed to who said it by the bot\'s options, and remembered', async () => {
    await queue.add('test:c:t', LEFT_MESSAGE)
    let streamOptions: StreamOptions | undefined
    const postedMessages: AdapterPostableMessage[] = []
    const { turns } = await startReplica(async ({ thread }) => {
      await thread.post((async function* () { yield 'Hello.' })())
    }, {
      persistThreadHistory: true,
      stream: async (_threadId, _words, options) => {
        streamOptions = options
        return null
      },
      postMessage: async (threadId, message) => {
        postedMessages.push(message)
        return { id: 'answer', threadId, raw: {} }
      },
    })
    await turns.resume('test:c:t')
    expect(streamOptions).toMatchObject({ recipientUserId: 'U1', updateIntervalMs: 1234 })
    expect(postedMessages).toEqual([{ markdown: 'Hello.' }])
    expect(await new ThreadHistoryCache(memory).getMessages('test:c:t')).toMatchObject([{ text: 'Hello.' }])
  })

  it('is left to the process that is answering it', async () => {
    await queue.add('test:c:t', LEFT_MESSAGE)
    await memory.acquireLock('conversation:test:c:t', 60_000)
    const { turns } = await startReplica()
    await turns.resume('test:c:t')
    expect(answeredIds).toEqual([])
    expect(await queue.isEmpty('test:c:t')).toBe(false)
  })

  it('keeps what comes after the stop', async () => {
    const take = await startReplica(async () => take.turns.stop())
    await Promise.all([take('first'), take('second')])
    expect(answeredIds).toEqual(joinedIds.slice(0, 1))
    await take('third')
    const nextReplica = await startReplica()
    await nextReplica.turns.resume('test:c:t')
    expect(answeredIds).toEqual(joinedIds)
    expect(joinedIds).toHaveLength(3)
  })
})

it('threads do not wait for each other', async () => {
  const gate = Promise.withResolvers<undefined>()
  const take = await startReplica(({ thread }) => thread.id === 'test:c:slow' ? gate.promise : Promise.resolve())
  const slowAnswer = take('first', 'test:c:slow')
  await until('the slow one', () => answeredIds.includes('first'))
  await take('second', 'test:c:fast')
  expect(answeredIds).toEqual(['first', 'second'])
  gate.resolve(undefined)
  await slowAnswer
})
