import { expect, test } from 'vitest'
import { plainText, rich } from '../../../../shared/utils/line'

const AT = { at: Date.UTC(2027, 0, 1, 0, 5, 9), shows: 'date' } as const

test('words that meet become one, so that they are escaped as one', () => {
  expect(rich`${':smile'}: by ${rich`Ada, ${AT}`}.`).toEqual([':smile: by Ada, ', AT, '.'])
  expect(rich`only ${'words'}`).toBe('only words')
})

test('UTC is named in every form of a moment', () => {
  const moments = (['date', 'clock', 'seconds'] as const).map(shows => plainText([{ ...AT, shows }]))
  expect(moments).toEqual(['1 Jan 2027, 00:05 UTC', '00:05 UTC', '00:05:09 UTC'])
})

test('a moment among the words of another language is written as that language does', () => {
  const moments = (['date', 'clock', 'seconds'] as const).map(shows => plainText([{ ...AT, shows, language: 'de' }]))
  expect(moments).toEqual(['01.01.2027, 00:05 UTC', '00:05 UTC', '00:05:09 UTC'])
})
