import { expect, test } from 'vitest'
import { Feed, type FeedListener } from '../../../../server/domain/queries/feed'
import { HEARTBEAT_MS, type StoreWatcher, type SubmissionStore } from '../../../../server/ports/store'
import { testContext } from '../../../fakes/context'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'

const idleListener: FeedListener = { changed: () => {}, alive: () => {}, closed: () => {} }

function openFeed() {
  const clock = { now: 1_000_000, revision: '1' }
  const watchers = new Set<StoreWatcher>()
  const pendingWaits: (() => void)[] = []
  const feed = new Feed(testContext({
    store: only<SubmissionStore>({
      watch: (watcher) => { watchers.add(watcher); return () => watchers.delete(watcher) },
      revision: async () => clock.revision,
    }),
    runtime: only<Runtime>({ now: () => clock.now, wait: () => new Promise(resolve => pendingWaits.push(resolve)) }),
  }))
  return {
    feed, watchers, clock,
    change: (...ids: (string | null)[]) => ids.forEach(id => watchers.forEach(({ changed }) => changed(id))),
    beat: () => watchers.forEach(({ alive }) => alive()),
    pass: async () => {
      pendingWaits.splice(0).forEach(resolve => resolve())
      await new Promise(setImmediate)
    },
  }
}

test('one watch serves all listeners, and ends with the last', () => {
  const { feed, watchers } = openFeed()
  const stops = [1, 2].map(() => feed.listen({ ...idleListener })!)
  expect(watchers.size).toBe(1)
  stops[0]!()
  expect(watchers.size).toBe(1)
  stops[1]!()
  expect(watchers.size).toBe(0)
  feed.listen({ ...idleListener })
  expect(watchers.size).toBe(1)
})

test('changes are gathered into one message, and a flood into one that says only that', async () => {
  const { feed, change, pass } = openFeed()
  const receivedIds: (readonly string[] | null)[] = []
  feed.listen({ ...idleListener, changed: ids => receivedIds.push(ids) })
  change('a', 'b', 'a')
  expect(receivedIds).toEqual([])
  await pass()
  change('c', null)
  await pass()
  change(...Array.from({ length: 101 }, (_, index) => String(index)))
  await pass()
  await pass()
  expect(receivedIds).toEqual([['a', 'b'], null, null])
})

test('who knows the revision that there is hears of nothing until something changes', async () => {
  const { feed, clock, change, pass } = openFeed()
  const received = { knows: [] as unknown[], knew: [] as unknown[], late: [] as unknown[] }
  feed.listen({ ...idleListener, knows: '1', changed: ids => received.knows.push(ids) })
  feed.listen({ ...idleListener, knows: '0', changed: ids => received.knew.push(ids) })
  await pass()
  expect(received).toEqual({ knows: [], knew: [null], late: [] })
  clock.revision = '2'
  feed.listen({ ...idleListener, knows: '1', changed: ids => received.late.push(ids) })
  feed.listen({ ...idleListener, knows: '2', changed: ids => received.late.push(ids) })
  await pass()
  change('a')
  await pass()
  expect(received).toEqual({ knows: [['a']], knew: [null, ['a']], late: [null, ['a'], ['a']] })
  clock.revision = '1'
  change(null)
  await pass()
  expect(received.knows).toEqual([['a'], null])
})

test('who left hears nothing of what was on its way', async () => {
  const { feed, pass } = openFeed()
  const receivedIds: unknown[] = []
  feed.listen({ ...idleListener })
  feed.listen({ ...idleListener, changed: ids => receivedIds.push(ids) })!()
  await pass()
  expect(receivedIds).toEqual([])
})

test('there is room for so many listeners and no more, until one leaves', () => {
  const { feed } = openFeed()
  const stops = Array.from({ length: 200 }, () => feed.listen({ ...idleListener }))
  expect(stops).not.toContain(null)
  expect(feed.listen({ ...idleListener })).toBeNull()
  stops[7]!()
  expect(feed.listen({ ...idleListener })).not.toBeNull()
})

test('closing tells every listener', () => {
  const { feed, watchers } = openFeed()
  let closed = 0
  for (let index = 0; index < 3; index++) feed.listen({ ...idleListener, closed: () => closed++ })
  feed.close()
  expect([closed, watchers.size]).toEqual([3, 0])
})

test('heartbeats reach every listener, and whoever comes between two of them at once', () => {
  const { feed, beat, clock } = openFeed()
  const beats = [0, 0, 0]
  const listen = (index: number) => feed.listen({ ...idleListener, alive: () => { beats[index]!++ } })
  listen(0)
  expect(beats).toEqual([0, 0, 0])
  beat()
  clock.now += HEARTBEAT_MS - 1
  listen(1)
  expect(beats).toEqual([1, 1, 0])
  clock.now += 1
  listen(2)
  expect(beats).toEqual([1, 1, 0])
  beat()
  expect(beats).toEqual([2, 2, 1])
})
