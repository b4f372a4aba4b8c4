import crypto from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { createEvent } from 'h3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admit } from '../../server/http/admission'

const KEY = 'a-key-for-servers-0123456789'
const RULES = { rateLimit: 60, trustedProxies: 1, apiKey: KEY }

function request(headers: Record<string, string>) {
  const incoming = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', headers: { 'x-forwarded-for': '2001:db8:1:2::3', ...headers } })
  return createEvent(incoming, new ServerResponse(incoming))
}

const compared = vi.fn()
const { timingSafeEqual } = crypto
beforeEach(() => {
  // Watched, not replaced: node's own comparison still decides.
  crypto.timingSafeEqual = (a, b) => {
    compared(a.byteLength, b.byteLength)
    return timingSafeEqual(a, b)
  }
  syncBuiltinESMExports()
})
afterEach(() => {
  crypto.timingSafeEqual = timingSafeEqual
  syncBuiltinESMExports()
  compared.mockClear()
})

test.each(['', 'x', `${KEY.slice(0, -1)}x`, `${KEY}${KEY}`, 'ключ'])('the key %j is refused after a comparison in constant time, of equal lengths', async (key) => {
  await expect(admit(request({ 'x-api-key': key }), RULES, null)).rejects.toMatchObject({ status: 401 })
  expect(compared.mock.calls).toEqual([[32, 32]])
})

test('the key lets in, and makes all its senders one client whatever their address', async () => {
  expect(await admit(request({ authorization: `Bearer ${KEY}` }), RULES, null)).toEqual({ address: '2001:db8:1:2::3', client: 'api-key', trusted: true, idempotencyKey: undefined })
})

test('without a key set everybody gets in, and nobody is trusted', async () => {
  expect(await admit(request({ 'x-api-key': KEY, 'idempotency-key': 'k' }), { ...RULES, apiKey: undefined }, null)).toEqual({ address: '2001:db8:1:2::3', client: '2001:db8:1:2::/64', trusted: false, idempotencyKey: 'k' })
})

test('a wrong key is refused before it is counted, a right one is counted by its address', async () => {
  const take = vi.fn(async () => 1)
  await expect(admit(request({ 'x-api-key': 'wrong' }), RULES, { take })).rejects.toMatchObject({ status: 401 })
  expect(take).not.toHaveBeenCalled()
  const event = request({ 'x-api-key': KEY })
  await expect(admit(event, RULES, { take })).rejects.toMatchObject({ status: 429 })
  expect(take.mock.calls).toEqual([['2001:db8:1:2::/64']])
  expect(event.node.res.getHeader('retry-after')).toBe(1)
})

test('counts that cannot be reached are the store\'s fault, not the sender\'s', async () => {
  await expect(admit(request({}), { ...RULES, apiKey: undefined }, { take: () => Promise.reject(new Error('no Redis')) })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
