import { expect, test } from 'vitest'
import { FormFields } from '../../../../server/http/body/multipart'

test('one value of a name is itself, several are a list in their order', () => {
  const fields = new FormFields()
  for (const [name, value] of [['tag', 'a'], ['__proto__', 'x'], ['tag', 'b']] as const) fields.add(name, value)
  expect(Object.entries(fields.toObject())).toEqual([['tag', ['a', 'b']], ['__proto__', 'x']])
})

test('as many values of one name as a body can hold are collected in one go', () => {
  const fields = new FormFields()
  // Copying the list for each value would take minutes, longer than the test's timeout.
  for (let count = 0; count < 200_000; count++) fields.add('tag', 'a')
  expect(fields.toObject().tag).toHaveLength(200_000)
})
