import { expect, test } from 'vitest'
import { readClick } from '../../../../server/platforms/teams/dialogs'

test('a click is what a button of ours sends', () => {
  expect(readClick({ actionId: 'spam', value: 'one', msteams: {} })).toEqual({ actionId: 'spam', value: 'one' })
  expect(readClick({ actionId: 'hello' })).toEqual({ actionId: 'hello', value: undefined })
})

test.each([
  undefined, null, 'spam', [], {}, { value: 'one' }, { actionId: 1, value: 'one' },
  { actionId: ['spam'], value: 'one' },
  { actionId: 'spam', value: null }, { actionId: 'spam', value: 1 }, { actionId: 'spam', value: { toString: 'one' } },
])('%j, which a client may send as well, is none', data => expect(readClick(data)).toBeNull())
