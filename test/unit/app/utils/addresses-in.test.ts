import { expect, test } from 'vitest'
import { linkAddresses, leadsTo } from '../../../../app/utils/addresses-in'

const addresses = (text: string) => linkAddresses(text).filter(({ href }) => href)

test('web and email addresses are told from the text around them, which stays as it is', () => {
  const text = 'See (https://example.com/a?b=1), www.example.org,\n or write to <ada@example.com>. Thanks.'
  expect(linkAddresses(text).map(piece => piece.text).join('')).toBe(text)
  expect(addresses(text)).toEqual([
    { text: 'https://example.com/a?b=1', href: 'https://example.com/a?b=1' },
    { text: 'www.example.org', href: 'https://www.example.org/' },
    { text: 'ada@example.com', href: 'mailto:ada@example.com' },
  ])
})

test('nothing but http, https, mailto and tel is an address', () => {
  for (const text of [
    'javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'JaVaScRiPt://x', 'http:/', 'https://', 'a@b', '@x.y',
    'a@.b', 'a@b.', 'a@b@c.d', `https://example.com/${'x'.repeat(2000)}`, 'vbscript:x', '//example.com',
  ]) expect(addresses(text), text).toEqual([])
  expect(addresses('tel:+4912345 mailto:a@b.c').map(({ href }) => href)).toEqual(['tel:+4912345', 'mailto:a@b.c'])
})

test('where an address leads is shown as browsers look it up', () => {
  const of = (text: string) => leadsTo(addresses(text)[0]!.href!)
  expect(of('https://example.com/x')).toEqual({ where: 'example.com', warning: null })
  expect(of('https://аpple.com')).toEqual({ where: 'xn--pple-43d.com', warning: expect.stringContaining('letters') as string })
  expect(of('https://google.com@evil.example/')).toEqual({
    where: 'evil.example', warning: expect.stringContaining('evil.example') as string,
  })
  expect(of('ada@аpple.com').where).toBe('ada@xn--pple-43d.com')
})
