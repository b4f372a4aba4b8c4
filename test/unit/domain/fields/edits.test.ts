import { expect, test } from 'vitest'
import { applyEdits, editInputs, markOf } from '../../../../server/domain/fields/edits'
import { readFields } from '../../../../server/domain/fields/fields'
import { parseJson } from '../../../../server/domain/json'
import type { SubmissionData } from '../../../../server/ports/submission'
import { submissionOf } from '../../../fixtures/views'

const TEXT = '{"event_id":"e1","event_type":"x","data":{"fields":[{"key":"q1","label":"Name","value":"Ada"},'
  + '{"key":"q2","label":"Price","value":1.50},{"key":"q3","label":"Size","value":"o1","options":'
  + '[{"id":"o1","text":"Small"},{"id":"o2","text":"Large"}]},'
  + '{"key":"q4","label":"Colours","value":["c1","c2"],"options":[{"id":"c1","text":"Red"},{"id":"c2","text":"Blue"}]},'
  + '{"key":"q5","label":"Address","value":{"city":"Vienna","zip":"1010"}},{"key":"q6","label":"Topics","value":["a"]}]}}'
const sent = () => parseJson(TEXT) as SubmissionData

/** Changes the input with this label. */
function edit(data: SubmissionData, label: string, text: string) {
  const { id } = editInputs(data).find(each => each.label === label)!
  return applyEdits(data, { [id]: text })
}

test('inputs show texts and lines, and offer the choices that came', () => {
  expect(editInputs(sent()).map(({ label, value, rule }) => [label, value, rule?.options])).toEqual([
    ['Name', 'Ada', undefined], ['Price', '1.50', undefined], ['Size', 'Small', ['Small', 'Large']],
    ['Colours', 'Red\nBlue', undefined], ['Address', 'city: Vienna\nzip: 1010', undefined],
    ['Topics', 'a', undefined],
  ])
})

test.each([
  ['Name', 'Grace', '"Ada"', '"Grace"'], ['Price', '2.00', '1.50', '2.00'], ['Size', 'Large', '"o1"', '"o2"'],
  ['Size', 'Huge', '"o1"', '"Huge"'], ['Colours', 'Blue\nGreen', '["c1","c2"]', '["c2","Green"]'],
  ['Colours', '', '["c1","c2"]', '[]'], ['Colours', '["c1"]', '["c1","c2"]', '["c1"]'],
  ['Address', 'zip: 1020\ncity: Graz: Mitte', '"Vienna","zip":"1010"', '"Graz: Mitte","zip":"1020"'],
  ['Address', 'city: Graz', '"Vienna","zip":"1010"', '"Graz","zip":""'], ['Topics', 'b', '["a"]', '["b"]'],
])('an edit of %s to %j changes that value, and nothing else', (label, text, before, after) => {
  const result = edit(sent(), label, text)
  const [first, ...rest] = TEXT.split(`"label":"${label}","value":`)
  expect(rest).toHaveLength(1)
  const expected = `${first}"label":"${label}","value":${rest[0]!.replace(before, after)}`
  expect('errors' in result ? result : JSON.stringify(result.data)).toBe(expected)
})

test.each(['town: Graz', 'Graz', 'city: a\ncity: b'])('%j is no edit of an address', (text) => {
  expect(edit(sent(), 'Address', text)).toEqual({
    errors: { [editInputs(sent())[4]!.id]: expect.stringContaining('The names are city, zip.') },
  })
})

test('an edit inside of JSON that came as a text changes that text', () => {
  const data = { formID: '1', rawRequest: '{"formID":"1","submissionID":"2","q3_name":"Ada","q4_n":1.0}', submissionID: '2' }
  expect(edit(data, 'name', 'Grace')).toMatchObject({
    data: { ...data, rawRequest: '{"formID":"1","submissionID":"2","q3_name":"Grace","q4_n":1.0}' },
  })
})

test('keys that look like numbers keep their place', () => {
  const data = parseJson('{"b":"x","2":"y","1":{"9":"p","8":"q"}}') as SubmissionData
  const result = edit(data, '1', '8: r\n9: p')
  expect(JSON.stringify((result as { data: object }).data)).toBe('{"b":"x","2":"y","1":{"9":"p","8":"r"}}')
})

test('ids of inputs stay the same when settings of the form change', () => {
  const data = { a: '1', b: { c: '2', d: '3' }, e: '4' }
  const idsOf = (settings: object) => new Map(editInputs(data, settings).map(({ key, id }) => [key, id]))
  const [plain, split] = [idsOf({}), idsOf({ labels: { 'b.c': 'C' }, technical: ['a'] })]
  expect([...plain]).toEqual([['a', 'f0'], ['b', 'f1'], ['e', 'f2']])
  expect([...split.keys()]).toEqual(['b.c', 'b.d', 'e'])
  expect(split.get('e')).toBe('f2')
  expect(idsOf({ labels: { 'b.d': 'D' } }).get('b.c')).toBe(split.get('b.c'))
  expect([...split.values()].every(id => /^f\d{1,11}$/.test(id))).toBe(true)
})

test('a form that a previous version opened: what was not touched stays, what was typed is refused', () => {
  const marks = new Map([['f2', markOf('{"old":1}')]])
  expect(applyEdits(sent(), { f2: '{"old":1}' }, {}, marks)).toEqual({ data: sent(), edited: [] })
  expect(applyEdits(sent(), { f2: '{"old":2}' }, {}, marks)).toEqual({ errors: { f2: expect.any(String) } })
})

test('an edit of the whole field by a previous version is told at each answer that it changed', () => {
  const before = sent()
  const after = parseJson(TEXT.replace('"Ada"', '"Grace"')) as SubmissionData
  const submission = { ...submissionOf(after), edited: ['data'], before: { data: before.data } }
  expect(readFields(submission, { labels: {} }).filter(({ edited }) => edited)).toEqual([
    { label: 'Name', value: 'Grace', edited: true, was: 'Ada' },
  ])
})

test('20,000 edits at once take time in proportion', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`k${index}`, 'x']))
  const texts = Object.fromEntries(editInputs(data).map(({ id }) => [id, 'y']))
  expect(applyEdits(data, texts)).toMatchObject({ edited: { length: 20_000 } })
})
