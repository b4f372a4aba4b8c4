import crypto from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { createEvent } from 'h3'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admitSender, publicPost } from '../../../server/http/form'

const KEY = 'a-key-for-servers-0123456789'
const RULES = { trustedProxies: 1, apiKey: KEY }

function request(headers: Record<string, string>) {
  const incoming = Object.assign(new IncomingMessage(new Socket()), {
    method: 'POST', headers: { 'x-forwarded-for': '2001:db8:1:2::3', ...headers },
  })
  return createEvent(incoming, new ServerResponse(incoming))
}

const compared = vi.fn()
const { timingSafeEqual } = crypto
beforeEach(() => {
  // Observed, not replaced: Node's own comparison still decides.
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

test.each([
  '', 'x', `${KEY.slice(0, -1)}x`, `${KEY}${KEY}`, 'ключ',
])('the key %j is refused after a comparison in constant time, of equal lengths', (key) => {
  expect(() => admitSender(request({ 'x-api-key': key }), RULES)).toThrow(expect.objectContaining({ status: 401 }))
  expect(compared.mock.calls).toEqual([[32, 32]])
})

test('the key lets in, and makes all its senders one client whatever their address', () => {
  expect(admitSender(request({ authorization: `Bearer ${KEY}` }), RULES)).toEqual({
    address: '2001:db8:1:2::3', group: '2001:db8:1:2::/64', client: 'api-key',
    trusted: true, hasFiles: false, idempotencyKey: undefined,
  })
})

test('a page that hides its origin is refused, and told what to change', async () => {
  const pages = { allowedOrigins: ['https://shop.example'] }
  const post = (origin: string) => publicPost(request({ origin }), pages, async () => 'taken')
  expect(await post('https://shop.example')).toBe('taken')
  expect(await post('null')).toEqual({
    code: 'ORIGIN_NOT_ALLOWED',
    error: expect.stringContaining('Referrer-Policy: strict-origin-when-cross-origin'),
    message: expect.stringContaining('Referrer-Policy: strict-origin-when-cross-origin'),
  })
})

test('a page that tells of a refusal is of its reader\'s language, and still of the origin that it is shown to', async () => {
  const event = request({
    'origin': 'https://other.example', 'accept': 'text/html', 'content-type': 'application/x-www-form-urlencoded',
  })
  const page = await publicPost(event, { allowedOrigins: ['https://shop.example'] }, async () => 'taken')
  expect(page).toContain('ORIGIN_NOT_ALLOWED')
  expect(event.node.res.getHeader('vary')).toBe('Origin, Access-Control-Request-Headers, Accept, Accept-Language')
})

test('a key of 255 characters makes forms one; a longer one is refused by the name of its header', () => {
  const send = (length: number) => admitSender(
    request({ 'idempotency-key': 'k'.repeat(length) }), { trustedProxies: 1 },
  )
  expect(send(255).idempotencyKey).toHaveLength(255)
  expect(() => send(256)).toThrow('Idempotency-Key')
})

test('an origin that may not send is told of both lists that could have it', async () => {
  const lists = 'FORM_ALLOWED_ORIGINS, or allowedOrigins of a form that has its own.'
  const pages = { allowedOrigins: ['https://shop.example'] }
  expect(await publicPost(
    request({ origin: 'https://shop.example.evil.example' }), pages, async () => 'taken',
  )).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' })
  expect(await publicPost(request({ origin: 'https://other.example' }), pages, async () => 'taken')).toEqual({
    code: 'ORIGIN_NOT_ALLOWED',
    error: `Forms from the origin https://other.example are not accepted. Add it to ${lists}`,
    message: `Forms from the origin https://other.example are not accepted. Add it to ${lists}`,
  })
  expect(() => admitSender(request({ origin: 'https://other.example' }), RULES)).toThrow(lists)
})

test('files may come with what is multipart, and with nothing else', () => {
  const types = ['multipart/form-data; boundary=x', 'Multipart/Form-Data', 'application/json', 'text/plain']
  const rules = { ...RULES, apiKey: undefined }
  const hasFiles = types.map(type => admitSender(request({ 'content-type': type }), rules).hasFiles)
  expect(hasFiles).toEqual([true, true, false, false])
})

test('without a key set everybody gets in, and nobody is trusted', () => {
  expect(admitSender(request({ 'x-api-key': KEY, 'idempotency-key': 'k' }), { ...RULES, apiKey: undefined })).toEqual({
    address: '2001:db8:1:2::3', group: '2001:db8:1:2::/64', client: '2001:db8:1:2::/64', trusted: false,
    hasFiles: false, idempotencyKey: 'k',
  })
})
