import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CardLine } from '../../server/ports/line'

interface Harness {
  line: CardLine
  close: () => Promise<void>
}

/** Long enough that no test waits for it by accident, ms. */
const LONG = 60_000
/** As short as Redis can keep it. */
const SHORT = 1

/** What every line of cards does. */
export function cardLineContract(name: string, makeLine: () => Promise<Harness>): void {
  describe(`card line: ${name}`, () => {
    let harness: Harness
    let line: CardLine
    beforeEach(async () => {
      harness = await makeLine()
      line = harness.line
    })
    afterEach(() => harness.close())

    /** A gate that stays closed after somebody went. */
    const turn = (room = 'slack') => ({ room, intervalMs: LONG })
    /** A gate that has opened again at once. */
    const open = { room: 'slack', intervalMs: SHORT }
    const enter = (id: string, leaseMs = LONG, first = false) => line.enter(open, id, { leaseMs, first })
    /** Who is let out next once the gate is open; null when all are taken. */
    const takeSoon = async (leaseMs = LONG) => {
      for (;;) {
        const taken = await line.take(open, leaseMs)
        if (taken.id !== null) return taken.id
        if (taken.waitMs === null || taken.waitMs > LONG / 2) return null
      }
    }

    it('lets the first go at once and the others wait', async () => {
      expect(await line.enter(turn(), 'a', { leaseMs: LONG })).toBe(0)
      expect(await line.enter(turn(), 'b', { leaseMs: LONG })).toBe(2)
      expect(await line.enter(turn(), 'c', { leaseMs: LONG })).toBe(3)
      expect(await line.length('slack')).toBe(3)
    })

    it('keeps the place of one that enters again', async () => {
      await line.enter(turn(), 'a', { leaseMs: LONG })
      await line.enter(turn(), 'b', { leaseMs: LONG })
      expect(await line.enter(turn(), 'b', { leaseMs: LONG, first: true })).toBe(2)
      expect(await line.length('slack')).toBe(2)
    })

    it('lets nobody out while the gate is closed, and says for how long', async () => {
      await line.enter(turn(), 'a', { leaseMs: LONG })
      await line.enter(turn(), 'b', { leaseMs: LONG })
      const taken = await line.take(turn(), LONG)
      expect(taken.id).toBeNull()
      expect((taken as { waitMs: number }).waitMs).toBeGreaterThan(0)
      expect((taken as { waitMs: number }).waitMs).toBeLessThanOrEqual(LONG)
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
      await line.leave('slack', 'a')
      expect(await line.length('slack')).toBe(0)
      expect(await line.take(open, LONG)).toEqual({ id: null, waitMs: null })
    })

    it('lets one that left and comes back go before those who waited meanwhile', async () => {
      await enter('a')
      for (const id of ['b', 'c']) await enter(id)
      await line.leave('slack', 'a')
      await enter('a', LONG, true)
      expect([await takeSoon(), await takeSoon(), await takeSoon()]).toEqual(['a', 'b', 'c'])
    })

    it('closed for a while lets nobody in at once', async () => {
      await line.close('slack', LONG)
      expect(await enter('a')).toBe(1)
      expect((await line.take(open, LONG)).id).toBeNull()
    })

    it('keeps rooms apart', async () => {
      await line.enter(turn(), 'a', { leaseMs: LONG })
      expect(await line.enter(turn('discord'), 'a', { leaseMs: LONG })).toBe(0)
      await line.leave('slack', 'a')
      expect(await line.length('discord')).toBe(1)
    })

    it('hands the backlog notice to one until it is forgotten', async () => {
      expect(await Promise.all([line.takeNotice('slack'), line.takeNotice('slack')])).toEqual(expect.arrayContaining([true, false]))
      await line.forgetNotice('slack')
      expect(await line.takeNotice('slack')).toBe(true)
    })
  })
}
