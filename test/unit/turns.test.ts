import { createMemoryState } from '@chat-adapter/state-memory'
import { Chat, Message, type Adapter, type StateAdapter } from 'chat'
import { beforeEach, describe, expect, it } from 'vitest'
import { inTurn, type Turn } from '../../server/adapters/chat/turns'
import { until } from '../support/until'

const quiet = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {}, child: () => quiet }
const adapter = { name: 'test', initialize: async () => {}, channelIdFromThreadId: (id: string) => id, isDM: () => false } as unknown as Adapter
const pause = () => new Promise(resolve => setTimeout(resolve, Math.random() * 3))

/** The state as it is over a network: every call takes a moment, and a different one each time. Notes the order in which messages joined. */
function slowly(state: StateAdapter, joined: string[]): StateAdapter {
  return new Proxy(state, {
    get: (target, name: keyof StateAdapter) => async (...args: unknown[]) => {
      await pause()
      if (name === 'releaseLock') await beforeRelease()
      if (name === 'enqueue') joined.push((JSON.parse((args[1] as { message: string }).message) as Turn).message.id)
      const result = await (target[name] as (...args: unknown[]) => Promise<unknown>)(...args)
      await pause()
      return result
    },
  })
}

/** Called when a lock is about to be released, after the queue was found empty. */
let beforeRelease: () => Promise<void>
let memory: StateAdapter
let joined: string[]
let answered: string[]
let answering: number
let most: number

beforeEach(async () => {
  memory = createMemoryState()
  await memory.connect()
  ;[joined, answered, answering, most] = [[], [], 0, 0]
  beforeRelease = async () => {}
})

/** One replica: what it is given, it answers in turn. */
async function replica(answer: (turn: Turn) => Promise<void> = async () => {}) {
  const bot = new Chat({ userName: 'bot', adapters: { test: adapter }, state: slowly(memory, joined), logger: quiet })
  await bot.initialize()
  const take = inTurn(bot, async (turn) => {
    most = Math.max(most, ++answering)
    answered.push(turn.message.id)
    await pause()
    answering--
    await answer(turn)
  })
  return (id: string, threadId = 'test:c:t') => {
    const message = new Message({
      id, threadId, text: id, formatted: { type: 'root', children: [] }, raw: { id }, attachments: [],
      author: { userId: 'U1', userName: 'ada', fullName: 'Ada Lovelace', isBot: false, isMe: false }, metadata: { dateSent: new Date(), edited: false },
    })
    return take({ thread: bot.thread(threadId), message, opens: false, place: [] })
  }
}

describe('messages of one thread', () => {
  it('that come to three replicas at random moments are each answered once, in the order in which they joined, one at a time', async () => {
    const replicas = await Promise.all([replica(), replica(), replica()])
    const COUNT = 200
    const takes: Promise<void>[] = []
    for (let index = 0; index < COUNT; index++) {
      takes.push(replicas[index % 3]!(`m${index}`))
      // About as long as an answer, so that the queue runs empty again and again.
      if (index % 4 === 0) await pause()
    }
    await Promise.all(takes)
    expect(answered).toEqual(joined)
    expect(new Set(answered).size).toBe(COUNT)
    expect(most).toBe(1)
  })

  it.each([['another process', 1], ['the same process', 0]])('of which one joins in %s between the last look at the queue and the release of the lock are both answered', async (_, of) => {
    const replicas = [await replica(), await replica()]
    let late: Promise<void> | undefined
    beforeRelease = async () => {
      late ??= replicas[of]!('late')
      await until('it to wait', async () => await memory.queueDepth('conversation:test:c:t') > 0)
      // Time to find the lock taken.
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

  it('left behind by a process that died are answered by the next, with what they said and who said it', async () => {
    const turns: Turn[] = []
    const dead = { message: JSON.stringify({ thread: { _type: 'chat:Thread', id: 'test:c:t', channelId: 'test:c', adapterName: 'test', isDM: false }, message: { _type: 'chat:Message', id: 'left', threadId: 'test:c:t', text: 'hello', formatted: { type: 'root', children: [] }, raw: {}, author: { userId: 'U1', userName: 'ada', fullName: 'Ada Lovelace', isBot: false, isMe: false }, metadata: { dateSent: '2026-11-21T12:00:00.000Z', edited: false }, attachments: [] }, opens: true }) }
    await memory.enqueue('conversation:test:c:t', { ...dead, enqueuedAt: 0, expiresAt: Date.now() + 1000 } as never, 10)
    const lock = await memory.acquireLock('conversation:test:c:t', 50)
    expect(lock).not.toBeNull()
    const take = await replica(async turn => void turns.push(turn))
    await take('new')
    expect(answered).toEqual(['left', 'new'])
    expect(turns[0]).toMatchObject({ opens: true, message: { text: 'hello', author: { fullName: 'Ada Lovelace' } }, thread: { id: 'test:c:t' } })
    expect(turns[0]!.message).toBeInstanceOf(Message)
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
