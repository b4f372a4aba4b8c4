import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Reader } from '../../../../../server/platforms/discord/gateway/directory'
import { Dispatcher } from '../../../../../server/platforms/discord/gateway/dispatcher'
import type { EventData, ForwardedEvent } from '../../../../../server/platforms/discord/gateway/events'
import { Progress } from '../../../../../server/platforms/discord/gateway/progress'
import { EventQueue } from '../../../../../server/platforms/discord/gateway/queue'
import { until } from '../../../../support/until'

/** An id that Discord made so long ago. */
const idFrom = (agoMs: number) => String(BigInt(Date.now() - agoMs - 1_420_070_400_000) << 22n)

// The edge is one of a second, which a busy machine may take for anything.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

function start() {
  const [delivered, buried] = [[] as ForwardedEvent[], [] as string[]]
  const queue = new EventQueue({
    maxAgeMs: 60_000, onFailure: () => {}, bury: async ({ messageId }) => void buried.push(messageId!),
  })
  const progress = new Progress(null)
  progress.begin({ sessionId: 's', resumeURL: 'ws://localhost' }, 0)
  const dispatcher = new Dispatcher({
    applicationId: '1', queue, deliver: async event => void delivered.push(event), report: () => {},
    reader: new Reader(async () => { throw new Error('Nothing is asked for.') }),
  }, progress)
  return { dispatcher, delivered, buried, progress }
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

test('a message is handled however old it is', async () => {
  const { dispatcher, delivered, progress } = start()
  const data = { id: idFrom(3_600_000), channel_id: '2', guild_id: '3', channel_type: 0, author: { id: '4' } }
  dispatcher.take({ t: 'MESSAGE_CREATE', s: 1, d: data })
  await until('the message', () => progress.snapshot().sequence === 1)
  expect(delivered.map(({ type }) => type)).toEqual(['GATEWAY_MESSAGE_CREATE'])
})
