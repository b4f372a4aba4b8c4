import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { admitSender, publicPost } from '../../../server/http/form'
import { httpEvent } from './event'

const KEY = 'a-key-for-servers-0123456789'
const RULES_WITHOUT_KEY = { trustedProxies: 1 }
const RULES = { ...RULES_WITHOUT_KEY, apiKey: KEY }

const request = (headers: Record<string, string>) => httpEvent(
  { 'x-forwarded-for': '2001:db8:1:2::3', ...headers }, { method: 'POST' },
)

const compared = vi.fn()
const { timingSafeEqual } = crypto
beforeEach(() => {
  // Record the calls, but let Node's own comparison decide.
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

const pages = { allowedOrigins: ['https://shop.example'] }
const post = (origin: string) => publicPost(request({ origin }), pages, async () => 'taken')

test('a page that hides its origin is refused, and told what to change', async () => {
  expect(await post('https://shop.example')).toBe('taken')
  const error = expect.stringContaining('Referrer-Policy: strict-origin-when-cross-origin') as string
  expect(await post('null')).toEqual({ code: 'ORIGIN_NOT_ALLOWED', error, message: error })
})

test.each([
  ['authorization, x-api-key', 'authorization, x-api-key'], [undefined, '*'],
])('a preflight that asks for the headers %s may send %s', async (requested, allowed) => {
  const event = httpEvent({
    origin: 'https://shop.example', ...requested && { 'access-control-request-headers': requested },
  }, { method: 'OPTIONS' })
  expect(await publicPost(event, pages, async () => 'taken')).toBeNull()
  expect(event.node.res.getHeader('access-control-allow-headers')).toBe(allowed)
})

test('a page that tells of a refusal is of its reader\'s language, and still of the origin that it is shown to', async () => {
  const event = request({
    'origin': 'https://other.example', 'accept': 'text/html', 'content-type': 'application/x-www-form-urlencoded',
  })
  const page = await publicPost(event, pages, async () => 'taken')
  expect(page).toContain('ORIGIN_NOT_ALLOWED')
  expect(event.node.res.getHeader('vary')).toBe('Origin, Access-Control-Request-Headers, Accept, Accept-Language')
})

test('a key of 255 characters makes forms one; a longer one is refused by the name of its header', () => {
  const send = (length: number) => admitSender(request({ 'idempotency-key': 'k'.repeat(length) }), RULES_WITHOUT_KEY)
  expect(send(255).idempotencyKey).toHaveLength(255)
  expect(() => send(256)).toThrow('Idempotency-Key')
})

test('an id of a webhook is a key, unless it has one of its own', () => {
  const keyOf = (headers: Record<string, string>) => admitSender(request(headers), RULES_WITHOUT_KEY).idempotencyKey
  expect(keyOf({ 'webhook-id': 'msg_1' })).toBe('msg_1')
  expect(keyOf({ 'svix-id': 'msg_2' })).toBe('msg_2')
  expect(keyOf({ 'svix-id': 'msg_2', 'webhook-id': 'msg_1', 'idempotency-key': 'k' })).toBe('k')
  expect(keyOf({ 'webhook-id': 'msg_1', 'idempotency-key': '' })).toBe('msg_1')
  expect(() => keyOf({ 'svix-id': 'k'.repeat(256) })).toThrow('svix-id')
})

test.each([
  ['a listed one', 'https://shop.example', pages, ['https://shop.example', 'true', 'Origin, Access-Control-Request-Headers']],
  ['another one', 'https://other.example', pages, [undefined, undefined, 'Origin, Access-Control-Request-Headers']],
  ['any, without a list', 'https://shop.example', {}, ['*', undefined, 'Access-Control-Request-Headers']],
])('with credentials, the answer and its preflight can be read by %s', async (_, origin, rules, expected) => {
  for (const method of ['POST', 'OPTIONS']) {
    const event = httpEvent({ origin, 'access-control-request-headers': 'content-type' }, { method })
    await publicPost(event, rules, async () => 'taken')
    expect(['access-control-allow-origin', 'access-control-allow-credentials', 'vary'].map(
      name => event.node.res.getHeader(name),
    )).toEqual(expected)
    const isPreflight = method === 'OPTIONS' && expected[0] !== undefined
    expect(event.node.res.getHeader('access-control-allow-headers')).toBe(isPreflight ? 'content-type' : undefined)
  }
})

test('an origin that may not send is told of both lists that could have it', async () => {
  const lists = 'FORM_ALLOWED_ORIGINS, or allowedOrigins of a form that has its own.'
  const error = `Forms from the origin https://other.example are not accepted. Add it to ${lists}`
  expect(await post('https://shop.example.evil.example')).toMatchObject({ code: 'ORIGIN_NOT_ALLOWED' })
  expect(await post('https://other.example')).toEqual({ code: 'ORIGIN_NOT_ALLOWED', error, message: error })
  expect(() => admitSender(request({ origin: 'https://other.example' }), RULES)).toThrow(lists)
})

test('files may come with what is multipart, and with nothing else', () => {
  const types = ['multipart/form-data; boundary=x', 'Multipart/Form-Data', 'application/json', 'text/plain']
  const hasFiles = types.map(type => admitSender(request({ 'content-type': type }), RULES_WITHOUT_KEY).hasFiles)
  expect(hasFiles).toEqual([true, true, false, false])
})

test('without a key set everybody gets in, and nobody is trusted', () => {
  expect(admitSender(request({ 'x-api-key': KEY, 'idempotency-key': 'k' }), RULES_WITHOUT_KEY)).toEqual({
    address: '2001:db8:1:2::3', group: '2001:db8:1:2::/64', client: '2001:db8:1:2::/64', trusted: false,
    hasFiles: false, idempotencyKey: 'k',
  })
})
