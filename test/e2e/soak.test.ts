import { expect, it } from 'vitest'
import { soak } from '../soak/soak'

/** Length of the test, s: 10 in the full test run; `npm run soak` sets it in minutes. */
const SECONDS = process.env.SOAK_MINUTES ? Number(process.env.SOAK_MINUTES) * 60 : 10

/** Minimum length of a run that checks memory, s: the heap needs this time to reach its final size. */
const FLAT_FROM_S = 300

it(`20 forms a second for ${SECONDS} s, every vendor failing 10 % of its calls: all in, all decided or open, none lost, none twice`, async () => {
  const result = await soak(SECONDS)
  console.log(JSON.stringify(result))
  expect(result.problems).toEqual([])
  expect(result.sent).toBe(SECONDS * 20)
  expect(result.forwarded + result.spam).toBe(result.sent / 2)
  expect(result.open).toBe(result.sent / 2)
  expect(result.failedCalls / result.calls).toBeGreaterThan(0.05)
  const [second, last] = result.memoryMiB
  expect(last).toBeGreaterThan(0)
  if (SECONDS >= FLAT_FROM_S) expect(last).toBeLessThanOrEqual(second * 1.15)
}, SECONDS * 1000 + 240_000)
