import { beforeEach, expect, test } from 'vitest'
import type { Outcome } from '../../../../server/ports/delivery'
import { ok } from '../../../fakes/board'
import { openTriage, type Triage } from '../../../fakes/triage'
import { until } from '../../../support/until'
import { CARD_PATIENCE_MS, SlowRooms } from '../../../../server/domain/cards/card-queue'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'

let triage: Triage
beforeEach(async () => {
  triage = await openTriage()
  // Interval longer than a sender waits for the card
  triage.board.interval = 10_000
})
const names = () => triage.board.history.map(({ fields }) => fields[0]!.value)

test('a form that comes while its queue is found empty is let out all the same', async () => {
  const { queues, receive, runtime } = triage
  const forget = queues.forgetNotice.bind(queues)
  let lateReceipt: Promise<unknown> | undefined
  queues.forgetNotice = async (...notice) => {
    if (notice[1] === 'backlog') await (lateReceipt ??= receive({ name: 'Late' }))
    await forget(...notice)
  }
  for (const name of ['Ada', 'Lin']) await receive({ name })
  await runtime.drain()
  expect(names()).toEqual(['Ada', 'Lin', 'Late'])
})

test('a room that gets its channel while its queue is told that there is none gets its cards all the same', async () => {
  const { board, queue, receive, runtime } = triage
  board.awaited.add('slack')
  await triage.settle(receive({ name: 'Ada' }))
  const { awaits } = board
  board.awaits = async (room) => {
    board.awaits = awaits
    board.awaited.clear()
    queue.wake([room])
    return 'It is installed nowhere.'
  }
  queue.wake()
  await runtime.drain()
  expect(names()).toEqual(['Ada'])
})

test('a queue that is stopped lets nobody out any more, has no sender wait for it, and leaves the rest to another', async () => {
  const { board, queue, receive, runtime } = triage
  const card = Promise.withResolvers<Outcome>()
  runtime.patience = 10_000
  board.interval = 1000
  await receive({ name: 'Ada' })
  board.posts.push(card.promise)
  const senders = [receive({ name: 'Lin' }), receive({ name: 'Joe' })]
  await until('the card of one is being posted', () => board.posts.length === 0)
  queue.stop()
  await Promise.all([...senders, receive({ name: 'Kim' })])
  card.resolve(ok)
  await triage.sweepAfter(60_000)
  expect(names()).toHaveLength(2)
})

test('a card that failed waits for a turn like others, and has the first one when it is due again', async () => {
  const { board, receive, runtime, store, sweep } = triage
  const turns = Promise.withResolvers<null>()
  const wait = runtime.wait.bind(runtime)
  runtime.wait = ms => turns.promise.then(() => wait(ms))
  board.posts.push({ ok: false, reason: 'Slack is down.', permanent: false })
  const ada = await receive({ name: 'Ada' })
  await until('the attempt on record', async () => (await store.get(ada))?.work[0]?.attempts === 1)
  for (const name of ['Lin', 'Joe']) await receive({ name })
  runtime.time += 5000
  await sweep()
  const earlyNames = names()
  turns.resolve(null)
  await runtime.drain()
  expect(earlyNames).toEqual([])
  expect(names()).toEqual(['Ada', 'Lin', 'Joe'])
})

test('a card that is due again once its queue has ended, and before the next may go, is let out all the same', async () => {
  const { board, receive, runtime } = triage
  board.posts.push({ ok: false, reason: 'Slack is down.', permanent: false })
  await triage.settle(receive({ name: 'Ada' }))
  runtime.time += board.interval
  await triage.settle(receive({ name: 'Lin' }))
  await triage.sweepAfter()
  expect(names()).toEqual(['Lin', 'Ada'])
})

test('a sender whose card is out after a short wait for its turn waits no longer', async () => {
  const { board, receive, runtime } = triage
  runtime.patience = 10_000
  board.interval = 1000
  await receive({ name: 'Ada' })
  let shownNames: string[] | undefined
  void receive({ name: 'Lin' }).then(() => { shownNames = names() })
  expect(await until('the answer', () => shownNames)).toEqual(['Ada', 'Lin'])
})

test('a room in which more than 50 wait is told so once, and once more after all of them were posted', async () => {
  const { board, queue, receive, runtime } = triage
  for (const round of [1, 2]) {
    board.awaited.add('slack')
    for (let form = 0; form < 53; form++) await receive({ name: 'Ada' })
    board.awaited.clear()
    queue.wake()
    // A single run of the queue ends before all cards are posted.
    await until('all cards', async () => {
      queue.wake()
      await runtime.drain()
      return board.shown.size === round * 53
    })
    expect(board.announcements.map(({ text }) => text)).toEqual(
      Array.from({ length: round }, () => '53 more submissions are waiting for their cards.'),
    )
  }
})

test('a room is slow from when a card has taken too long there until one is quick', async () => {
  let time = 0
  const rooms = new SlowRooms(only<Runtime>({ now: () => time }))
  const post = Promise.withResolvers<string>()
  const slowPost = rooms.timed('slack', post.promise)
  expect(rooms.has('slack')).toBe(false)
  time += CARD_PATIENCE_MS
  expect([rooms.has('slack'), rooms.has('discord')]).toEqual([true, false])
  post.resolve('late')
  expect(await slowPost).toBe('late')
  expect(rooms.has('slack')).toBe(true)
  await expect(rooms.timed('slack', Promise.reject(new Error('refused at once')))).rejects.toThrow('refused')
  expect(rooms.has('slack')).toBe(false)
})
