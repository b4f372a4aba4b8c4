import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { applyEdits, editInputs, markOf } from '../../../../server/domain/fields/edits'
import { editedLabels, readFields } from '../../../../server/domain/fields/fields'
import { jsonOf } from '../../../../server/domain/fields/paths'
import { displayText, fieldText } from '../../../../server/domain/fields/values'
import { parseJson } from '../../../../server/domain/json'
import type { SubmissionData } from '../../../../server/ports/submission'
import { visible } from '../../../../shared/utils/text'
import { formData } from '../../../fixtures/form-data'
import { submissionOf } from '../../../fixtures/views'

/** Edits `data` by key and submits all other inputs unchanged; throws if there are errors. */
function edit(data: SubmissionData, changes: Record<string, string>) {
  const texts = editInputs(data).map(({ id, label, value }) => (
    [id, Object.hasOwn(changes, label) ? changes[label]! : value] as const
  ))
  return applyEdits(data, Object.fromEntries(texts))
}

function edited(data: SubmissionData, changes: Record<string, string>) {
  const result = edit(data, changes)
  if ('errors' in result) throw new Error(JSON.stringify(result.errors))
  return result
}

describe('fieldText', () => {
  test.each([
    [
      'text as it is', ' a\nb ', ' a\nb ',
    ], ['numbers', 1.5, '1.5'], ['booleans', false, 'false'], ['null', null, 'null'],
    ['lists', [1, { a: null }], '[1,{"a":null}]'], ['objects', { a: { b: [] } }, '{"a":{"b":[]}}'],
    ['empty text', '', ''],
  ])('reads %s', (_what, value, text) => expect(fieldText(value)).toBe(text))

  test('repairs text that is not well-formed', () => expect(fieldText('a\uD83D')).toBe('a\uFFFD'))
})

describe('a number is read', () => {
  test.each([
    ['12345', '12,345'], ['-1234567.8901', '-1,234,567.8901'], ['2026', '2026'],
    ['1234567890'.repeat(4), '1,234,567,890,123,456,789,012,345,678,901,234,567,890'],
  ])('in groups of three digits: %s as %s', (value, text) => (
    expect(displayText({ value }, { type: 'number' })).toBe(text)
  ))

  test('as it was sent when nobody counts its digits, at once', () => {
    const digits = '9'.repeat(4_000_000)
    expect(displayText({ value: digits }, { type: 'integer' })).toBe(digits)
  })
})

test('every field gets an input whose id is its position', () => {
  expect(editInputs({ 'name': 'Ada', '': 1, 'x\uD800': true })).toEqual([
    { id: 'f0', key: 'name', label: 'name', value: 'Ada' }, { id: 'f1', key: '', label: '', value: '1' },
    { id: 'f2', key: 'x\uD800', label: 'x\uFFFD', value: 'true' },
  ])
})

describe('applyEdits', () => {
  const data = { text: 'Ada', count: 2, ok: true, none: null, list: [1, 2], nested: { a: { b: null } } }

  test('keeps value and type of fields that were not touched or not offered', () => {
    expect(edited(data, {})).toEqual({ data, edited: [] })
    expect(applyEdits(data, {})).toEqual({ data, edited: [] })
    const more = JSON.parse('{"f9":"x","f00":"x","msteams":"x","__proto__":"x"}') as Record<string, string>
    // Extra inputs are allowed from a platform's form, but are an error from a program.
    expect(applyEdits(data, more, {}, new Map())).toEqual({ data, edited: [] })
    const { errors } = applyEdits(data, more) as { errors: object }
    expect(Object.keys(errors)).toEqual(['f9', 'f00', 'msteams', '__proto__'])
  })

  test('keeps what somebody changed since it was shown, where that was not touched, and takes what was typed', () => {
    const marks = new Map([['f0', markOf('Ada')], ['f1', markOf('1')], ['f4', markOf('[]')]])
    expect(applyEdits(data, { f0: 'Grace', f1: '1', f2: 'false', f4: ' []\r\n' }, {}, marks)).toEqual({
      data: { ...data, text: 'Grace', ok: false }, edited: ['text', 'ok'],
    })
    const rules = { ok: { type: 'checkbox' } } as const
    const falseMark = new Map([['f2', markOf('false')]])
    expect(applyEdits(data, { f2: 'no' }, { fields: rules }, falseMark)).toEqual({ data, edited: [] })
  })

  test.each([
    ['text', 'Grace', 'Grace'], ['text', '', ''], ['count', '3', 3], ['count', 'three', 'three'], ['count', '', ''],
    ['count', 'true', 'true'], ['count', '007', '007'],
    ['ok', 'false', false], ['ok', 'maybe', 'maybe'], ['ok', '0', '0'], ['none', 'something', 'something'],
    ['none', '', ''],
    ['list', '["a", {"b": 1}]', ['a', { b: 1 }]], ['nested', '{"a":{"b":2}}', { a: { b: 2 } }],
    ['nested', '{ "a" : { "b" : [] } }', { a: { b: [] } }],
  ])('%s changed to %j becomes %j', (key, typed, value) => {
    expect(edited(data, { [key]: typed })).toEqual({ data: { ...data, [key]: value }, edited: [key] })
  })

  test.each([
    '12345678901234567890', '1.0', '-0', '1e400', '-1.5e3',
  ])('a number changed to %s is that number, and nothing else was edited', (typed) => {
    const exact = parseJson('{"price":1.50,"id":98765432109876543210,"list":[1.0,{"a":-0}]}') as SubmissionData
    const result = edited(exact, { price: typed })
    expect(result.edited).toEqual(['price'])
    expect(JSON.stringify(result.data)).toBe(`{"price":${typed},"id":98765432109876543210,"list":[1.0,{"a":-0}]}`)
    expect(JSON.stringify(edited(exact, { list: `[${typed}]` }).data)).toContain(`"list":[${typed}]`)
  })

  test('a key typed twice into an object is an error, not a loss', () => {
    expect(edit(data, { nested: '{"a":1,"a":2}' })).toEqual({ errors: { f5: expect.stringContaining('JSON object') } })
  })

  test.each([
    ['list', '[1,', 'f4'], ['list', '{"a":1}', 'f4'], ['list', '', 'f4'], ['nested', 'oops', 'f5'],
    ['nested', '[1]', 'f5'], ['nested', 'null', 'f5'],
  ])('%s changed to %j is an error at its input', (key, typed, id) => {
    expect(edit(data, { [key]: typed, text: 'Grace' })).toEqual({
      errors: { [id]: expect.stringContaining(key === 'list' ? 'JSON list' : 'JSON object') },
    })
  })

  test('reports every input that does not fit at once', () => {
    expect(edit(data, { list: 'x', nested: 'y' })).toEqual({
      errors: { f4: expect.any(String), f5: expect.any(String) },
    })
  })

  test('does not take for an edit what a platform does to text', () => {
    const typed = { message: '  one\r\ntwo\rthree\u0000\u0007\t ' }
    for (const text of ['one\ntwo\nthree', 'one\r\ntwo\r\nthree', ' one\ntwo\nthree\n']) {
      expect(edited(typed, { message: text })).toEqual({ data: typed, edited: [] })
    }
    expect(edited({ message: 'a\uD800' }, { message: 'a\uFFFD' }).edited).toEqual([])
  })

  test('takes a changed line, space or letter case within the text for an edit', () => {
    for (const text of ['one\n\ntwo', 'one two', 'One\ntwo']) expect(
      edited({ message: 'one\ntwo' }, { message: text }),
    ).toEqual({ data: { message: text }, edited: ['message'] })
  })

  test('keeps __proto__ and constructor as data of the form', () => {
    const hostile = JSON.parse('{"__proto__":"a","constructor":{"prototype":1},"toString":"x"}') as SubmissionData
    const result = edited(hostile, { __proto__: 'ignored, this sets no own key' } as Record<string, string>)
    expect(JSON.stringify(result.data)).toBe(JSON.stringify(hostile))
    const { data: changed, edited: keys } = applyEdits(hostile, { f0: 'b', f2: 'y' }) as ReturnType<typeof edited>
    expect(JSON.stringify(changed)).toBe('{"__proto__":"b","constructor":{"prototype":1},"toString":"y"}')
    expect(keys).toEqual(['__proto__', 'toString'])
    expect(Object.getPrototypeOf(changed)).toBe(Object.prototype)
  })

  test('a nested __proto__ that was typed is data too', () => {
    const { data: changed } = edited({ nested: {} }, { nested: '{"__proto__":{"admin":true}}' })
    expect(JSON.stringify(changed)).toBe('{"nested":{"__proto__":{"admin":true}}}')
  })

  test('submitting exactly what was offered changes nothing, whatever the form', () => {
    fc.assert(fc.property(formData, (form) => {
      const result = edited(form, {})
      expect(result.edited).toEqual([])
      expect(JSON.stringify(result.data)).toBe(JSON.stringify(form))
    }))
  })
})

describe('edits of fields of which the form says what they take', () => {
  const data = { email: 'ada@example.com', seats: 2, terms: true, size: 'S', note: 5 }
  const rules = {
    email: { type: 'email', required: true }, seats: { type: 'integer', max: 9 }, terms: { type: 'checkbox' },
    size: { type: 'select', options: ['S', 'L'] },
  } as const

  test('become values of their types', () => {
    expect(applyEdits(data, { f1: '3', f2: 'false', f3: 'L', f4: 'x' }, { fields: rules })).toEqual({
      data: { email: 'ada@example.com', seats: 3, terms: false, size: 'L', note: 'x' },
      edited: ['seats', 'terms', 'size', 'note'],
    })
  })

  test('are offered with what is taken there, where the value is such a one', () => {
    const offered = (values: SubmissionData) => editInputs(values, { fields: rules }).filter(({ rule }) => rule).map(
      ({ label }) => label,
    )
    expect(offered(data)).toEqual(['email', 'seats', 'terms', 'size'])
    expect(offered({ email: '', seats: 99, terms: 'maybe', size: 'XL' })).toEqual(['email'])
  })

  test('are refused where they are wrong; what nobody touched is not', () => {
    expect(applyEdits({ ...data, seats: 99 }, { f0: '', f3: 'XL' }, { fields: rules })).toEqual({ errors: {
      f0: 'Please fill this in.', f3: 'Please choose one of the options.',
    } })
    expect(applyEdits(data, { f1: '10' }, { fields: rules })).toEqual({ errors: { f1: 'At most 9, please.' } })
  })
})

describe('fields as people read them', () => {
  const readValue = (value: unknown, type?: 'checkbox' | 'date' | 'number' | 'integer' | 'text') => readFields(
    submissionOf({ field: value }), { labels: {}, fields: { field: { type } } },
  )[0]!.value

  test.each([
    [true, 'checkbox', 'Yes'], [false, 'checkbox', 'No'], ['maybe', 'checkbox', 'maybe'],
    ['2026-11-02', 'date', '2 November 2026'], ['2026-02-30', 'date', '2026-02-30'], ['soon', 'date', 'soon'],
    [2026, 'integer', '2026'], [1234567, 'integer', '1,234,567'], [-12345.678, 'number', '-12,345.678'],
    ['1e9', 'number', '1e9'], ['12345', 'text', '12345'],
  ] as const)('%j is read as a %s: %s', (value, type, text) => expect(readValue(value, type)).toBe(text))

  test('keep every digit of a number', () => {
    const { exact } = parseJson('{"exact":12345678901234567890.10}') as SubmissionData
    expect(readValue(exact, 'number')).toBe('12,345,678,901,234,567,890.10')
  })

  test('are shown as they came where the form does not say what they are', () => {
    fc.assert(fc.property(formData, (data) => {
      const isPlain = (value: unknown) => typeof value !== 'object' && !jsonOf(value)
      const texts = Object.fromEntries(Object.entries(data).filter(([, value]) => isPlain(value)))
      expect(readFields(submissionOf(texts), { labels: {} }).map(({ value }) => value)).toEqual(
        Object.values(texts).map(value => visible(fieldText(value))),
      )
    }))
    expect([true, '2026-11-22', 1234567].map(value => readValue(value))).toEqual(['true', '2026-11-22', '1234567'])
  })

  test('tell in the same words what they were before', () => {
    const submission = { ...submissionOf({ terms: true }), edited: ['terms'], before: { terms: false } }
    const form = { labels: {}, fields: { terms: { type: 'checkbox' } } } as const
    expect(readFields(submission, form)).toEqual([{ label: 'terms', value: 'Yes', edited: true, was: 'No' }])
  })
})

describe('labels of edited answers', () => {
  const answersOf = (name: string, budget: string) => ({ event_id: 'e1', form_response: { answers: [
    { label: 'Your name', value: name }, { label: 'Budget', value: budget },
  ] } })
  const labelsOf = (edited: string[], before: SubmissionData, labels = {}) => (
    editedLabels({ ...submissionOf(answersOf('Ada', '10')), edited, before }, { labels, fields: {} })
  )

  test('are their questions, or what the form calls them', () => {
    const key = 'form_response.answers.0.value'
    expect(labelsOf([key], { [key]: 'Grace' })).toEqual(['Your name'])
    expect(labelsOf([key], { [key]: 'Grace' }, { [key]: 'Name' })).toEqual(['Name'])
  })

  test('are those of what changed in an outer field that a previous version edited as a whole', () => {
    const { form_response: sentValue } = answersOf('Grace', '10')
    expect(labelsOf(['form_response'], { form_response: sentValue })).toEqual(['Your name'])
  })

  test('are keys where nothing says what changed', () => {
    expect(labelsOf(['form_response', 'gone'], {})).toEqual(['form_response', 'gone'])
  })
})

test('labels of numbered fields, whose order JavaScript does not keep, leave the answers in their order', () => {
  const data = parseJson('{"1.3":"Lorna","note":"x","2":"lorna@post.example","3":"Hi"}') as SubmissionData
  const labels = { 1.3: 'First name', 2: 'Email address', 3: 'Message' }
  expect(readFields(submissionOf(data), { labels }).map(({ label }) => label)).toEqual([
    'First name', 'Email address', 'Message', 'note',
  ])
})
