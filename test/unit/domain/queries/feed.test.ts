import { expect, test } from 'vitest'
import { Feed, type FeedListener } from '../../../../server/domain/queries/feed'
import { HEARTBEAT_MS, type StoreWatcher, type SubmissionStore } from '../../../../server/ports/store'
import { only } from '../../../fakes/only'
import type { Runtime } from '../../../../server/ports/runtime'

const idle: FeedListener = { changed: () => {}, alive: () => {}, closed: () => {} }

function openFeed() {
  const clock = { now: 1_000_000, revision: '1' }
  const watchers = new Set<StoreWatcher>()
  const waits: (() => void)[] = []
  const feed = new Feed({
    store: only<SubmissionStore>({
      watch: (watcher) => { watchers.add(watcher); return () => watchers.delete(watcher) },
      revision: async () => clock.revision,
    }),
    runtime: only<Runtime>({ now: () => clock.now, wait: () => new Promise(resolve => waits.push(resolve)) }),
  })
  return {
    feed, watchers, clock,
    change: (...ids: (string | null)[]) => ids.forEach(id => watchers.forEach(({ changed }) => changed(id))),
    beat: () => watchers.forEach(({ alive }) => alive()),
    pass: async () => {
      waits.splice(0).forEach(resolve => resolve())
      await new Promise(setImmediate)
    },
  }
}

test('one watch serves all listeners, and ends with the last', () => {
  const { feed, watchers } = openFeed()
  const stops = [1, 2].map(() => feed.listen({ ...idle })!)
  expect(watchers.size).toBe(1)
  stops[0]!()
  expect(watchers.size).toBe(1)
  stops[1]!()
  expect(watchers.size).toBe(0)
  feed.listen({ ...idle })
  expect(watchers.size).toBe(1)
})

test('changes are gathered into one message, and a flood into one that says only that', async () => {
  const { feed, change, pass } = openFeed()
  const heard: (readonly string[] | null)[] = []
  feed.listen({ ...idle, changed: ids => heard.push(ids) })
  change('a', 'b', 'a')
  expect(heard).toEqual([])
  await pass()
  change('c', null)
  await pass()
  change(...Array.from({ length: 101 }, (_, index) => String(index)))
  await pass()
  await pass()
  expect(heard).toEqual([['a', 'b'], null, null])
})

test('who knows the revision that there is hears of nothing until something changes', async () => {
  const { feed, clock, change, pass } = openFeed()
  const heard = { knows: [] as unknown[], knew: [] as unknown[], late: [] as unknown[] }
  feed.listen({ ...idle, knows: '1', changed: ids => heard.knows.push(ids) })
  feed.listen({ ...idle, knows: '0', changed: ids => heard.knew.push(ids) })
  await pass()
  expect(heard).toEqual({ knows: [], knew: [null], late: [] })
  clock.revision = '2'
  feed.listen({ ...idle, knows: '1', changed: ids => heard.late.push(ids) })
  feed.listen({ ...idle, knows: '2', changed: ids => heard.late.push(ids) })
  await pass()
  change('a')
  await pass()
  expect(heard).toEqual({ knows: [['a']], knew: [null, ['a']], late: [null, ['a'], ['a']] })
  clock.revision = '1'
  change(null)
  await pass()
  expect(heard.knows).toEqual([['a'], null])
})

test('who left hears nothing of what was on its way', async () => {
  const { feed, pass } = openFeed()
  const heard: unknown[] = []
  feed.listen({ ...idle })
  feed.listen({ ...idle, changed: ids => heard.push(ids) })!()
  await pass()
  expect(heard).toEqual([])
})

test('there is room for so many listeners and no more, until one leaves', () => {
  const { feed } = openFeed()
  const stops = Array.from({ length: 200 }, () => feed.listen({ ...idle }))
  expect(stops).not.toContain(null)
  expect(feed.listen({ ...idle })).toBeNull()
  stops[7]!()
  expect(feed.listen({ ...idle })).not.toBeNull()
})

test('closing tells every listener', () => {
  const { feed, watchers } = openFeed()
  let closed = 0
  for (let index = 0; index < 3; index++) feed.listen({ ...idle, closed: () => closed++ })
  feed.close()
  expect([closed, watchers.size]).toEqual([3, 0])
})

test('heartbeats reach every listener, and whoever comes between two of them at once', () => {
  const { feed, beat, clock } = openFeed()
  const beats = [0, 0, 0]
  const listen = (index: number) => feed.listen({ ...idle, alive: () => { beats[index]!++ } })
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
