import { expect, test } from 'vitest'
import { Feed } from '../../server/domain/submission/feed'

function openFeed() {
  const watchers = new Set<(id: string | null) => void>()
  const waits: (() => void)[] = []
  const feed = new Feed({
    store: { watch: (changed) => { watchers.add(changed); return () => watchers.delete(changed) } },
    runtime: { wait: () => new Promise(resolve => waits.push(resolve)) },
  })
  return {
    feed, watchers,
    change: (...ids: (string | null)[]) => ids.forEach(id => watchers.forEach(changed => changed(id))),
    pass: async () => {
      waits.splice(0).forEach(resolve => resolve())
      await Promise.resolve()
    },
  }
}

test('one watch serves all listeners, and ends with the last', () => {
  const { feed, watchers } = openFeed()
  const stops = [1, 2].map(() => feed.listen({ changed: () => {}, closed: () => {} })!)
  expect(watchers.size).toBe(1)
  stops[0]!()
  expect(watchers.size).toBe(1)
  stops[1]!()
  expect(watchers.size).toBe(0)
  feed.listen({ changed: () => {}, closed: () => {} })
  expect(watchers.size).toBe(1)
})

test('changes are gathered into one message, and a flood into one that says only that', async () => {
  const { feed, change, pass } = openFeed()
  const heard: (readonly string[] | null)[] = []
  feed.listen({ changed: ids => heard.push(ids), closed: () => {} })
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

test('there is room for so many listeners and no more, until one leaves', () => {
  const { feed } = openFeed()
  const stops = Array.from({ length: 200 }, () => feed.listen({ changed: () => {}, closed: () => {} }))
  expect(stops).not.toContain(null)
  expect(feed.listen({ changed: () => {}, closed: () => {} })).toBeNull()
  stops[7]!()
  expect(feed.listen({ changed: () => {}, closed: () => {} })).not.toBeNull()
})

test('closing tells every listener', () => {
  const { feed, watchers } = openFeed()
  let closed = 0
  for (let index = 0; index < 3; index++) feed.listen({ changed: () => {}, closed: () => closed++ })
  feed.close()
  expect([closed, watchers.size]).toEqual([3, 0])
})
