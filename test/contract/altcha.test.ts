import type { Challenge, Solution } from 'altcha-lib'
import { beforeEach, describe, expect, test } from 'vitest'
import { createAltcha } from '../../server/adapters/altcha/altcha'
import { createRedisLimiter } from '../../server/adapters/redis/limiter'
import type { Limiter } from '../../server/ports/limiter'
import { only } from '../fakes/only'
import { solve } from '../support/altcha'
import { memoryLimiter } from '../support/sqlite'
import { clientOf, ownRedis } from './stores'

const SECRET = 'a secret of the service, 32 characters'
const LIMIT = { limit: 3, windowS: 86_400 }

const refused = { ok: false, permanent: true, reason: expect.stringContaining('was refused') as string }
const passed = { ok: true, value: undefined }

const server = await ownRedis()

const open = (uses: Limiter, { secret = SECRET, ageMs = 0 } = {}) => (
  createAltcha({ secret, uses, now: () => Date.now() - ageMs })
)
const solved = async (check: ReturnType<typeof open>) => solve(await check.challenge() as Challenge)

/** Decodes a solution, changes it, and encodes it again. */
function changed(token: string, change: (payload: { challenge: Challenge, solution: Solution }) => void): string {
  const payload = JSON.parse(Buffer.from(token, 'base64').toString()) as { challenge: Challenge, solution: Solution }
  change(payload)
  return Buffer.from(JSON.stringify(payload)).toString('base64')
}

/** The promise "once" depends on the store that counts the uses. */
describe.each<[string, () => Promise<Limiter>]>([
  ['Redis', async () => createRedisLimiter(await clientOf(server.url), LIMIT)],
  ['SQLite', async () => memoryLimiter(LIMIT)],
])('the human check over %s', (_, connect) => {
  let check: ReturnType<typeof open>
  let uses: Limiter
  beforeEach(async () => {
    uses = await connect()
    check = open(uses)
  })

  test('takes a solution once', async () => {
    const token = await solved(check)
    expect([await check.verify(token, {}), await check.verify(token, {})]).toEqual([passed, refused])
    expect(await check.verify(await solved(check), {})).toEqual(passed)
  })

  test('takes one of twenty that come at once with the same solution', async () => {
    const token = await solved(check)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => check.verify(token, {})))
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1)
  })

  test('takes one challenge once, though it has many solutions', async () => {
    const challenge = await check.challenge() as Challenge
    const first = await solve(challenge)
    const { counter } = (JSON.parse(Buffer.from(first, 'base64').toString()) as { solution: Solution }).solution
    const second = await solve(challenge, counter + 1)
    expect(second).not.toBe(first)
    expect([await check.verify(first, {}), await check.verify(second, {})]).toEqual([passed, refused])
  })

  test('takes the same form again as often as it is sent, and no other form, however often', async () => {
    const token = await solved(check)
    const send = (attemptKey?: string) => check.verify(token, { attemptKey })
    expect(await send('form a')).toEqual(passed)
    for (let time = 0; time < 3; time++) {
      expect([await send('form a'), await send('form b'), await send()]).toEqual([passed, refused, refused])
    }
  })

  test('takes a solution for twenty minutes', async () => {
    const ago = (minutes: number) => solved(open(uses, { ageMs: minutes * 60_000 }))
    expect([await check.verify(await ago(19), {}), await check.verify(await ago(21), {})]).toEqual([passed, refused])
  })

  test('refuses challenges of another secret, and changed ones', async () => {
    expect(await check.verify(await solved(open(uses, { secret: `${SECRET}!` })), {})).toEqual(refused)
    const token = await solved(check)
    const changes: ((payload: { challenge: Challenge, solution: Solution }) => void)[] = [
      ({ challenge }) => { challenge.parameters.expiresAt! += 60 }, ({ challenge }) => { delete challenge.signature },
      ({ challenge }) => { challenge.parameters.cost = 1 }, ({ challenge }) => { challenge.parameters.nonce = '00' },
      ({ challenge }) => { challenge.parameters.cost = 1e9 },
      ({ challenge }) => { challenge.parameters.keyPrefix = '0' },
      ({ solution }) => { solution.counter++ }, ({ solution }) => { solution.derivedKey = '00'.repeat(32) },
      (payload) => { Object.assign(payload, { solution: null }) },
    ]
    for (const change of changes) expect(await check.verify(changed(token, change), {})).toEqual(refused)
    expect(await check.verify(token, {})).toEqual(passed)
  })

  test.each(['x', 'bnVsbA==', 'W10=', 'e30=', '🙂', btoa('{"challenge":{}}'), btoa('['.repeat(1500))])(
    'refuses %j', async token => expect(await check.verify(token, {})).toEqual(refused),
  )

  test('refuses what is longer than any solution, without reading it', async () => {
    const token = await solved(check)
    expect(token.length).toBeLessThan(1024)
    const padded = (length: number) => changed(token, payload => Object.assign(payload, { x: 'x'.repeat(length) }))
    expect(await check.verify(padded(1600), {})).toEqual(refused)
    expect(await check.verify(padded(600), {})).toEqual(passed)
  })

  test('checks in less than a millisecond', async () => {
    const free = open(only<Limiter>({ limit: 1, take: async () => 0 }))
    const token = await solved(free)
    const times: number[] = []
    for (let round = 0; round < 200; round++) {
      const start = performance.now()
      await free.verify(token, {})
      times.push(performance.now() - start)
    }
    // The fastest half: other programs on this machine may interrupt the rest.
    expect(times.toSorted((a, b) => a - b)[100]).toBeLessThan(1)
  })
})

test('a store that does not answer lets nobody in, for now', async () => {
  const check = open(only<Limiter>({ limit: 1, take: () => Promise.reject(new Error('away')) }))
  expect(await check.verify(await solved(check), {})).toEqual({
    ok: false, permanent: false, reason: expect.stringContaining('store'),
  })
})
