import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseJson } from '../../../../server/domain/json'
import { treeOf } from '../../../../server/domain/outbox/email'
import { runs } from '../../../support/properties'

test('lists and objects are told line by line, numbers as they were sent', () => {
  expect(treeOf(parseJson('{"to":{"city":"Z\\u202eh","":null},"items":[12345678901234567890,"",[],{"a":true}]}'))).toEqual([
    { depth: 0, name: 'to:', value: '' }, { depth: 1, name: 'city:', value: 'Z⟨U+202E⟩h' },
    { depth: 1, name: '(no name):', value: 'null' }, { depth: 0, name: 'items:', value: '' },
    { depth: 1, name: '1.', value: '12345678901234567890' }, { depth: 1, name: '2.', value: '—' },
    { depth: 1, name: '3.', value: '—' }, { depth: 1, name: '4.', value: '' },
    { depth: 2, name: 'a:', value: 'true' },
  ])
})

test.each([['text'], [7], [null], [{}], [[]], [true]])('%j is no tree', value => expect(treeOf(value)).toBeUndefined())

test('of the longest one an email is told enough to see that there is more', () => {
  fc.assert(fc.property(fc.integer({ min: 1, max: 5000 }), (length) => {
    expect(treeOf(Array(length).fill([1]))!.length).toBeLessThanOrEqual(1002)
    expect(treeOf(Array(length).fill(1))!.length).toBe(Math.min(length, 1001))
  }), { numRuns: runs(10) })
})
