import { supportedMimeTypes } from 'file-type'
import { expect, test } from 'vitest'
import { fileRule, FOUND_AS, inputOf } from '../../../server/config/field-rules'

const isTaken = (type: string) => fileRule.safeParse({ types: [type] }).success

test('no file is by its content what is refused, and some are what is named in its place', () => {
  const knownTypes = [...supportedMimeTypes, 'text/plain', 'text/csv']
  expect(Object.keys(FOUND_AS).filter(type => knownTypes.includes(type) || isTaken(type))).toEqual([])
  expect(Object.values(FOUND_AS).filter(type => !knownTypes.includes(type) || !isTaken(type))).toEqual([])
})

test('every type that a file may be by its content is taken', () => {
  const types = [...supportedMimeTypes].filter(type => !type.includes(';') && type === type.toLowerCase())
  expect([...types, 'text/plain', 'text/csv', 'text/*', 'image/*'].filter(type => !isTaken(type))).toEqual([])
})

test('an input names types as browsers know them too', () => {
  expect(inputOf({ max: 2, maxBytes: 1, types: ['image/*', 'application/x-cfb'] })).toEqual({
    multiple: true,
    accept: 'image/*,application/x-cfb,application/msword,application/vnd.ms-excel,application/vnd.ms-powerpoint',
  })
})
