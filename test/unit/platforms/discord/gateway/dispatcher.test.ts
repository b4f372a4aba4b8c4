import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RestReader } from '../../../../../server/platforms/discord/gateway/directory'
import { Dispatcher } from '../../../../../server/platforms/discord/gateway/dispatcher'
import {
  DeliveryFailed, type Deliver, type EventData, type ForwardedEvent,
} from '../../../../../server/platforms/discord/gateway/events'
import { Progress } from '../../../../../server/platforms/discord/gateway/progress'
import { EventQueue } from '../../../../../server/platforms/discord/gateway/queue'
import { DiscordError, type DiscordRest } from '../../../../../server/platforms/discord/api/rest'
import { until } from '../../../../support/until'

const GUILD = '3'
const [TEXT, VOICE, CATEGORY, FORUM, THREAD] = [0, 2, 4, 15, 11]
const HOUR = 3_600_000
/** https://discord.com/developers/docs/resources/message#message-object-message-types */
const KINDS = {
  words: 0, newName: 4, pin: 6, arrival: 7, boost: 8, newThread: 18, reply: 19, command: 20, start: 21, menu: 23,
}

/** Discord id from `agoMs` ago; `offset` makes ids of the same moment different. */
const idFrom = (agoMs: number, offset = 0) => (
  String((BigInt(Date.now() - agoMs - 1_420_070_400_000) << 22n) + BigInt(offset))
)
const idsFrom = (agoMs: number, count: number) => Array.from({ length: count }, (_, index) => idFrom(agoMs, index))
const createMessage = (id: string, changes: object = {}) => ({
  id, type: KINDS.words, content: 'help', channel_id: '2', guild_id: GUILD, channel_type: TEXT, author: { id: '4' },
  ...changes,
})

/** Messages by channel, oldest first. */
let messages: Record<string, { id: string, type?: number }[]>
let requestedChannels: string[]
let refusal: (channel: string) => object | undefined
let reports: [string, Record<string, unknown>][]

beforeEach(() => {
  // Fixed clock: the limit is exact to the second, which a busy machine may miss.
  vi.useFakeTimers({ toFake: ['Date'] })
  ;[messages, requestedChannels, reports, refusal] = [{}, [], [], () => undefined]
})
afterEach(() => void vi.useRealTimers())

/** Answers like Discord: selects the oldest messages after `after`, and returns them newest first. */
const rest = (async (_: string, path: string) => {
  const { pathname, searchParams } = new URL(path, 'https://discord.com')
  const channel = pathname.split('/')[2]!
  requestedChannels.push(channel)
  const answer = refusal(channel)
  if (answer instanceof Error) throw answer
  if (answer) return answer
  if (!pathname.endsWith('/messages')) return { id: channel, type: TEXT }
  const afterId = BigInt(searchParams.get('after')!)
  const page = messages[channel]!.filter(({ id }) => BigInt(id) > afterId).slice(0, Number(searchParams.get('limit')))
  return page.toReversed().map(each => ({ type: KINDS.words, content: 'help', author: { id: '4' }, ...each }))
}) as DiscordRest

const errorWith = (status: number) => (
  new DiscordError({ ok: false, permanent: false, reason: 'Refused.' }, String(status), status)
)

/**
 * @param lostAt id of the last message that was delivered before the session was lost
 * @param accept receives each event; rejects to refuse it
 */
function start({ lostAt, accept = async () => {} }: { lostAt?: string, accept?: Deliver } = {}) {
  const [delivered, buried] = [[] as ForwardedEvent[], [] as string[]]
  const queue = new EventQueue({
    maxAgeMs: 60_000, onFailure: () => {}, bury: async ({ messageId, id }) => void buried.push(messageId ?? id),
  })
  const progress = new Progress(lostAt ? { session: null, sequence: 0, lastMessageId: lostAt, backfill: null } : null)
  progress.begin({ sessionId: 's', resumeURL: 'ws://localhost' }, 0)
  if (lostAt) progress.owe([GUILD])
  const dispatcher = new Dispatcher({
    applicationId: '1', queue, reader: new RestReader(rest), report: (...args) => void reports.push(args),
    deliver: (...args) => accept(...args).then(() => void delivered.push(args[0])),
  }, progress)
  let sequence = 0
  /** Sends events to the dispatcher, with the next sequence numbers. */
  const take = (t: string, ...events: object[]) => {
    for (const d of events) dispatcher.take({ t, s: ++sequence, d })
  }
  /** Sends the event about the Discord server, with channels of these types. */
  const join = (types: Record<string, number>) => {
    const channels = Object.entries(types).map(([id, type]) => (
      { id, type, last_message_id: messages[id]?.at(-1)?.id ?? null }
    ))
    take('GUILD_CREATE', {
      id: GUILD, channels: channels.filter(({ type }) => type !== THREAD),
      threads: channels.filter(({ type }) => type === THREAD),
    })
  }
  const waitUntilHandled = () => until('all events', () => progress.snapshot().sequence === sequence)
  const idsIn = (channel: string) => (
    delivered.map(({ data }) => data as EventData).filter(data => data.channel_id === channel).map(({ id }) => id)
  )
  return { dispatcher, delivered, buried, progress, queue, take, join, waitUntilHandled, idsIn }
}

/** Joins the Discord server after two hours without a session, and waits until all missed messages were read. */
async function readBack(types: Record<string, number>, lostAt = idFrom(2 * HOUR)) {
  const run = start({ lostAt })
  run.join(types)
  await run.waitUntilHandled()
  return run
}

const click = (id: string) => ({ id, channel_id: '2' })

test('a click that failed for who clicked is not handled when it is replayed, and is settled', async () => {
  const run = start()
  const [late, ...inTime] = [14_000, 12_000, 0, -60_000].map(agoMs => idFrom(agoMs))
  run.take('INTERACTION_CREATE', ...[late!, ...inTime].map(click))
  await run.waitUntilHandled()
  expect([run.idsIn('2'), run.buried]).toEqual([inTime, [late]])
})

test('a click that cannot be handed on is tried for as long as who clicked waits', async () => {
  let tries = 0
  const { take, buried } = start({ accept: async () => {
    tries++
    throw new Error('The route is away.')
  } })
  const id = idFrom(0)
  take('INTERACTION_CREATE', click(id))
  await until('a try', () => tries > 0)
  vi.setSystemTime(Date.now() + 3001)
  await until('the end', () => buried.length > 0 || tries > 5)
  expect(buried).toEqual([id])
})

test('only what people write and reply is handed on, however old it is, live and read back', async () => {
  messages = { 2: Object.values(KINDS).map((type, at) => ({ id: idFrom(HOUR, at), type })) }
  const live = start()
  live.take('MESSAGE_CREATE', ...messages[2]!.map(({ id, type }) => createMessage(id, { type })))
  await live.waitUntilHandled()
  for (const { delivered } of [live, await readBack({ 2: TEXT })]) {
    expect(delivered.map(({ type, data }) => [type, (data as EventData).type])).toEqual([
      ['GATEWAY_MESSAGE_CREATE', KINDS.words], ['GATEWAY_MESSAGE_CREATE', KINDS.reply],
    ])
  }
})

test('what Discord sends again is handed on once', async () => {
  const { dispatcher, delivered, progress } = start()
  for (const s of [1, 2, 1, 2, 3]) dispatcher.take({ t: 'MESSAGE_CREATE', s, d: createMessage(String(s)) })
  await until('all of them', () => progress.snapshot().sequence === 3)
  expect(delivered.map(({ id }) => id)).toEqual(['s:1', 's:2', 's:3'])
})

test('the next try has the note of this one only if that was not checked for repetition', async () => {
  const notes: string[] = []
  const answers = [new DeliveryFailed('HTTP 503', { unchecked: true }), new DeliveryFailed('no connection')]
  const run = start({ accept: async ({ note }) => {
    notes.push(note!)
    const answer = answers.shift()
    if (answer) throw answer
  } })
  run.take('MESSAGE_CREATE', createMessage('20'))
  await run.waitUntilHandled()
  const [firstNote, secondNote, thirdNote] = notes
  expect([secondNote === firstNote, thirdNote === secondNote]).toEqual([true, false])
})

test('what the bot does itself goes nowhere, and is nothing to read back', async () => {
  const run = start()
  const reaction = { user_id: '1', channel_id: '2', message_id: '20', emoji: { name: '👍' }, member: {} }
  run.take('MESSAGE_CREATE', createMessage('20', { author: { id: '1' } }))
  run.take('MESSAGE_REACTION_ADD', { ...reaction, guild_id: GUILD })
  expect(run.progress.snapshot()).toMatchObject({ sequence: 2, lastMessageId: '20' })
  run.take('MESSAGE_CREATE', createMessage('30'))
  await run.waitUntilHandled()
  expect(run.delivered.map(({ id }) => id)).toEqual(['s:3'])
})

test('a click waits for nothing else of its channel, and what is not taken is neither acknowledged nor passed over', async () => {
  const { take, delivered, progress, queue } = start({ accept: async ({ type }) => {
    if (type === 'GATEWAY_MESSAGE_CREATE') throw new Error('The route is away.')
  } })
  take('MESSAGE_CREATE', createMessage('9007199254740993'))
  take('INTERACTION_CREATE', click(idFrom(0)))
  take('MESSAGE_CREATE', createMessage('9007199254740995', { author: { id: '1' } }))
  await until('the click', () => delivered.length > 0)
  expect(delivered.map(({ id }) => id)).toEqual(['s:2'])
  await queue.end(1000)
  expect(progress.snapshot()).toMatchObject({ sequence: 0, lastMessageId: '9007199254740992' })
})

test('a server of which nothing is missing tells up to where nothing will be', () => {
  messages = { 2: [{ id: '99' }], 6: [{ id: '100' }], 7: [{ id: '98' }] }
  const { join, progress } = start()
  join({ 2: TEXT, 5: TEXT, 6: THREAD, 7: THREAD })
  expect(progress.snapshot()).toMatchObject({ sequence: 1, lastMessageId: '100' })
})

test('a channel that Discord has described is not asked for', async () => {
  const run = start()
  const thread = (id: string) => ({ id, type: THREAD, parent_id: '2' })
  run.take('GUILD_CREATE', { id: GUILD, channels: [], threads: [thread('6')] })
  run.take('THREAD_CREATE', thread('7'))
  run.take('THREAD_UPDATE', { ...thread('7'), parent_id: '5' })
  run.take('MESSAGE_CREATE', ...['6', '7'].map(channel => (
    createMessage('30', { channel_id: channel, channel_type: THREAD })
  )))
  await run.waitUntilHandled()
  expect([requestedChannels, run.delivered.map(({ data }) => (data as { thread?: object }).thread)]).toEqual([
    [], [{ id: '6', parent_id: '2' }, { id: '7', parent_id: '5' }],
  ])
})

test('several pages of a channel come in order and before anything newer of it, each as it would have come live', async () => {
  const [pages, thread] = [idsFrom(HOUR, 230), [idFrom(HOUR, 500)]]
  messages = { 10: pages.map(id => ({ id })), 11: thread.map(id => ({ id })) }
  const run = start({ lostAt: idFrom(2 * HOUR) })
  run.join({ 10: TEXT, 11: THREAD })
  const liveId = idFrom(0)
  run.take('MESSAGE_CREATE', createMessage(liveId, { channel_id: '10' }))
  await run.waitUntilHandled()
  expect([run.idsIn('10'), run.idsIn('11')]).toEqual([[...pages, liveId], thread])
  expect(run.delivered).toContainEqual(expect.objectContaining({
    type: 'GATEWAY_MESSAGE_CREATE', id: `message:${pages[0]}`,
    data: expect.objectContaining({ guild_id: GUILD, channel_id: '10', channel_type: TEXT }) as object,
  }))
  // The type of this channel is known, so only its messages are requested. After a full page, there may be another.
  expect(requestedChannels.filter(channel => channel === '10')).toHaveLength(3)
  expect(run.progress.snapshot()).toMatchObject({ backfill: null, lastMessageId: liveId })
})

test('only channels with messages, and with something new, are asked', async () => {
  const [oldMessage, newMessage] = [{ id: idFrom(3 * HOUR) }, { id: idFrom(HOUR) }]
  messages = { 10: [oldMessage], 11: [newMessage], 12: [newMessage], 13: [newMessage], 14: [] }
  const run = await readBack({ 10: TEXT, 11: VOICE, 12: CATEGORY, 13: FORUM, 14: TEXT })
  expect(requestedChannels).toEqual(['11'])
  expect(run.idsIn('11')).toEqual([newMessage.id])
  expect(run.progress.snapshot().lastMessageId).toBe(newMessage.id)
})

test('nothing is read that is older than what is remembered of what was handled', async () => {
  const [forgottenId, id] = [idFrom(24 * HOUR), idFrom(22 * HOUR)]
  messages = { 10: [{ id: forgottenId }, { id }] }
  expect((await readBack({ 10: TEXT }, idFrom(48 * HOUR))).idsIn('10')).toEqual([id])
})

test('of a big server the channels with the newest messages are read, and the log says that there are more', async () => {
  const channels = Array.from({ length: 60 }, (_, index) => String(100 + index))
  messages = Object.fromEntries(channels.map((id, index) => [id, [{ id: idFrom(HOUR, index) }]]))
  await readBack(Object.fromEntries(channels.map(id => [id, TEXT])))
  expect(requestedChannels.toSorted()).toEqual(channels.slice(10))
  expect(reports).toContainEqual(['backfill-cut', { guild: GUILD, channels: 60, read: 50 }])
})

test('of a channel with more than can be read the log says so', async () => {
  const ids = idsFrom(HOUR, 1001)
  messages = { 10: ids.map(id => ({ id })) }
  expect((await readBack({ 10: TEXT })).idsIn('10')).toEqual(ids.slice(0, 1000))
  expect(reports).toEqual([['backfill-cut', { guild: GUILD, channel: '10', messages: 1000 }]])
})

test('a channel that the bot may not read has nothing for it; one that cannot be read just now is asked again', async () => {
  const id = idFrom(HOUR)
  messages = { 10: [{ id }], 11: [{ id }], 12: [{ id }] }
  const answers: Record<string, object[]> = {
    10: [errorWith(403)], 11: [errorWith(503), errorWith(503)], 12: [{ message: 'Just a moment …' }],
  }
  refusal = channel => answers[channel]!.shift()
  const run = await readBack({ 10: TEXT, 11: TEXT, 12: TEXT })
  expect(['10', '11', '12'].map(run.idsIn)).toEqual([[], [id], [id]])
  expect(requestedChannels.toSorted()).toEqual(['10', '11', '11', '11', '12', '12'])
  expect(run.buried).toEqual([])
})

test('what is left when the listener ends is still owed to its successor', async () => {
  messages = { 10: [{ id: idFrom(HOUR) }], 11: [{ id: idFrom(HOUR, 1) }] }
  const lostAt = idFrom(2 * HOUR)
  const run = start({ lostAt, accept: async ({ data }) => {
    if ((data as EventData).channel_id === '11') throw new Error('The route is away.')
  } })
  run.join({ 10: TEXT, 11: TEXT })
  await until('one channel', () => run.delivered.length > 0)
  await run.queue.end(1000)
  expect(run.progress.snapshot()).toMatchObject({ sequence: 0, backfill: { after: lostAt, guilds: [GUILD] } })
})
