import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { addressGroup, clientAddress } from '../../../server/http/request'

const request = (forwarded?: string, remoteAddress: string | undefined = '10.0.0.9') => ({
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }, socket: { remoteAddress },
})

describe('the client address', () => {
  test('is the socket\'s while no proxy is trusted, whatever X-Forwarded-For says', () => {
    fc.assert(fc.property(
      fc.oneof(fc.string(), fc.ipV4(), fc.ipV6()), forwarded => clientAddress(request(forwarded), 0) === '10.0.0.9',
    ))
  })

  test('is what the outermost trusted proxy wrote, counted from the right', () => {
    const chain = '1.1.1.1, 2.2.2.2,3.3.3.3'
    expect([1, 2, 3].map(proxies => clientAddress(request(chain), proxies))).toEqual(['3.3.3.3', '2.2.2.2', '1.1.1.1'])
  })

  test('cannot be forged: what a client writes stands to the left of what the proxies write', () => {
    fc.assert(fc.property(
      fc.string(), forged => clientAddress(request(`${forged}, 203.0.113.7, 10.0.0.1`), 2) === '203.0.113.7',
    ))
  })

  test.each([
    [undefined, 1], ['', 1], ['203.0.113.7', 2], ['unknown', 1], ['_hidden', 1], ['203.0.113.7,', 1], ['999.1.1.1', 1],
  ])('is the socket\'s when X-Forwarded-For is %j behind %i proxies', (forwarded, proxies) => {
    expect(clientAddress(request(forwarded), proxies)).toBe('10.0.0.9')
  })

  test.each([
    ['203.0.113.7:4711', '203.0.113.7'], ['[2001:db8::1]:443', '2001:db8::1'], ['[2001:db8::1]', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'], ['::ffff:203.0.113.7', '203.0.113.7'], ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:0:1', '0.0.0.1'], ['::1', '::1'],
  ])('%s is %s', (header, address) => {
    expect(clientAddress(request(header), 1)).toBe(address)
    expect(clientAddress(request(undefined, header), 0)).toBe(address)
  })

  test('is unknown without a socket address', () => {
    expect(clientAddress({ headers: {}, socket: {} }, 0)).toBeUndefined()
  })
})

describe('one client', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'], ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::', '2001:db8:1:2::/64'], ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'], ['::', '0:0:0:0::/64'], ['2001:db8:1:2:3:4:192.0.2.1', '2001:db8:1:2::/64'],
    [undefined, 'unknown'],
  ])('of %s is %s', (address, group) => expect(addressGroup(address)).toBe(group))

  test('is a whole /64 of IPv6, and no more', () => {
    const hex = fc.nat(0xFFFF).map(value => value.toString(16))
    const half = fc.tuple(hex, hex, hex, hex).map(groups => groups.join(':'))
    fc.assert(fc.property(half, half, half, half, (net, otherNet, a, b) => {
      expect(addressGroup(`${net}:${a}`)).toBe(addressGroup(`${net}:${b}`))
      if (net !== otherNet) expect(addressGroup(`${net}:${a}`)).not.toBe(addressGroup(`${otherNet}:${a}`))
    }))
  })
})
