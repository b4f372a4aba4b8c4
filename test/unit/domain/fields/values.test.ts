import { expect, test } from 'vitest'
import { readFields } from '../../../../server/domain/fields/fields'
import { displayText } from '../../../../server/domain/fields/values'
import { parseJson } from '../../../../server/domain/json'
import { textsIn } from '../../../../shared/texts'
import { submissionOf } from '../../../fixtures/views'

const picture = (type: string, bytes: number) => `data:${type};base64,${'A'.repeat(bytes * 4 / 3)}`

test.each<[string, string, string]>([
  ['a list of texts, a line each', '["a","b"]', 'a\nb'],
  ['a list of one as its value', '["a"]', 'a'],
  ['an object, a line for each member', '{"city":"Vienna","zip":1010}', 'city: Vienna\nzip: 1010'],
  ['numbers as they were sent', '{"price":1.50,"id":12345678901234567890}', 'price: 1.50\nid: 12345678901234567890'],
  ['empty members by their names', '{"a":null,"b":"","c":[],"d":{}}', 'a:\nb:\nc:\nd:'],
  ['a list of objects, numbered', '[{"a":1},{"a":2,"b":[3,4]}]', '1.\n  a: 1\n2.\n  a: 2\n  b: 3, 4'],
  ['an object in an object, indented', '{"a":{"b":{"c":"x"}}}', 'a:\n  b:\n    c: x'],
  ['keys in their order', '{"b":1,"2":"x","1":"y"}', 'b: 1\n2: x\n1: y'],
])('people read %s', (_what, json, text) => {
  const [field] = readFields(submissionOf({ a: parseJson(json) }), { labels: {} })
  expect(field!.value).toBe(text)
})

test.each([
  [picture('image/png', 12_288), 'PNG picture, 12 KB', 'PNG-Bild, 12 KB'],
  [picture('image/svg+xml', 300), 'SVG picture, 1 KB', 'SVG-Bild, 1 KB'],
  [picture('image/jpeg;charset=x', 3_072_000), 'JPEG picture, 3,000 KB', 'JPEG-Bild, 3.000 KB'],
  [picture('application/pdf', 3072), 'PDF file, 3 KB', 'PDF-Datei, 3 KB'],
  ['data:text', 'data:text', 'data:text'], ['data: is new', 'data: is new', 'data: is new'],
])('a file in a text is named', (value, english, german) => {
  expect([displayText({ value }, {}), displayText({ value }, {}, textsIn('de'))]).toEqual([english, german])
  expect(displayText({ value: { a: value } }, {})).toBe(`a: ${english}`)
})

test('technical details are one field, the last, with their keys', () => {
  const data = { '_wpnonce': 'x', 'name': 'Ada', 'g-recaptcha-response': 'y'.repeat(2000) }
  expect(readFields(submissionOf(data), { labels: {} })).toEqual([
    { label: 'name', value: 'Ada', edited: false },
    { label: 'Technical details', value: '_wpnonce, g-recaptcha-response', edited: false },
  ])
})

test('many technical details are the first names and the number of the others, the parts of a value being one', () => {
  const keys = ['form_id', 'meta[date][title]', 'meta[date][value]', 'meta[ip]']
  const parts = Object.fromEntries(keys.map(key => [key, 'x']))
  const settings = { labels: {}, technical: keys }
  expect(readFields(submissionOf({ name: 'Ada', ...parts }), settings).at(-1)!.value).toBe('form_id, meta')
  const ids = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`some_provider_id_${index}`, 'x']))
  const [, { value } = { value: '' }] = readFields(
    submissionOf({ name: 'Ada', ...ids }), { labels: {}, technical: Object.keys(ids) },
  )
  expect(value).toMatch(/^some_provider_id_0, some_provider_id_1, .*, some_provider_id_5 and 34 more$/)
})
