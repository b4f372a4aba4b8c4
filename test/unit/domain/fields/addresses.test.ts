import { expect, test } from 'vitest'
import { parseAddresses } from '../../../../server/domain/fields/addresses'

test('addresses that somebody typed are sent to by the ASCII form of their hosts', () => {
  expect(parseAddresses('ada@example.com; grace@bücher.example,eve@почта.рф')).toEqual({
    to: ['ada@example.com', 'grace@xn--bcher-kva.example', 'eve@xn--80a1acny.xn--p1ai'],
  })
})

test.each([
  'ada', 'ada@example', 'ada@example.com eve', `${'a'.repeat(65)}@example.com`, `ada@${'a.'.repeat(130)}com`,
])('of %j nothing is sent', (text) => {
  expect(parseAddresses(text)).toEqual({ errors: { to: expect.stringContaining('not an email address') } })
})

test('where an email went it may go again, all of it or in part, with at most 5 others', () => {
  const oldAddresses = Array.from({ length: 20 }, (_, index) => `member-${index}@example.com`)
  const newAddresses = Array.from({ length: 6 }, (_, index) => `other-${index}@example.com`)
  expect(parseAddresses(oldAddresses.join(', '), oldAddresses)).toEqual({ to: oldAddresses })
  const typedAddresses = [...oldAddresses.slice(1), ...newAddresses.slice(1)]
  expect(parseAddresses(typedAddresses.join(', '), oldAddresses)).toEqual({ to: typedAddresses })
  expect(parseAddresses(newAddresses.join(', '), oldAddresses)).toEqual({ errors: { to: 'At most 5 new addresses.' } })
  expect(parseAddresses(oldAddresses.slice(0, 6).join(', '))).toEqual({ errors: { to: 'At most 5 new addresses.' } })
})

test('no email goes to more than 50 addresses, which is what Resend takes', () => {
  const oldAddresses = Array.from({ length: 50 }, (_, index) => `member-${index}@example.com`)
  expect(parseAddresses(oldAddresses.join(', '), oldAddresses)).toEqual({ to: oldAddresses })
  expect(parseAddresses([...oldAddresses, 'ada@example.com'].join(', '), oldAddresses)).toEqual({
    errors: { to: 'At most 50 addresses.' },
  })
})
