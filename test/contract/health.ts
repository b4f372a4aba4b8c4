import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { HealthBook } from '../../server/ports/monitor'
import { until } from '../support/until'

/** What every `HealthBook` does. `makeBook` is called for every test. */
export function healthBookContract(
  name: string, makeBook: () => Promise<{ book: HealthBook, close(): Promise<void> }>,
): void {
  describe(`${name} health book`, () => {
    let harness: Awaited<ReturnType<typeof makeBook>>
    let book: HealthBook
    const noted = (
      part: string, check: (health: Awaited<ReturnType<HealthBook['read']>>[string]) => boolean,
    ) => until(`a note of ${part}`, async () => {
      const health = (await book.read())[part]
      return health && check(health)
    })

    beforeEach(async () => {
      harness = await makeBook()
      book = harness.book
    })
    afterEach(() => harness.close())

    test('knows nothing of a part that was not used', async () => {
      expect(await book.read()).toEqual({})
    })

    test('keeps the last success and the last error of each part', async () => {
      book.note('slack', 1000)
      book.note('email', 2000, 'Resend answered 401: "no".')
      book.note('email', 3000, 'Resend answered 500.')
      book.note('email', 4000)
      book.note('teams/19:abc@thread.tacv2', 5000)
      book.note('teams/19:abc@thread.tacv2', 6000, 'The channel was archived.')
      await noted('teams/19:abc@thread.tacv2', ({ lastError }) => lastError?.at === 6000)
      await noted('slack', ({ lastSuccessAt }) => lastSuccessAt === 1000)
      await noted('email', ({ lastSuccessAt, lastError }) => lastSuccessAt === 4000 && lastError?.at === 3000)
      expect(await book.read()).toEqual({
        'slack': { lastSuccessAt: 1000, lastError: null },
        'email': { lastSuccessAt: 4000, lastError: { at: 3000, reason: 'Resend answered 500.' } },
        'teams/19:abc@thread.tacv2': {
          lastSuccessAt: 5000, lastError: { at: 6000, reason: 'The channel was archived.' },
        },
      })
    })

    test('a success after an error is noted however soon it comes', async () => {
      book.note('slack', 1000)
      book.note('slack', 1001, 'Slack: no connection.')
      book.note('slack', 1002)
      await noted('slack', ({ lastSuccessAt, lastError }) => lastSuccessAt === 1002 && lastError?.at === 1001)
    })

    test('counts incidents by kind and detail, the latest first', async () => {
      expect(await book.incidents(0)).toEqual([])
      for (const at of [1000, 2000, 3000]) book.count('unknown-submission', '', at)
      book.count('unknown-submission', 'slack:C1', 4000)
      await until('the last incident', async () => (await book.incidents(5000)).length === 2)
      expect(await book.incidents(5000)).toEqual([
        { kind: 'unknown-submission', detail: 'slack:C1', count: 1, since: 4000, lastAt: 4000 },
        { kind: 'unknown-submission', detail: '', count: 3, since: 1000, lastAt: 3000 },
      ])
    })

    test('forgets an incident a day after it happened last, and begins to count anew', async () => {
      const day = 86_400_000
      book.count('unknown-submission', '', 0)
      book.count('unknown-submission', '', 1000)
      await until('the count', async () => (await book.incidents(1000))[0]?.count === 2)
      expect(await book.incidents(day + 999)).toHaveLength(1)
      expect(await book.incidents(day + 1000)).toEqual([])
      book.count('unknown-submission', '', day + 2000)
      await until('the new count', async () => (await book.incidents(day + 2000))[0]?.count === 1)
    })
  })
}
