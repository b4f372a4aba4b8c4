import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fieldName } from '../../../../server/platforms/shared/text'
import { cut } from '../../../../shared/utils/text'

test('whatever the text, the result is within bounds, begins like it and is as well-formed', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.integer({ min: 1, max: 40 }), (text, max) => {
    const result = cut(text, max)
    expect(result.length).toBeLessThanOrEqual(max)
    expect(result.isWellFormed()).toBe(true)
    expect(text.startsWith(result === text ? text : result.slice(0, -1))).toBe(true)
    expect(result === text).toBe(text.length <= max)
    expect(result === text || (result.endsWith('…') && result.length >= max - 1)).toBe(true)
  }))
})

test('a name that nobody could see is told in words', () => {
  expect(['', ' \n\t', ' name ', 'abcdef'].map(label => fieldName(label, 5))).toEqual([
    '(no …', '(no …', ' nam…', 'abcd…',
  ])
  expect(fieldName('', 150)).toBe('(no name)')
})
