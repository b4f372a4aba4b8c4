import { expect, test } from 'vitest'
import { answerNamed, answersNamed, namedAnswers, readingOf } from '../../../../server/domain/fields/reading'
import { jsonSchemaOf, typed } from '../../../../server/domain/fields/rules'
import type { InvalidFields } from '../../../../server/domain/errors'
import { parseJson } from '../../../../server/domain/json'
import type { Form } from '../../../../server/ports/form'
import type { SubmissionData } from '../../../../server/ports/submission'

const SENT = {
  event_id: 'e1', event_type: 'form_response',
  data: { fields: [
    { key: 'q1', label: 'Your name', value: 'Ada' }, { key: 'q2', label: 'Email', value: 'ada@example.com' },
    { key: 'q3', label: 'Seats', value: '2' },
  ] },
}
const ORDER = { customer: { name: 'Ada', email: 'ada@example.com', ip: '192.0.2.1' }, total: '12', token: 'x' }

const keysOf = (data: SubmissionData, settings: Parameters<typeof readingOf>[1]) => {
  const { answers, technical } = readingOf(data, settings)
  return [answers.map(({ key }) => key), technical.map(({ key }) => key)]
}

test.each<[string, object, string[], string[]]>([
  ['nothing', {}, ['customer', 'total', 'token'], []],
  ['a field by path', { technical: ['token'] }, ['customer', 'total'], ['token']],
  ['a value inside of a field', { technical: ['customer.ip'] }, [
    'customer.name', 'customer.email', 'total', 'token',
  ], ['customer.ip']],
  ['a label that has none', { technical: ['Total'] }, ['customer', 'total', 'token'], []],
])('%s becomes a technical detail', (_what, settings, answers, technical) => {
  expect(keysOf(ORDER, settings)).toEqual([answers, technical])
})

test('a label moves an answer as its path does; a label of the form brings a technical detail back', () => {
  expect(keysOf(SENT, { technical: ['Seats'] })).toEqual([
    ['data.fields.0.value', 'data.fields.1.value'], ['data.fields.2.value', 'event_id', 'event_type'],
  ])
  expect(keysOf(SENT, { labels: { event_id: 'Event' } })[1]).toEqual(['event_type'])
})

test.each([
  ['data.fields.1.value', 'ada@example.com'], ['Email', 'ada@example.com'], ['Nothing', undefined],
])('%s is the path or the label of an answer', (name, value) => expect(answerNamed(name, SENT)?.value).toBe(value))

test('a path leads into a field, through lists of one and JSON in a text', () => {
  const data = { a: [{ b: '{"c":{"d":"x"}}' }] }
  expect(answerNamed('a.b.c.d', data)).toMatchObject({ key: 'a.b.c.d', label: 'd', value: 'x' })
  expect(answerNamed('a.__proto__.c', data)).toBeUndefined()
})

test('a field is found as it was sent before a path that leads into another', () => {
  const data = { 'a': { b: 'inner' }, 'a.b': 'own' }
  expect(answersNamed(['a.b', 'a'], data).map(each => each?.value)).toEqual(['own', { b: 'inner' }])
})

test('every answer has a name of its own', () => {
  const data = parseJson('{"fields":[{"label":"A","value":"1"},{"label":"A","value":"2"},{"label":"B","value":"3"}]}')
  expect([...namedAnswers(data as SubmissionData).keys()]).toEqual(['A', 'fields.1.value', 'B'])
})

const form = (fields: Form['fields'], rest: Partial<Form> = {}) => (
  { labels: Object.fromEntries(Object.keys(fields!).map(key => [key, key])), fields, ...rest }
)
const problemsOf = (data: object, ...rest: Parameters<typeof form>) => {
  try {
    typed(data, form(...rest))
    return []
  }
  catch (error) {
    return (error as InvalidFields).problems.map(({ key, problem }) => `${key}: ${problem}`)
  }
}

const named = { Email: {}, Seats: {} }

test.each<[string, object, Parameters<typeof form>, string[]]>([
  ['a label', SENT, [{ Email: { type: 'email', required: true } }], []],
  ['a path', SENT, [{ 'data.fields.1.value': { type: 'integer' } }], ['data.fields.1.value: integer']],
  ['a path into a field', ORDER, [{ 'customer.email': { type: 'email', required: true } }], []],
  ['a path that leads nowhere', ORDER, [{ 'customer.phone': { required: true } }], ['customer.phone: required']],
  ['a path into a text', { customer: 'Ada' }, [{ 'customer.email': { required: true } }], ['customer.email: required']],
  ['all other answers, refused', SENT, [named, { extra: 'refuse' }], ['data.fields.0.value: unknown']],
  ['what stands beside a named path, refused', ORDER, [
    { 'customer.email': {}, 'total': {} }, { extra: 'refuse', technical: ['customer.ip'] },
  ], ['customer.name: unknown', 'token: unknown']],
])('a rule is for %s', (_what, data, settings, problems) => {
  expect(problemsOf(data, ...settings)).toEqual(problems)
})

test('a value inside of an envelope becomes one of its type; everything else stays as it was sent', () => {
  const rules = form({ Seats: { type: 'integer' } })
  expect(JSON.stringify(typed(SENT, rules))).toBe(JSON.stringify(SENT).replace('"2"', '2'))
  expect(typed({ Seats: '3' }, rules)).toEqual({ Seats: 3 })
})

test('the JSON Schema of a form requires no path, because it may lead into other fields', () => {
  const schema = jsonSchemaOf({
    ...form({ 'name': { type: 'text', required: true }, 'customer.email': { type: 'email', required: true } }),
    rooms: [], destinations: [],
  })
  expect(schema).toMatchObject({ required: ['name'], additionalProperties: {} })
})
