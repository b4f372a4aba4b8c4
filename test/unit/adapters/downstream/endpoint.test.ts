import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'
import { beforeEach, describe, expect, test } from 'vitest'
import { createEndpoint, type EndpointOptions } from '../../../../server/adapters/downstream/endpoint'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { endAfterTest } from '../../../support/lifetime'
import { startProxy, type Proxy } from '../../../support/proxy'

const SECRET = `whsec_${Buffer.from('0123456789abcdef01234567').toString('base64')}`
const NEXT_SECRET = `whsec_${Buffer.from('fedcba9876543210fedcba98').toString('base64')}`
const BODY = '{"name":"Zoë \\u2028 👩‍🚀","n":1.0,"nested":{"a":[1,null]}}'
const DAY_MS = 24 * 60 * 60 * 1000

let vendor: Proxy
beforeEach(async () => { vendor = endAfterTest(await startProxy()) })

const host = () => new URL(vendor.url).host

function post({ path = '/in?form=1', ...options }: Partial<EndpointOptions> & { path?: string } = {}) {
  return createEndpoint({ url: `${vendor.url}${path}`, ...options }, createHttpClient()).post(BODY, 'id-1')
}

function respond(status: number, headers?: Record<string, string>, body = 'secret answer') {
  vendor.fault = () => ({ status, headers, body })
}

describe('Endpoint', () => {
  test('receives exactly the body, byte for byte, and the headers', async () => {
    respond(204)
    expect(await post()).toMatchObject({ ok: true })
    expect(vendor.requests).toMatchObject([{ method: 'POST', path: '/in?form=1', body: BODY, headers: {
      'content-type': 'application/json', 'idempotency-key': 'id-1', 'webhook-id': 'id-1',
      'webhook-timestamp': expect.stringMatching(/^\d{10}$/),
    } }])
    expect(vendor.requests[0]!.headers).not.toHaveProperty('webhook-signature')
  })

  test('can verify the signature with the Standard Webhooks library', async () => {
    respond(200)
    await post({ signingSecrets: [SECRET] })
    const { body, headers } = vendor.requests[0]! as { body: string, headers: Record<string, string> }
    expect(new Webhook(SECRET).verify(body, headers)).toEqual(JSON.parse(BODY))
    expect(() => new Webhook(SECRET).verify(`${body} `, headers)).toThrow('No matching signature')
  })

  test('can verify a POST that two secrets sign with either; the first one\'s signature is first', async () => {
    respond(200)
    await post({ signingSecrets: [SECRET, NEXT_SECRET] })
    const { body, headers } = vendor.requests[0]! as { body: string, headers: Record<string, string> }
    const at = new Date(Number(headers['webhook-timestamp']) * 1000)
    expect(headers['webhook-signature']).toBe(
      [SECRET, NEXT_SECRET].map(secret => new Webhook(secret).sign('id-1', at, body)).join(' '),
    )
    for (const secret of [SECRET, NEXT_SECRET]) expect(new Webhook(secret).verify(body, headers)).toBeTruthy()
  })

  test('gets the configured method and headers, which replace none of ours', async () => {
    respond(200)
    await post({ method: 'PUT', headers: {
      'Authorization': 'Bearer token-of-crm', 'Webhook-Id': 'x', 'Content-Type': 'x',
    } })
    expect(vendor.requests).toMatchObject([{ method: 'PUT', headers: {
      'authorization': 'Bearer token-of-crm', 'webhook-id': 'id-1', 'content-type': 'application/json',
    } }])
  })

  test('gets nothing when the secret is unusable; the reason names the setting, not the secret', async () => {
    respond(200)
    const outcome = await post({ signingSecrets: [SECRET, 'not base64!'] })
    expect(outcome).toMatchObject({
      ok: false, permanent: true, reason: expect.stringContaining('FORWARD_SIGNING_SECRET'),
    })
    expect(JSON.stringify(outcome)).not.toContain('not base64!')
    expect(vendor.requests).toEqual([])
  })

  test.each([301, 302, 303, 307, 308])('%i is not followed and says that the URL moved', async (status) => {
    respond(status, { location: '/elsewhere' })
    expect(await post()).toEqual({
      ok: false, permanent: true, status, answer: 'secret answer',
      reason: `${host()} has moved (${status}). Set FORWARD_ENDPOINT, or "endpoint" of its form, to the new URL; redirects are not followed.`,
    })
    expect(vendor.requests).toHaveLength(1)
  })

  test.each([
    ...[400, 401, 403, 404, 410, 413, 422].map(status => [status, true] as const),
    ...[408, 409, 425, 429, 500, 502, 503, 504].map(status => [status, false] as const),
  ])('%i: permanent is %s, the reason names host and status and nothing of the answer', async (status, permanent) => {
    respond(status)
    const outcome = await post()
    expect(outcome).toEqual({
      ok: false, permanent, reason: expect.stringMatching(new RegExp(`^${host()} .*${status}`)),
      ...status === 429 && { limited: true }, status, answer: 'secret answer',
      ...(status >= 500 || [401, 403, 408, 429].includes(status)) && { outage: true },
      ...[400, 413, 422].includes(status) && { content: true },
    })
    expect(outcome.ok || outcome.reason).not.toContain('secret answer')
  })

  test.each<[string, string | undefined, string | Buffer]>([
    ['a text', 'Unknown field “n”', ' Unknown field “n”\n'],
    ['a long text', 'x'.repeat(1000), 'x'.repeat(100_000)],
    ['a text of many bytes', '界'.repeat(682), '界'.repeat(5000)],
    ['a picture', undefined, Buffer.from([0x89, 0x50, 0x4E, 0x47])],
    ['bytes of control characters', undefined, Buffer.from([1, 2, 3])],
    ['nothing', undefined, ''],
    ['an echo of address and token', '/in?key=*** Bearer ***', '/in?key=key-of-form Bearer token-of-crm'],
  ])('a refusal with %s has the answer %j', async (_, answer, body) => {
    vendor.fault = () => ({ status: 422, body: body as string })
    const outcome = await post({ path: '/in?key=key-of-form', headers: { authorization: 'Bearer token-of-crm' } })
    expect(outcome).toMatchObject({ ok: false, status: 422 })
    expect(outcome.ok || outcome.answer).toBe(answer)
  })

  test('a refusal whose answer never ends is told in time, with what arrived', async () => {
    const server = endAfterTest(createServer((_, response) => response.writeHead(422).write('Begun')))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const outcome = await createEndpoint({ url, timeoutMs: 500 }, createHttpClient()).post(BODY, 'id-1')
    expect(outcome).toMatchObject({ ok: false, status: 422, answer: 'Begun' })
  })

  test.each([
    [401, ': its token, and FORWARD_SIGNING_SECRET.'], [403, ': its token, and FORWARD_SIGNING_SECRET.'],
    [404, '; the log of'], [422, '; the log of'],
  ])('%i says what to check: the address%s', async (status, advice) => {
    respond(status)
    expect(await post()).toMatchObject({
      reason: expect.stringContaining(`Check FORWARD_ENDPOINT, or "endpoint" of its form${advice}`),
    })
  })

  test.each([200, 201, 202, 204])('%i is delivered', async (status) => {
    respond(status)
    expect(await post()).toMatchObject({ ok: true })
  })

  test.each([
    ['12', 12_000], ['0', 0], ['1.5', 1500], ['Wed, 21 Oct 2015 07:28:00 GMT', 0], ['9'.repeat(400), DAY_MS],
    ['Fri, 31 Dec 9999 23:59:59 GMT', DAY_MS], ['soon', undefined],
  ])('Retry-After: %s waits %s ms', async (value, retryAfterMs) => {
    respond(503, { 'retry-after': value })
    expect(await post()).toEqual({
      ok: false, permanent: false, reason: expect.any(String), ...retryAfterMs !== undefined && { retryAfterMs },
      status: 503, answer: 'secret answer', outage: true,
    })
  })

  test('Retry-After with a date waits until then', async () => {
    respond(429, { 'retry-after': new Date(Date.now() + 60_000).toUTCString() })
    const outcome = await post()
    expect(outcome.ok || outcome.retryAfterMs).toBeGreaterThan(50_000)
    expect(outcome.ok || outcome.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  test('an answer longer than any that is read does not keep us', async () => {
    respond(200, {}, 'x'.repeat(9 * 2 ** 20))
    expect(await post()).toMatchObject({ ok: true })
  })

  test('an endpoint that never answers is given up', async () => {
    vendor.fault = () => ({ hold: new Promise(() => {}) })
    expect(await post({ timeoutMs: 50 })).toEqual({
      ok: false, permanent: false, reason: `${host()} did not answer within 0.05 s.`, outage: true,
    })
  })

  test('nobody listening is a failure to repeat', async () => {
    await vendor.close()
    expect(await post()).toEqual({
      ok: false, permanent: false, reason: `${host()} cannot be reached (ECONNREFUSED).`, outage: true,
    })
  })

  test('is called by its host, without path or query', () => {
    expect(
      createEndpoint({ url: 'https://crm.example.com:8443/hook?token=secret' }, createHttpClient()).host,
    ).toBe('crm.example.com:8443')
  })
})
