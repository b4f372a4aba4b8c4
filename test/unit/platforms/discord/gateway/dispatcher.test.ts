import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RestReader } from '../../../../../server/platforms/discord/gateway/directory'
import { Dispatcher } from '../../../../../server/platforms/discord/gateway/dispatcher'
import {
  DeliveryFailed, type EventData, type ForwardedEvent,
} from '../../../../../server/platforms/discord/gateway/events'
import { Progress } from '../../../../../server/platforms/discord/gateway/progress'
import { EventQueue } from '../../../../../server/platforms/discord/gateway/queue'
import type { DiscordRest } from '../../../../../server/platforms/discord/api/rest'
import { until } from '../../../../support/until'

/** Id that Discord made `agoMs` ago. */
const idFrom = (agoMs: number) => String(BigInt(Date.now() - agoMs - 1_420_070_400_000) << 22n)

const GUILD = '3'
/** https://discord.com/developers/docs/resources/message#message-object-message-types */
const KINDS = {
  words: 0, newName: 4, pin: 6, arrival: 7, boost: 8, newThread: 18, reply: 19, command: 20, start: 21, menu: 23,
}
const message = { content: 'help', channel_id: '2', guild_id: GUILD, channel_type: 0, author: { id: '4' } }
const messages = () => Object.values(KINDS).map((type, at) => ({ ...message, id: idFrom(30_000 - at), type }))
const kindsOf = (delivered: readonly ForwardedEvent[]) => delivered.map(({ data }) => (data as EventData).type)

// Fixed clock: the limit is exact to the second, which a busy machine may miss.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/**
 * @param page messages in a channel that is read after the session was lost
 * @param accept rejects if an event is not taken
 */
function start(page?: object[], accept = async (_: ForwardedEvent) => {}) {
  const [delivered, buried] = [[] as ForwardedEvent[], [] as string[]]
  const queue = new EventQueue({
    maxAgeMs: 60_000, onFailure: () => {}, bury: async ({ messageId }) => void buried.push(messageId!),
  })
  const progress = new Progress(
    page ? { session: null, sequence: 0, lastMessageId: idFrom(60_000), backfill: null } : null,
  )
  progress.begin({ sessionId: 's', resumeURL: 'ws://localhost' }, 0)
  if (page) progress.owe([GUILD])
  const dispatcher = new Dispatcher({
    applicationId: '1', queue, report: () => {},
    deliver: event => accept(event).then(() => void delivered.push(event)),
    reader: new RestReader((async () => {
      if (!page) throw new Error('Nothing is asked for.')
      return page
    }) as DiscordRest),
  }, progress)
  return { dispatcher, delivered, buried, progress, queue }
}

test('a click that failed for who clicked is not handled when it is replayed, and is settled', async () => {
  const { dispatcher, delivered, buried, progress } = start()
  const [late, atTheEdge, now, ahead] = [idFrom(14_000), idFrom(12_000), idFrom(0), idFrom(-60_000)]
  const ids = [late, atTheEdge, now, ahead]
  for (const [at, id] of ids.entries()) {
    dispatcher.take({ t: 'INTERACTION_CREATE', s: at + 1, d: { id, channel_id: '2' } })
  }
  await until('all of them', () => progress.snapshot().sequence === ids.length)
  expect(delivered.map(({ data }) => (data as EventData).id)).toEqual([atTheEdge, now, ahead])
  expect(buried).toEqual([late])
})

test('a click that cannot be handed on is tried for as long as who clicked waits', async () => {
  let tries = 0
  const { dispatcher, buried } = start(undefined, async () => {
    tries++
    throw new Error('The route is away.')
  })
  const id = idFrom(0)
  dispatcher.take({ t: 'INTERACTION_CREATE', s: 1, d: { id, channel_id: '2' } })
  await until('a try', () => tries > 0)
  vi.setSystemTime(Date.now() + 3001)
  await until('the end', () => buried.length > 0 || tries > 5)
  expect(buried).toEqual([id])
})

test('a message is handled however old it is', async () => {
  const { dispatcher, delivered, progress } = start()
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 1, d: { ...message, id: idFrom(3_600_000), type: KINDS.words } })
  await until('the message', () => progress.snapshot().sequence === 1)
  expect(delivered.map(({ type }) => type)).toEqual(['GATEWAY_MESSAGE_CREATE'])
})

test('of what a channel tells, only what people write and reply is handed on, live and read back', async () => {
  const live = start()
  for (const [at, d] of messages().entries()) live.dispatcher.take({ t: 'MESSAGE_CREATE', s: at + 1, d })
  await until('all of them', () => live.progress.snapshot().sequence === messages().length)
  expect(kindsOf(live.delivered)).toEqual([KINDS.words, KINDS.reply])
  const back = start(messages())
  const channels = [{ id: '2', type: 0, last_message_id: idFrom(0) }]
  back.dispatcher.take({ t: 'GUILD_CREATE', s: 1, d: { id: GUILD, channels } })
  await until('the channel', () => back.progress.snapshot().sequence === 1)
  expect(kindsOf(back.delivered)).toEqual([KINDS.words, KINDS.reply])
})

const createMessage = (id: string) => ({ ...message, id, type: KINDS.words })

test('what Discord sends again is handed on once', async () => {
  const { dispatcher, delivered, progress } = start()
  for (const s of [1, 2, 1, 2, 3]) dispatcher.take({ t: 'MESSAGE_CREATE', s, d: createMessage(String(s)) })
  await until('all of them', () => progress.snapshot().sequence === 3)
  expect(delivered.map(({ id }) => id)).toEqual(['s:1', 's:2', 's:3'])
})

test('the next try has the note of this one only if that was not checked for repetition', async () => {
  const notes: string[] = []
  const answers = [new DeliveryFailed('HTTP 503', { unchecked: true }), new DeliveryFailed('no connection')]
  const { dispatcher, delivered } = start(undefined, async ({ note }) => {
    notes.push(note!)
    const answer = answers.shift()
    if (answer) throw answer
  })
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 1, d: createMessage('20') })
  await until('the message', () => delivered.length > 0)
  const [firstNote, secondNote, thirdNote] = notes
  expect([secondNote === firstNote, thirdNote === secondNote]).toEqual([true, false])
})

test('what the bot does itself goes nowhere, and is nothing to read back', async () => {
  const { dispatcher, delivered, progress } = start()
  const ownMessage = { ...createMessage('20'), author: { id: '1' } }
  const reaction = { user_id: '1', channel_id: '2', message_id: '20', emoji: { name: '👍' }, member: {} }
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 1, d: ownMessage })
  dispatcher.take({ t: 'MESSAGE_REACTION_ADD', s: 2, d: { ...reaction, guild_id: GUILD } })
  expect(progress.snapshot()).toMatchObject({ sequence: 2, lastMessageId: '20' })
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 3, d: createMessage('30') })
  await until('the message', () => delivered.length > 0)
  expect(delivered.map(({ id }) => id)).toEqual(['s:3'])
})

test('a click waits for nothing else of its channel, and what is not taken is neither acknowledged nor passed over', async () => {
  const { dispatcher, delivered, progress, queue } = start(undefined, async ({ type }) => {
    if (type === 'GATEWAY_MESSAGE_CREATE') throw new Error('The route is away.')
  })
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 1, d: createMessage('50') })
  dispatcher.take({ t: 'INTERACTION_CREATE', s: 2, d: { id: idFrom(0), channel_id: '2' } })
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 3, d: { ...createMessage('60'), author: { id: '1' } } })
  await until('the click', () => delivered.length > 0)
  expect(delivered.map(({ id }) => id)).toEqual(['s:2'])
  await queue.end(1000)
  expect(progress.snapshot()).toMatchObject({ sequence: 0, lastMessageId: '49' })
})

test('a server of which nothing is missing tells up to where nothing will be', () => {
  const { dispatcher, progress } = start()
  const channels = [{ id: '2', type: 0, last_message_id: '70' }, { id: '5', type: 0, last_message_id: null }]
  const threads = [{ id: '6', type: 11, parent_id: '2', last_message_id: '80' }]
  dispatcher.take({ t: 'GUILD_CREATE', s: 1, d: { id: GUILD, channels, threads } })
  expect(progress.snapshot()).toMatchObject({ sequence: 1, lastMessageId: '80' })
})

test('a channel that Discord has described is not asked for', async () => {
  const { dispatcher, delivered } = start()
  const thread = (id: string) => ({ id, type: 11, parent_id: '2' })
  dispatcher.take({ t: 'GUILD_CREATE', s: 1, d: { id: GUILD, channels: [], threads: [thread('6')] } })
  dispatcher.take({ t: 'THREAD_CREATE', s: 2, d: thread('7') })
  dispatcher.take({ t: 'THREAD_UPDATE', s: 3, d: { ...thread('7'), parent_id: '5' } })
  for (const [at, channel] of ['6', '7'].entries()) {
    dispatcher.take({ t: 'MESSAGE_CREATE', s: 4 + at, d: {
      ...createMessage('30'), channel_id: channel, channel_type: 11,
    } })
  }
  await until('both', () => delivered.length === 2)
  expect(delivered.map(({ data }) => (data as { thread?: object }).thread)).toEqual([
    { id: '6', parent_id: '2' }, { id: '7', parent_id: '5' },
  ])
})
