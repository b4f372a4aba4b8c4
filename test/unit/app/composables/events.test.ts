import { expect, test, vi } from 'vitest'
import { nextTick, ref } from 'vue'
import { useChanges, useEvents } from '../../../../app/composables/ops/use-events'
import { useRefresh } from '../../../../app/composables/ops/use-refresh'
import { Events, gate, pass, use } from '../../../support/app/mounted'

const heard: (string | null)[] = []
const listen = (revision = ref<string | null | undefined>('r1')) => {
  heard.length = 0
  return use(() => ({ liveness: useEvents('/events', data => heard.push(data), () => revision.value), revision }))
}

test('a page listens from what it shows on, and not before it shows anything', async () => {
  const { liveness, revision } = await listen(ref())
  expect(Events.open).toEqual([])
  revision.value = 'r/1'
  await nextTick()
  expect([Events.open.map(({ url }) => url), liveness.value]).toEqual([['/events?since=r%2F1'], 'connecting'])
  revision.value = 'r2'
  await nextTick()
  expect(Events.open).toHaveLength(1)
  Events.open[0]!.send('changed', 'x')
  expect(heard).toEqual(['x'])
})

test('it is live by heartbeats, says when forms are refused, and loads all again once after 4 s of silence', async () => {
  const { liveness, revision, leave } = await listen()
  Events.open[0]!.send('heartbeat')
  expect(liveness.value).toBe('live')
  Events.open[0]!.send('heartbeat', 'refusing')
  expect(liveness.value).toBe('refusing')
  await pass(3900)
  expect([liveness.value, Events.open.length]).toEqual(['refusing', 1])
  revision.value = 'r2'
  await pass(100)
  expect([liveness.value, heard, Events.open[0]!.isClosed, Events.open[1]!.url]).toEqual(
    ['lost', [null], true, '/events?since=r2'],
  )
  await pass(4000)
  expect([heard, Events.open.length]).toEqual([[null], 3])
  Events.open[2]!.send('heartbeat')
  expect(liveness.value).toBe('live')
  leave()
  expect(Events.open[2]!.isClosed).toBe(true)
})

test.each([-3_600_000, 3_600_000])('a clock that is set by %i ms counts as silence', async (ms) => {
  const { liveness } = await listen()
  Events.open[0]!.send('heartbeat')
  vi.setSystemTime(Date.now() + ms)
  await pass(250)
  expect(liveness.value).toBe('lost')
})

test('what is asked for while a page is loaded is loaded once more, and once', async () => {
  const answers = [gate<undefined>(), gate<undefined>(), gate<undefined>()]
  let count = 0
  const { refresh } = await use(() => useRefresh(() => answers[count++]!.promise))
  void refresh()
  void refresh()
  expect(count).toBe(1)
  answers[0]!.resolve(undefined)
  await pass()
  expect(count).toBe(2)
  answers[1]!.resolve(undefined)
  await pass(9000)
  expect(count).toBe(2)
})

test('all parts of a page have one stream, from the revision that any of them shows', async () => {
  const told: unknown[] = []
  const first = await use(() => ({ liveness: useChanges(ids => told.push(['first', ids])) }))
  expect(Events.open).toEqual([])
  const second = await use(() => ({ liveness: useChanges(ids => told.push(['second', ids]), () => 'r7') }))
  expect(Events.open.map(({ url }) => url)).toEqual(['/api/submissions/events?since=r7'])
  Events.open[0]!.send('changed', ['a'])
  first.leave()
  Events.open[0]!.send('changed', null)
  expect(told).toEqual([['first', ['a']], ['second', ['a']], ['second', null]])
  second.leave()
  expect(Events.open[0]!.isClosed).toBe(true)
})
