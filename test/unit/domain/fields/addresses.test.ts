import { expect, test } from 'vitest'
import { parseAddresses } from '../../../../server/domain/fields/addresses'

test('addresses that somebody typed are sent to by the ASCII form of their hosts', () => {
  expect(parseAddresses('ada@example.com; grace@bücher.example,eve@почта.рф')).toEqual({
    to: ['ada@example.com', 'grace@xn--bcher-kva.example', 'eve@xn--80a1acny.xn--p1ai'],
  })
})

test.each([
  'ada', 'ada@example', 'ada@example.com eve', `${'a'.repeat(65)}@example.com`, `ada@${'a.'.repeat(130)}com`,
])('of %j nothing is sent', (typed) => {
  expect(parseAddresses(typed)).toEqual({ errors: { to: expect.stringContaining('not an email address') } })
})

test('where an email went it may go again, all of it or in part, with at most 5 others', () => {
  const before = Array.from({ length: 20 }, (_, index) => `member-${index}@example.com`)
  const others = Array.from({ length: 6 }, (_, index) => `other-${index}@example.com`)
  expect(parseAddresses(before.join(', '), before)).toEqual({ to: before })
  const changed = [...before.slice(1), ...others.slice(1)]
  expect(parseAddresses(changed.join(', '), before)).toEqual({ to: changed })
  expect(parseAddresses(others.join(', '), before)).toEqual({ errors: { to: 'At most 5 new addresses.' } })
  expect(parseAddresses(before.slice(0, 6).join(', '))).toEqual({ errors: { to: 'At most 5 new addresses.' } })
})

test('no email goes to more than 50 addresses, which is what Resend takes', () => {
  const before = Array.from({ length: 50 }, (_, index) => `member-${index}@example.com`)
  expect(parseAddresses(before.join(', '), before)).toEqual({ to: before })
  expect(parseAddresses([...before, 'ada@example.com'].join(', '), before)).toEqual({
    errors: { to: 'At most 50 addresses.' },
  })
})
