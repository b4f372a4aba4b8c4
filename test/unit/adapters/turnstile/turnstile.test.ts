import { beforeEach, describe, expect, test } from 'vitest'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { createTurnstile } from '../../../../server/adapters/turnstile/turnstile'
import { endAfterTest } from '../../../support/lifetime'
import { startProxy, type Fault, type Proxy } from '../../../support/proxy'

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

let verifier: Proxy
beforeEach(async () => { verifier = endAfterTest(await startProxy()) })

const verdict = (success: boolean, ...codes: string[]): Fault => ({
  status: 200, body: JSON.stringify({ success, 'error-codes': codes }),
})

function verify(
  fault: Fault | undefined,
  { token = 'token', attemptKey, timeoutMs }: { token?: string, attemptKey?: string, timeoutMs?: number } = {},
) {
  verifier.fault = () => fault
  const options = { secretKey: 'secret-key', verifyUrl: `${verifier.url}/siteverify`, timeoutMs }
  return createTurnstile(options, createHttpClient()).verify(
    token, { address: '203.0.113.7', attemptKey },
  )
}

const sentForms = () => verifier.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))

test('a token is posted as a form with the secret and the sender\'s address', async () => {
  expect(await verify(verdict(true))).toEqual({ ok: true, value: undefined })
  expect(verifier.requests[0]).toMatchObject({ method: 'POST', path: '/siteverify', headers: {
    'content-type': expect.stringContaining('application/x-www-form-urlencoded'),
  } })
  expect(sentForms()).toEqual([{ secret: 'secret-key', response: 'token', remoteip: '203.0.113.7' }])
})

test('a second attempt at one form carries the same UUID; another form or token another', async () => {
  for (const [attemptKey, token] of [['a', 't'], ['a', 't'], ['b', 't'], ['a', 'u']]) await verify(
    verdict(true), { attemptKey, token },
  )
  const keys = sentForms().map(({ idempotency_key: key }) => key)
  for (const key of keys) expect(key).toMatch(UUID)
  expect(keys[1]).toBe(keys[0])
  expect(new Set(keys).size).toBe(3)
})

test.each([
  ['missing-input-response'], ['invalid-input-response'], ['timeout-or-duplicate'], [],
])('%s refuses the token for good, and says how to get a new one', async (...codes) => {
  expect(await verify(verdict(false, ...codes))).toEqual({
    ok: false, permanent: true, reason: expect.stringContaining('turnstile.reset()'),
  })
})

test('a token that is too long is refused without asking', async () => {
  expect(await verify(verdict(true), { token: 'x'.repeat(2049) })).toMatchObject({ ok: false, permanent: true })
  expect(verifier.requests).toEqual([])
})

test('a wrong secret is the operator\'s to mend', async () => {
  expect(await verify(verdict(false, 'invalid-input-secret'))).toEqual({
    ok: false, permanent: false, reason: expect.stringContaining('TURNSTILE_SECRET_KEY'),
  })
})

describe('no verdict', () => {
  test.each<[string, Fault]>([
    ['an internal error', verdict(false, 'internal-error')], ['a 500', { status: 500, body: '{}' }],
    ['HTML', { status: 200, body: '<html>' }], ['null', { status: 200, body: 'null' }],
    ['success as text', { status: 200, body: '{"success":"true"}' }], ['a dropped connection', 'drop'],
  ])('from %s lets nobody in, for now', async (_, fault) => {
    expect(await verify(fault)).toMatchObject({
      ok: false, permanent: false, reason: expect.stringContaining('Turnstile'),
    })
  })

  test('is taken from elsewhere: a redirect does not carry the secret along', async () => {
    const elsewhere = endAfterTest(await startProxy())
    elsewhere.fault = () => verdict(true)
    expect(
      await verify({ status: 307, headers: { location: `${elsewhere.url}/siteverify` } }),
    ).toMatchObject({ ok: false, permanent: false })
    expect(elsewhere.requests).toEqual([])
  })

  test('in time lets nobody in, for now', async () => {
    const gate = Promise.withResolvers<unknown>()
    expect(await verify({ hold: gate.promise }, { timeoutMs: 50 })).toEqual({
      ok: false, permanent: false, reason: expect.stringContaining('did not answer'),
    })
    gate.resolve(null)
  })
})
