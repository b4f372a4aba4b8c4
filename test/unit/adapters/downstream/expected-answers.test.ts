import { beforeEach, describe, expect, test } from 'vitest'
import { createEndpoint, type EndpointOptions } from '../../../../server/adapters/downstream/endpoint'
import { createHttpClient } from '../../../../server/adapters/http/client'
import { endAfterTest } from '../../../support/lifetime'
import { startProxy, type Proxy } from '../../../support/proxy'

let vendor: Proxy
beforeEach(async () => { vendor = endAfterTest(await startProxy()) })

const post = (options: Partial<EndpointOptions>) => (
  createEndpoint({ url: vendor.url, ...options }, createHttpClient()).post('{}', 'id-1')
)

describe('An endpoint with an expected answer', () => {
  test.each<[unknown, string, boolean]>([
    [{ ok: true }, '{"ok":true,"id":1}', true],
    [{ data: { issue: { success: true } } }, '{"data":{"issue":{"success":true}},"errors":[]}', true],
    [{ ids: [1, { a: 2 }] }, '{"ids":[1,{"a":2,"b":3}]}', true],
    [{ ok: true }, '{"ok":"true"}', false],
    [{ ok: true }, '{"ok":false}', false],
    [{ ok: null }, '{}', false],
    [{ ids: [1] }, '{"ids":[1,2]}', false],
    [{ ids: [1] }, '{"ids":{"0":1}}', false],
    [{ data: { a: 1 } }, '{"data":null}', false],
    [{ constructor: {} }, '{}', false],
    ['Accepted', '"Accepted"', true],
    [{ ok: true }, '<html>secret</html>', false],
  ])('compares %j with %s', async (expected, body, ok) => {
    vendor.fault = () => ({ status: 200, body })
    const outcome = await post({ expect: expected })
    expect(outcome).toMatchObject(ok ? { ok } : { ok, permanent: false, reason: expect.stringContaining('"expect"') })
    expect(JSON.stringify(outcome)).not.toContain('secret')
  })

  test('reports the status of a failure, not the missing answer', async () => {
    vendor.fault = () => ({ status: 404, body: '{}' })
    expect(await post({ expect: { ok: true } })).toMatchObject({
      permanent: true, reason: expect.stringContaining('(404)'),
    })
  })
})

test('Headers of a destination cannot replace those that every request has', async () => {
  await post({ headers: { 'authorization': 'Bearer x', 'idempotency-key': 'other', 'content-type': 'text/plain' } })
  expect(vendor.requests[0]!.headers).toMatchObject({
    'authorization': 'Bearer x', 'idempotency-key': 'id-1', 'content-type': 'application/json',
  })
})

test.each([
  ['http://answers.example.com/x', 302], ['https://answers.example.com.evil.example/x', 302],
  ['https://answers.example.com:8443/x', 302], ['/x', 302], ['https://answers.example.com/x', 307],
])('A redirect to %s with %i is not followed', async (location, status) => {
  vendor.fault = () => ({ status, headers: { location } })
  expect(await post({ follow: 'answers.example.com' })).toMatchObject({ ok: false, permanent: true })
  expect(vendor.requests).toHaveLength(1)
})
