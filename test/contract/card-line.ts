import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CardLine, Turn } from '../../server/ports/line'

interface Harness {
  line: CardLine
  close: () => Promise<void>
}

/** Long enough that no test waits for it by accident, ms. */
const CLOSED = 60_000
const NOW = 1_800_000_000_000

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

    const turn = (changes: Partial<Turn> = {}): Turn => ({ room: 'slack', now: NOW, intervalMs: CLOSED, ...changes })
    /** A gate that has opened again: the interval is as short as Redis can keep it. */
    const open = (changes: Partial<Turn> = {}) => turn({ intervalMs: 1, ...changes })
    const takeSoon = async (changes: Partial<Turn> = {}, until = NOW + CLOSED) => {
      const from = changes.now ?? NOW
      for (let now = from; ; now++) {
        const taken = await line.take(open({ ...changes, now }), until)
        if (taken.id !== null || taken.waitMs === null || now > from + 5000) return taken
      }
    }

    it('lets the first go at once and the others wait', async () => {
      expect(await line.enter(turn(), 'a', NOW + CLOSED)).toBe(0)
      expect(await line.enter(turn(), 'b', NOW + CLOSED)).toBe(2)
      expect(await line.enter(turn(), 'c', NOW + CLOSED)).toBe(3)
      expect(await line.length('slack')).toBe(3)
    })

    it('keeps the place of one that enters again', async () => {
      await line.enter(turn(), 'a', NOW + CLOSED)
      await line.enter(turn(), 'b', NOW + CLOSED)
      expect(await line.enter(turn(), 'b', NOW + CLOSED)).toBe(2)
      expect(await line.length('slack')).toBe(2)
    })

    it('lets nobody out while the gate is closed, and says for how long', async () => {
      await line.enter(turn(), 'a', NOW + CLOSED)
      await line.enter(turn(), 'b', NOW + CLOSED)
      const taken = await line.take(turn(), NOW + CLOSED)
      expect(taken.id).toBeNull()
      expect((taken as { waitMs: number }).waitMs).toBeGreaterThan(0)
      expect((taken as { waitMs: number }).waitMs).toBeLessThanOrEqual(CLOSED)
    })

    it('hands them out in order of arrival, each to one only', async () => {
      const ids = Array.from({ length: 20 }, (_, index) => `id-${99 - index}`)
      for (const id of ids) await line.enter(open(), id, NOW + CLOSED)
      const handed: (string | null)[] = [ids[0]!]
      for (let index = 1; index < ids.length; index++) handed.push((await takeSoon()).id)
      expect(handed).toEqual(ids)
      expect((await takeSoon()).id).toBeNull()
    })

    it('hands one that was not posted in time to somebody else', async () => {
      await line.enter(open(), 'a', NOW + 10)
      expect((await takeSoon()).id).toBe('a')
      expect(await takeSoon({ now: NOW + 20 }, NOW + 30)).toEqual({ id: null, waitMs: expect.any(Number) })
      expect((await takeSoon({ now: NOW + CLOSED })).id).toBe('a')
    })

    it('forgets one that left, and is empty then', async () => {
      await line.enter(open(), 'a', NOW + CLOSED)
      await line.leave('slack', 'a')
      expect(await line.length('slack')).toBe(0)
      expect(await line.take(open(), NOW)).toEqual({ id: null, waitMs: null })
    })

    it('lets others go before one that was put off', async () => {
      await line.enter(open(), 'a', NOW + CLOSED)
      await line.enter(open(), 'b', NOW + CLOSED)
      await line.putOff('slack', 'a', NOW + CLOSED)
      expect((await takeSoon()).id).toBe('b')
      expect((await takeSoon({ now: NOW + CLOSED })).id).toBe('a')
    })

    it('closed for a while lets nobody in at once', async () => {
      await line.close('slack', CLOSED)
      expect(await line.enter(open({ now: Date.now() }), 'a', NOW)).toBe(1)
      expect((await line.take(open({ now: Date.now() }), NOW)).id).toBeNull()
    })

    it('keeps rooms apart', async () => {
      await line.enter(turn(), 'a', NOW + CLOSED)
      expect(await line.enter(turn({ room: 'discord' }), 'a', NOW + CLOSED)).toBe(0)
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
