import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkedNext } from '../../../../server/http/pages/form-pages'
import { FINE_NEXT, HOSTILE_NEXT, SHOP } from '../../../fixtures/hostile-next'
import { runs } from '../../../support/properties'

test(`none of ${HOSTILE_NEXT.length} hostile addresses is one to go on to`, () => {
  expect(HOSTILE_NEXT.filter(next => checkedNext(next, [SHOP]) !== null)).toEqual([])
})

test.each(FINE_NEXT)('%j leads to %s', (next, to) => expect(checkedNext(next, [SHOP])).toBe(to))

test('where no website is listed, there is nowhere to go on to', () => {
  expect(FINE_NEXT.filter(([next]) => checkedNext(next, []) !== null)).toEqual([])
})

test('whatever is sent, a browser ends up on a website that is listed, by a header of one line', () => {
  const part = fc.constantFrom(
    'https:', 'http:', '/', '//', '\\', '@', ':', '443', '.', '?', '#', 'shop.example', 'evil.example', '\t', '\r\n',
    '%', '\u0000', '\u3002', '[', ']', 'user',
  )
  fc.assert(fc.property(fc.array(fc.oneof({ weight: 5, arbitrary: part }, fc.string()), { maxLength: 12 }), (parts) => {
    const to = checkedNext(parts.join(''), [SHOP])
    if (to === null) return
    expect(new URL(to, 'https://forms.example.com/api/form')).toMatchObject({ origin: SHOP, username: '', password: '' })
    expect(to).toMatch(/^[\x21-\x7E]+$/)
  }), { numRuns: runs(3000) })
})

/**
 * Variations from the web platform tests' URL data, combined: https://github.com/web-platform-tests/wpt/tree/master/url
 */
const PARTS = [
  ['https:', 'http:', 'HTTPS:', 'ht\ntps:', ' https:', 'https', 'ws:', 'javascript:', ''],
  ['//', '', '/', '///', '\\\\', '/\\', '//\t', '/\n/', '////'],
  ['', '@', ':@', 'a:b@', ':b@', 'a:@', '@/', 'shop.example@', 'shop.example:443@', 'a@b@', '%40'],
  [
    'shop.example', 'evil.example', 'SHOP.EXAMPLE', 'shop.example\u3002evil.example', 'shop.ex\u00ADample',
    '\uFF53hop.example', 'shop%2Eexample', '\uFF05\uFF14\uFF11.example', 'shop.example.', '[::1]', '[shop.example]',
    '0x7f.1', 'xn--pokxncvks.example', 'shop.example\u0000', '..', '',
  ],
  [
    '', '/', ':443', ':0443/', ':80', ':0', ':x', '\\@evil.example', '/..//evil.example', '?@evil.example', '#\r\nx',
    '.evil',
  ],
]

test('of all that the platform tests vary, put together, nothing leaves the website, however a browser reads it', () => {
  const addresses = PARTS.reduce<string[]>(
    (starts, parts) => starts.flatMap(start => parts.map(part => start + part)), [''],
  )
  const targets = addresses.map(next => checkedNext(next, [SHOP])).filter(to => to !== null)
  expect(targets.length).toBeGreaterThan(10)
  expect(targets.filter(to => !to.startsWith(`${SHOP}/`) || !/^[!-~]+$/.test(to) || to.includes('\\'))).toEqual([])
  expect(addresses.length).toBeGreaterThan(100_000)
})
