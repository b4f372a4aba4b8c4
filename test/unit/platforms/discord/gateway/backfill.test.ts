import { beforeEach, expect, test } from 'vitest'
import { RestReader } from '../../../../../server/platforms/discord/gateway/directory'
import { Dispatcher } from '../../../../../server/platforms/discord/gateway/dispatcher'
import type { EventData, ForwardedEvent } from '../../../../../server/platforms/discord/gateway/events'
import { Progress } from '../../../../../server/platforms/discord/gateway/progress'
import { EventQueue } from '../../../../../server/platforms/discord/gateway/queue'
import { DiscordError, type DiscordRest } from '../../../../../server/platforms/discord/api/rest'
import { until } from '../../../../support/until'

/** Events that the dispatcher delivers after a session was lost: it reads them from the channels, oldest first. */

const GUILD = '3'
const [TEXT, VOICE, CATEGORY, FORUM, THREAD] = [0, 2, 4, 15, 11]
const HOUR = 3_600_000
const now = BigInt(Date.now() - 1_420_070_400_000)

/** Id of a message that was written `agoMs` ago; `offset` tells messages of the same moment apart. */
const idFrom = (agoMs: number, offset = 0) => String((now - BigInt(agoMs) << 22n) + BigInt(offset))

/** Message ids by channel, oldest first. */
let messageIds: Record<string, string[]>
let requestedChannels: string[]
let refusal: (channel: string) => object | undefined
let reports: [string, Record<string, unknown>][]
beforeEach(() => { [messageIds, requestedChannels, reports, refusal] = [{}, [], [], () => undefined] })

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
  const page = messageIds[channel]!.filter(id => BigInt(id) > afterId).slice(0, Number(searchParams.get('limit')))
  return page.toReversed().map(id => ({ id, type: 0, content: 'help', author: { id: '4' } }))
}) as DiscordRest

const errorWith = (status: number) => (
  new DiscordError({ ok: false, permanent: false, reason: 'Refused.' }, String(status), status)
)

/** @param lostAt id of the last message that was delivered */
function start(lostAt: string, accept = async (_: ForwardedEvent) => {}) {
  const [delivered, buried] = [[] as ForwardedEvent[], [] as string[]]
  const queue = new EventQueue({ maxAgeMs: 60_000, onFailure: () => {}, bury: async ({ id }) => void buried.push(id) })
  const progress = new Progress({ session: null, sequence: 0, lastMessageId: lostAt, backfill: null })
  progress.begin({ sessionId: 's', resumeURL: 'ws://localhost' }, 0)
  progress.owe([GUILD])
  const dispatcher = new Dispatcher({
    applicationId: '1', queue, reader: new RestReader(rest), report: (...args) => void reports.push(args),
    deliver: event => accept(event).then(() => void delivered.push(event)),
  }, progress)
  const join = (types: Record<string, number>) => {
    const channels = Object.entries(types).map(([id, type]) => (
      { id, type, last_message_id: messageIds[id]?.at(-1) ?? null }
    ))
    dispatcher.take({ t: 'GUILD_CREATE', s: 1, d: {
      id: GUILD, channels: channels.filter(({ type }) => type !== THREAD),
      threads: channels.filter(({ type }) => type === THREAD),
    } })
  }
  const idsIn = (channel: string) => (
    delivered.map(({ data }) => data as EventData).filter(data => data.channel_id === channel).map(({ id }) => id)
  )
  return { dispatcher, delivered, buried, progress, queue, join, idsIn }
}

const waitUntilRead = ({ progress }: Pick<ReturnType<typeof start>, 'progress'>) => (
  until('the gap', () => progress.snapshot().sequence >= 1)
)

test('several pages of a channel come in order and before anything newer of it, each as it would have come live', async () => {
  messageIds = { 10: Array.from({ length: 230 }, (_, index) => idFrom(HOUR, index)), 11: [idFrom(HOUR, 500)] }
  const run = start(idFrom(2 * HOUR))
  run.join({ 10: TEXT, 11: THREAD })
  const liveId = idFrom(0)
  run.dispatcher.take({ t: 'MESSAGE_CREATE', s: 2, d: {
    id: liveId, type: 0, channel_id: '10', guild_id: GUILD, channel_type: TEXT, author: { id: '4' },
  } })
  await until('all of it', () => run.progress.snapshot().sequence === 2)
  expect(run.idsIn('10')).toEqual([...messageIds[10]!, liveId])
  expect(run.idsIn('11')).toEqual(messageIds[11])
  const [oldest] = messageIds[10]!
  expect(run.delivered).toContainEqual(expect.objectContaining({
    type: 'GATEWAY_MESSAGE_CREATE', id: `message:${oldest}`,
    data: expect.objectContaining({ guild_id: GUILD, channel_id: '10', channel_type: TEXT }) as object,
  }))
  // The kind of this channel is known, so only its messages are requested; a full page may have a successor.
  expect(requestedChannels.filter(channel => channel === '10')).toHaveLength(3)
  expect(run.progress.snapshot()).toMatchObject({ backfill: null, lastMessageId: liveId })
})

test('only channels with messages, and with something new, are asked', async () => {
  const [oldId, newId] = [idFrom(3 * HOUR), idFrom(HOUR)]
  messageIds = { 10: [oldId], 11: [newId], 12: [newId], 13: [newId], 14: [] }
  const run = start(idFrom(2 * HOUR))
  run.join({ 10: TEXT, 11: VOICE, 12: CATEGORY, 13: FORUM, 14: TEXT })
  await waitUntilRead(run)
  expect(requestedChannels).toEqual(['11'])
  expect(run.idsIn('11')).toEqual([newId])
  expect(run.progress.snapshot().lastMessageId).toBe(newId)
})

test('nothing is read that is older than what is remembered of what was handled', async () => {
  messageIds = { 10: [idFrom(24 * HOUR), idFrom(22 * HOUR)] }
  const run = start(idFrom(48 * HOUR))
  run.join({ 10: TEXT })
  await waitUntilRead(run)
  expect(run.idsIn('10')).toEqual([messageIds[10]![1]])
})

test('of a big server the channels with the newest messages are read, and the log says that there are more', async () => {
  const ids = Array.from({ length: 60 }, (_, index) => String(100 + index))
  messageIds = Object.fromEntries(ids.map((id, index) => [id, [idFrom(HOUR, index)]]))
  const run = start(idFrom(2 * HOUR))
  run.join(Object.fromEntries(ids.map(id => [id, TEXT])))
  await waitUntilRead(run)
  expect(requestedChannels.toSorted()).toEqual(ids.slice(10))
  expect(reports).toContainEqual(['backfill-cut', { guild: GUILD, channels: 60, read: 50 }])
})

test('of a channel with more than can be read the log says so', async () => {
  messageIds = { 10: Array.from({ length: 1001 }, (_, index) => idFrom(HOUR, index)) }
  const run = start(idFrom(2 * HOUR))
  run.join({ 10: TEXT })
  await waitUntilRead(run)
  expect(run.idsIn('10')).toEqual(messageIds[10]!.slice(0, 1000))
  expect(reports).toEqual([['backfill-cut', { guild: GUILD, channel: '10', messages: 1000 }]])
})

test('a channel that the bot may not read has nothing for it; one that cannot be read just now is asked again', async () => {
  messageIds = { 10: [idFrom(HOUR)], 11: [idFrom(HOUR)] }
  refusal = channel => channel === '10' ? errorWith(403) : requestedChannels.length < 4 ? errorWith(503) : undefined
  const run = start(idFrom(2 * HOUR))
  run.join({ 10: TEXT, 11: TEXT })
  await waitUntilRead(run)
  expect([run.idsIn('10'), run.idsIn('11')]).toEqual([[], messageIds[11]])
  expect(requestedChannels.filter(channel => channel === '10')).toHaveLength(1)
  expect(run.buried).toEqual([])
})

test('a channel that is answered with something else than messages is asked again', async () => {
  messageIds = { 10: [idFrom(HOUR)] }
  refusal = () => requestedChannels.length === 1 ? { message: 'Just a moment …' } : undefined
  const run = start(idFrom(2 * HOUR))
  run.join({ 10: TEXT })
  await waitUntilRead(run)
  expect(run.idsIn('10')).toEqual(messageIds[10])
})

test('what is left when the listener ends is still owed to its successor', async () => {
  messageIds = { 10: [idFrom(HOUR)], 11: [idFrom(HOUR, 1)] }
  const lostAt = idFrom(2 * HOUR)
  const run = start(lostAt, async ({ data }) => {
    if ((data as EventData).channel_id === '11') throw new Error('The route is away.')
  })
  run.join({ 10: TEXT, 11: TEXT })
  await until('one channel', () => run.delivered.length > 0)
  await run.queue.end(1000)
  expect(run.progress.snapshot()).toMatchObject({ sequence: 0, backfill: { after: lostAt, guilds: [GUILD] } })
})
