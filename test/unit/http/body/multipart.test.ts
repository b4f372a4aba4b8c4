import { expect, test } from 'vitest'
import { FormFields } from '../../../../server/http/body/form-fields'
import { parseMultipart } from '../../../../server/http/body/multipart'

const read = (disposition: string) => parseMultipart(Buffer.from(
  `--x\r\nContent-Disposition: form-data; ${disposition}\r\n\r\nwert ß \\"\r\n--x\r\nContent-Disposition: form-data; name="note"\r\n\r\nContent-Disposition: form-data; name="c\\"d"\r\n--x--\r\n`,
), 'multipart/form-data; boundary=x')

test.each([
  ['an escaped quote, as curl writes one', 'name="a\\"b"', 'a"b'],
  ['an escaped quote and an escaped backslash', 'name="a\\"b\\\\c"', 'a"b\\c'],
  ['a quote, as browsers write one', 'name="a%22b"', 'a"b'],
  ['a backslash, as browsers write one', 'name="a\\b"', 'a\\b'],
  ['two backslashes, as browsers write them', 'name="a\\\\b"', 'a\\\\b'],
  ['a backslash at its end, as browsers write one', 'name="a\\"', 'a\\'],
  ['a backslash at its end and a file name\'s sign in it', 'name="filename=\\"', 'filename=\\'],
  ['letters beyond ASCII beside an escaped quote', 'name="größe \\"m\\""', 'größe "m"'],
])('a name with %s is read as it was meant', async (_, disposition, name) => {
  expect(await read(disposition)).toEqual({
    [name]: 'wert ß \\"', note: 'Content-Disposition: form-data; name="c\\"d"',
  })
})

test('a file where none is taken is named by its field', async () => {
  await expect(read('name="c\\"v"; filename="my \\"cv\\".pdf"')).rejects.toThrow('remove the file field "c\\"v"')
})

test('one value of a name is itself, several are a list in their order', () => {
  const fields = new FormFields()
  for (const [name, value] of [['tag', 'a'], ['__proto__', 'x'], ['tag', 'b']] as const) fields.add(name, value)
  expect(Object.entries(fields.toObject())).toEqual([['tag', ['a', 'b']], ['__proto__', 'x']])
})

test('as many values of one name as a body can hold are collected in one go', () => {
  const fields = new FormFields()
  // If each value copied the list, this would take minutes, longer than the test's timeout.
  for (let count = 0; count < 200_000; count++) fields.add('tag', 'a')
  expect(fields.toObject().tag).toHaveLength(200_000)
})
