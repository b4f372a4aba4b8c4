import { expect, test } from 'vitest'
import { addressesIn } from '../../../../server/domain/submission/addresses'

test('addresses that somebody typed are sent to by the ASCII form of their hosts', () => {
  expect(addressesIn('ada@example.com; grace@bücher.example,eve@почта.рф')).toEqual({
    to: ['ada@example.com', 'grace@xn--bcher-kva.example', 'eve@xn--80a1acny.xn--p1ai'],
  })
})

test.each([
  'ada', 'ada@example', 'ada@example.com eve', `${'a'.repeat(65)}@example.com`, `ada@${'a.'.repeat(130)}com`,
])('of %j nothing is sent', (typed) => {
  expect(addressesIn(typed)).toEqual({ errors: { to: expect.stringContaining('not an email address') } })
})
