import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CardQueueStore, Entry } from '../../server/ports/card-queue'
import type { SubmissionStore } from '../../server/ports/store'
import { decided, over, submission } from '../fixtures/submissions'
import { until } from '../support/until'

interface Harness {
  queue: CardQueueStore
  /** On the same queues; takes one form a minute of each client. */
  store: SubmissionStore
  close: () => Promise<void>
}

/** Long enough that no test waits for it by accident, ms. */
const LONG = 60_000
/** As short as Redis can keep it. */
const SHORT = 1

/** What every queue of cards does. */
export function cardQueueContract(name: string, makeLine: () => Promise<Harness>): void {
  describe(`card queue: ${name}`, () => {
    let harness: Harness
    let queue: CardQueueStore
    beforeEach(async () => {
      harness = await makeLine()
      queue = harness.queue
    })
    afterEach(() => harness.close())

    /** A gate that stays closed after somebody went. */
    const turn = (room = 'slack') => ({ room, intervalMs: LONG })
    /** A gate that has opened again at once. */
    const open = { room: 'slack', intervalMs: SHORT }
    const enter = (id: string, leaseMs = LONG, first = false) => queue.enter(open, id, { leaseMs, first })
    /** Who is let out next once the gate is open; null when all are taken. */
    const takeSoon = async (leaseMs = LONG) => {
      for (;;) {
        const taken = await queue.take(open, leaseMs)
        if (taken.id !== null) return taken.id
        if (taken.waitMs === null || taken.waitMs > LONG / 2) return null
      }
    }

    it('lets the first go at once and the others wait', async () => {
      expect(await queue.enter(turn(), 'a', { leaseMs: LONG })).toBe(0)
      expect(await queue.enter(turn(), 'b', { leaseMs: LONG })).toBe(2)
      expect(await queue.enter(turn(), 'c', { leaseMs: LONG })).toBe(3)
      expect(await queue.length('slack')).toBe(3)
    })

    it('keeps the place of one that enters again', async () => {
      await queue.enter(turn(), 'a', { leaseMs: LONG })
      await queue.enter(turn(), 'b', { leaseMs: LONG })
      expect(await queue.enter(turn(), 'b', { leaseMs: LONG, first: true })).toBe(2)
      expect(await queue.length('slack')).toBe(2)
    })

    it('lets nobody out while the gate is closed, and says for how long', async () => {
      await queue.enter(turn(), 'a', { leaseMs: LONG })
      await queue.enter(turn(), 'b', { leaseMs: LONG })
      const taken = await queue.take(turn(), LONG)
      expect(taken.id).toBeNull()
      expect((taken as { waitMs: number }).waitMs).toBeGreaterThan(0)
      expect((taken as { waitMs: number }).waitMs).toBeLessThanOrEqual(LONG)
    })

    it('lets the next one out once its gate was opened before its time', async () => {
      await queue.enter(turn(), 'a', { leaseMs: LONG })
      await queue.enter(turn(), 'b', { leaseMs: LONG })
      await queue.leave('a', [{ room: 'slack', pauseMs: LONG }])
      await queue.reopen('slack')
      expect(await queue.take(turn(), LONG)).toEqual({ id: 'b' })
      expect((await queue.take(turn(), LONG)).id).toBeNull()
    })

    it('closes the gate behind whoever is let out', async () => {
      for (const id of ['a', 'b', 'c']) await enter(id)
      await until('the gate to open', async () => (await queue.take(turn(), LONG)).id === 'b')
      expect((await queue.take(turn(), LONG)).id).toBeNull()
    })

    it('says when the first of those who are being posted may go to somebody else', async () => {
      await enter('a', LONG / 2)
      await enter('b')
      expect(await takeSoon()).toBe('b')
      let waitMs = 0
      await until('the gate to open', async () => {
        ;({ waitMs } = await queue.take(open, LONG) as { waitMs: number })
        return waitMs > SHORT
      })
      expect(waitMs).toBeLessThanOrEqual(LONG / 2)
    })

    it('hands them out in order of arrival, each to one only', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `id-${99 - index}`)
      for (const id of ids) await enter(id)
      const handed: (string | null)[] = [ids[0]!]
      for (let index = 1; index < ids.length; index++) handed.push(await takeSoon())
      expect(handed).toEqual(ids)
      expect(await takeSoon()).toBeNull()
    })

    it('hands one that was not posted in time to somebody else', async () => {
      await enter('a', 10)
      expect(await takeSoon(30)).toBe('a')
      expect(await takeSoon()).toBe('a')
      expect(await takeSoon()).toBeNull()
    })

    it('forgets one that left, and is empty then', async () => {
      await enter('a')
      await queue.leave('a', [{ room: 'slack', pauseMs: 0 }])
      expect(await queue.length('slack')).toBe(0)
      expect(await queue.take(open, LONG)).toEqual({ id: null, waitMs: null })
    })

    it('lets one that left and comes back go before those who waited meanwhile', async () => {
      await enter('a')
      for (const id of ['b', 'c']) await enter(id)
      await queue.leave('a', [{ room: 'slack', pauseMs: 0 }])
      await enter('a', LONG, true)
      expect([await takeSoon(), await takeSoon(), await takeSoon()]).toEqual(['a', 'b', 'c'])
    })

    it('closed for a while lets nobody in at once', async () => {
      await queue.leave('another', [{ room: 'slack', pauseMs: LONG - 0.5 }])
      expect(await enter('a')).toBe(1)
      expect((await queue.take(open, LONG)).id).toBeNull()
    })

    it('stays closed for its interval when who was let out has left', async () => {
      await queue.enter(turn(), 'a', { leaseMs: LONG })
      await queue.leave('a', [{ room: 'slack', pauseMs: 0 }])
      expect(await queue.enter(turn(), 'b', { leaseMs: LONG })).toBe(1)
      expect((await queue.take(turn(), LONG)).id).toBeNull()
    })

    it('keeps rooms apart', async () => {
      await queue.enter(turn(), 'a', { leaseMs: LONG })
      expect(await queue.enter(turn('discord'), 'a', { leaseMs: LONG })).toBe(0)
      await queue.leave('a', [{ room: 'slack', pauseMs: 0 }])
      expect(await queue.length('discord')).toBe(1)
    })

    /** As `CardQueue` makes it of rooms whose gate stays closed. */
    const entry = (...rooms: string[]): Entry => ({ paces: rooms.map(room => turn(room)), leaseMs: LONG })

    it('is entered with the write that stores a submission, in every room', async () => {
      const { store } = harness
      const [one, two] = [submission(), submission()]
      expect(await store.create(one, { entry: entry('slack') })).toEqual({ id: one.id, places: [0] })
      expect(await store.create(two, { entry: entry('discord', 'slack') })).toEqual({ id: two.id, places: [0, 2] })
      expect([await queue.length('slack'), await queue.length('discord')]).toEqual([2, 1])
      expect(await queue.enter(turn(), two.id, { leaseMs: LONG })).toBe(2)
    })

    it('is not entered by a form that is refused, or was sent before', async () => {
      const { store } = harness
      const [first, key] = [submission(), 'a'.repeat(64)]
      await store.create(first, { idempotencyKey: key })
      expect(
        await store.create(submission(), { idempotencyKey: key, entry: entry('slack') }),
      ).toEqual({ id: first.id, places: [] })
      await store.create(submission(), { client: 'somebody' })
      await expect(
        store.create(submission(), { client: 'somebody', entry: entry('slack') }),
      ).rejects.toThrow('limit is reached')
      await expect(store.create(first, { entry: entry('slack') })).rejects.toThrow('exists already')
      expect(await queue.length('slack')).toBe(0)
      expect(await queue.enter(turn(), 'next', { leaseMs: LONG })).toBe(0)
    })

    it('is left with a write of the submission, and only if that is stored', async () => {
      const { store } = harness
      const one = submission()
      await store.create(one, { entry: entry('slack', 'discord') })
      const leaving = [{ room: 'slack', pauseMs: 0 }, { room: 'discord', pauseMs: LONG }]
      expect(await store.replace({ ...one, version: 7 }, decided(one), undefined, leaving)).toBeNull()
      expect([await queue.length('slack'), await queue.length('discord')]).toEqual([1, 1])
      expect(await store.replace(one, decided(one), undefined, leaving)).not.toBeNull()
      expect([await queue.length('slack'), await queue.length('discord')]).toEqual([0, 0])
      expect(await queue.enter({ room: 'discord', intervalMs: SHORT }, 'next', { leaseMs: LONG })).toBe(1)
    })

    it('is left with the end of the submission', async () => {
      const { store } = harness
      const one = submission()
      await store.create(one, { entry: entry('slack') })
      const leaving = [{ room: 'slack', pauseMs: 0 }]
      expect(await store.replace({ ...one, version: 7 }, over(one), undefined, leaving)).toBeNull()
      expect(await queue.length('slack')).toBe(1)
      expect(await store.replace(one, over(one), undefined, leaving)).not.toBeNull()
      expect(await queue.length('slack')).toBe(0)
    })

    it('keeps the times of each room as it is entered and left', async () => {
      const { store } = harness
      const [one, discord] = [submission(), { room: 'discord', intervalMs: SHORT }]
      const leaving = [{ room: 'slack', pauseMs: LONG }, { room: 'discord', pauseMs: 0 }]
      const goesOn = (id: string) => until('the gate to open', async () => (await queue.take(discord, LONG)).id === id)
      await store.create(one, { entry: { paces: [turn(), discord], leaseMs: LONG } })
      for (const id of ['second', 'third', 'fourth']) await queue.enter(discord, id, { leaseMs: LONG })
      await goesOn('second')
      await queue.leave('second', leaving)
      await goesOn('third')
      await store.replace(one, decided(one), undefined, leaving)
      await goesOn('fourth')
    })

    it('hands a notice to one until it is forgotten, and tells notices and rooms apart', async () => {
      const take = () => queue.takeNotice('slack', 'backlog')
      expect((await Promise.all([take(), take()])).sort()).toEqual([false, true])
      await queue.forgetNotice('slack', 'held')
      expect([
        await take(), await queue.takeNotice('slack', 'held'), await queue.takeNotice('discord', 'held'),
      ]).toEqual([false, true, true])
      await queue.forgetNotice('slack', 'backlog')
      expect([await take(), await queue.takeNotice('slack', 'held')]).toEqual([true, false])
    })
  })
}
