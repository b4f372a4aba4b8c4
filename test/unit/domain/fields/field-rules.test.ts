import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { InvalidFields } from '../../../../server/domain/errors'
import { jsonSchemaOf, typed } from '../../../../server/domain/fields/rules'
import { parseJson } from '../../../../server/domain/json'
import type { FieldRule } from '../../../../server/ports/field-rules'
import { formsOf } from '../../../fakes/forms'
import { formData } from '../../../fixtures/form-data'

const formOf = (fields: Record<string, FieldRule>, extra?: 'keep' | 'refuse') => (
  { ...formsOf().of(undefined), fields, extra, labels: { email: 'Email address' } }
)

/** Returns the problem of a value, or the value as it is stored. */
function check(value: unknown, rule: FieldRule): unknown {
  try {
    return { kept: (typed({ field: value }, formOf({ field: rule })) as { field: unknown }).field }
  }
  catch (error) {
    const { problem, limit } = (error as InvalidFields).problems[0]!
    return limit === undefined ? problem : `${problem} ${limit}`
  }
}

describe('a value', () => {
  test.each<[unknown, FieldRule, unknown]>([
    ['Ada', { type: 'text' }, 'Ada'], ['', { type: 'email' }, ''], [null, { type: 'number' }, null],
    ['a\r\nb', { type: 'textarea', maxLength: 3 }, 'a\r\nb'], ['a\rb', { type: 'textarea', maxLength: 3 }, 'a\rb'],
    ['ada@example.com', { type: 'email' }, 'ada@example.com'],
    ['https://a.example/?x', { type: 'url' }, 'https://a.example/?x'],
    ['+49 (0)151 123-45', { type: 'tel' }, '+49 (0)151 123-45'],
    ...[
      '(555) 123-4567', '(+49) 151 12345', '555-1234 x12', '555.123.4567, ext. 12', '555-1234 EXT 4', ' 112\t',
      '+49\u00A0151\u2013123',
    ].map((phone): [string, FieldRule, string] => [phone, { type: 'tel' }, phone]),
    ['3', { type: 'integer', min: 1, max: 3 }, 3], [3, { type: 'integer' }, 3], ['-.5', { type: 'number' }, -0.5],
    ...['ada@bücher.example', 'ada@почта.рф', ' ada@example.com\n'].map((email): [string, FieldRule, string] => (
      [email, { type: 'email', required: true }, email]
    )),
    ['1234567890123456', { type: 'integer', min: 1 }, 1234567890123456],
    ['1.5e1', { type: 'integer' }, { rawJSON: '1.5e1' }],
    ['007', { type: 'integer' }, 7], ['1000', { type: 'number', max: 1000 }, 1000],
    ['on', { type: 'checkbox', required: true }, true], ['false', { type: 'checkbox' }, false],
    [true, { type: 'checkbox' }, true],
    ['2026-11-22', { type: 'date', min: '2026-01-01', max: '2026-11-22' }, '2026-11-22'],
    ['2026-01-01', { type: 'date', min: '2026-01-01', max: '2026-11-22' }, '2026-01-01'],
    ['a b', { type: 'select', options: ['a b', 'c'] }, 'a b'], ['c', { type: 'radio', options: ['a b', 'c'] }, 'c'],
    ...[
      [['b', 'a'], ['b', 'a']], ['b', ['b']], ['', []], [[], []], [['', 'a', ' b ', 'a'], ['a', 'b']], [null, null],
    ].map(([sent, kept]): [unknown, FieldRule, unknown] => [sent, { type: 'checkboxes', options: ['a', 'b'] }, kept]),
    [['a', 'b'], { type: 'checkboxes', options: ['a', 'b', 'c'], min: 2, max: 2 }, ['a', 'b']],
    [{ a: 1 }, { label: 'Anything' }, { a: 1 }],
  ])('%j is fine as %j and kept as %j', (value, rule, result) => expect(check(value, rule)).toEqual({ kept: result }))

  test.each<[unknown, FieldRule, string]>([
    ['', { type: 'text', required: true }, 'required'], [undefined, { type: 'text', required: true }, 'required'],
    [' ', { required: true }, 'required'], ['off', { type: 'checkbox', required: true }, 'required'],
    [5, { type: 'text' }, 'text'], [['a', 'b'], { type: 'text' }, 'text'], [{}, { type: 'email' }, 'text'],
    ['ab', { type: 'text', minLength: 3 }, 'tooShort 3'],
    ['abcd', { type: 'textarea', maxLength: 3 }, 'tooLong 3'],
    ['a\r\nbc', { type: 'textarea', maxLength: 3 }, 'tooLong 3'],
    ['a\r\n', { type: 'text', minLength: 3 }, 'tooShort 3'],
    ...[
      'ada@', 'ada@example', 'ada @example.com', 'ada@b ücher.example', 'ä@b.example', `ada@${'ü'.repeat(999)}.example`,
    ].map((email): [string, FieldRule, string] => [email, { type: 'email' }, 'email']),
    ['12345678901234567890', { type: 'integer', max: 9 }, 'tooHigh 9'],
    ['12345678901234567.5', { type: 'integer' }, 'integer'], ['1e400', { type: 'integer' }, 'integer'],
    [1.5, { type: 'integer' }, 'integer'], ['javascript:alert(1)', { type: 'url' }, 'url'],
    ...['call me', '((((', '12', '555-1234 x', `555-1234 x${'1'.repeat(9)}`, '1'.repeat(44)].map(
      (phone): [string, FieldRule, string] => [phone, { type: 'tel' }, 'tel'],
    ),
    ['x', { type: 'number' }, 'number'], ['1.5', { type: 'integer' }, 'integer'],
    ['0x10', { type: 'integer' }, 'integer'],
    ['1e999', { type: 'number' }, 'number'], ['0', { type: 'integer', min: 1 }, 'tooLow 1'],
    [4, { type: 'number', max: 3 }, 'tooHigh 3'], ['perhaps', { type: 'checkbox' }, 'checkbox'],
    [1, { type: 'checkbox' }, 'checkbox'],
    ['2026-02-30', { type: 'date' }, 'date'], ['22.11.2026', { type: 'date' }, 'date'],
    ['2025-12-31', { type: 'date', min: '2026-01-01' }, 'tooLow 2026-01-01'],
    ['c', { type: 'select', options: ['a', 'b'] }, 'select'],
    ['__proto__', { type: 'select', options: ['a'] }, 'select'], ['b', { type: 'radio', options: ['a'] }, 'select'],
    [['a'], { type: 'radio', options: ['a'] }, 'select'],
    ...[['a', 'd'], 'a,b', [1], [['a']], { a: true }, true].map((sent): [unknown, FieldRule, string] => (
      [sent, { type: 'checkboxes', options: ['a', 'b'] }, 'checkboxes']
    )),
    ...['', [], [' ']].map((sent): [unknown, FieldRule, string] => (
      [sent, { type: 'checkboxes', options: ['a'], required: true }, 'required']
    )),
    ['a', { type: 'checkboxes', options: ['a', 'b', 'c'], min: 2 }, 'tooLow 2'],
    [['a', 'b', 'c'], { type: 'checkboxes', options: ['a', 'b', 'c'], max: 2 }, 'tooHigh 2'],
  ])('%j is not fine as %j: %s', (value, rule, problem) => expect(check(value, rule)).toBe(problem))

  test('with far more choices than there are options is not fine, and not read as a list', () => {
    const rule: FieldRule = { type: 'checkboxes', options: ['a', 'b'] }
    for (const sent of [Array(6000).fill('a'), 'a\n'.repeat(6000)]) expect(check(sent, rule)).toBe('checkboxes')
  })

  test('keeps numbers that JavaScript cannot hold as they were sent', () => {
    const data = parseJson('{"n":12345678901234567890,"m":1.0}')
    const fields: Record<string, FieldRule> = { n: { type: 'number' }, m: { type: 'number', max: 1 } }
    expect(JSON.stringify(typed(data, formOf(fields)))).toBe('{"n":12345678901234567890,"m":1.0}')
    for (const type of ['number', 'integer'] as const) {
      for (const written of ['N', '0N', '+N', 'N.']) {
        const n = written.replace('N', '12345678901234567890')
        expect(JSON.stringify(typed({ n }, formOf({ n: { type } })))).toBe('{"n":12345678901234567890}')
      }
    }
  })

  test('reads as JSON every number that a browser sends, and some that people type', () => {
    const numbers = ['+5', '-05', '00', '-00', '.50', '-.5e+1', '5.', '05.e2', '0.10', '1E5']
    const fields = Object.fromEntries(numbers.map((_, index) => [index, { type: 'number' as const }]))
    expect(JSON.stringify(typed({ ...numbers }, formOf(fields)))).toBe(
      '{"0":5,"1":-5,"2":0,"3":-0,"4":0.50,"5":-0.5e+1,"6":5,"7":5e2,"8":0.10,"9":1E5}',
    )
    for (const no of ['.', '+-5', '-', 'e5', '.e5', '1e', '1.5.5', '١']) {
      expect(check(no, { type: 'number' })).toBe('number')
    }
  })
})

describe('a form', () => {
  test('names every field that is wrong, and refuses others only where it says so', () => {
    const fields: Record<string, FieldRule> = { email: { type: 'email' }, seats: { type: 'integer', required: true } }
    const data = parseJson('{"email":"x","__proto__":1,"other":2}')
    const problems = (extra?: 'keep' | 'refuse') => {
      try {
        return typed(data, formOf(fields, extra))
      }
      catch (error) {
        return (error as InvalidFields).problems.map(({ label, problem }) => `${label}: ${problem}`)
      }
    }
    expect(problems()).toEqual(['Email address: email', 'seats: required'])
    expect(problems('refuse')).toEqual([
      'Email address: email', 'seats: required', '__proto__: unknown', 'other: unknown',
    ])
  })

  test('has files where they belong, and there alone', () => {
    const fields: Record<string, FieldRule> = {
      cv: { type: 'file', required: true }, photo: { type: 'file' }, email: { type: 'email' }, any: { label: 'Any' },
    }
    const problems = (data: object, files: string[], extra?: 'refuse') => {
      try {
        return typed(data, formOf(fields, extra), files.map(field => ({ field })))
      }
      catch (error) {
        return (error as InvalidFields).problems.map(({ key, problem }) => `${key}: ${problem}`)
      }
    }
    expect(problems({ any: 1 }, ['cv', 'cv', 'any'], 'refuse')).toEqual({ any: 1 })
    expect(problems({}, ['cv', 'other'])).toEqual({})
    expect(problems({}, ['cv', 'other', '__proto__'], 'refuse')).toEqual(['other: unknown', '__proto__: unknown'])
    expect(problems({ cv: '' }, ['photo'])).toEqual(['cv: file'])
    expect(problems({ cv: 'cv.pdf', photo: [{ name: 'me.png', size: 1 }] }, [])).toEqual(['cv: file', 'photo: file'])
    expect(problems({}, ['cv', 'email'])).toEqual(['email: text'])
  })

  test('that says nothing takes anything, as it is', () => {
    fc.assert(fc.property(formData, data => typed(data, formsOf().of(undefined)) === data))
    expect(typed(null, formOf({}))).toBeNull()
  })

  test('without wrong fields keeps every field in its order, whatever it is called', () => {
    fc.assert(fc.property(formData, (data) => {
      const result = typed(data, formOf({ 'no such field': { type: 'email' } }))
      expect(JSON.stringify(result)).toBe(JSON.stringify(data))
    }))
  })

  test('says what it takes as JSON Schema', () => {
    expect(jsonSchemaOf({ ...formOf({
      email: { type: 'email', required: true }, seats: { type: 'integer', min: 1 },
      size: { type: 'select', options: ['S'] }, extras: { type: 'checkboxes', options: ['S'], min: 1, max: 1 },
    }, 'refuse'), name: 'Orders' })).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema', title: 'Orders', type: 'object', required: ['email'],
      additionalProperties: false,
      properties: {
        email: { title: 'Email address', type: 'string', format: 'email' },
        seats: { title: 'seats', type: 'integer', minimum: 1 },
        size: { enum: ['S'] },
        extras: { type: 'array', items: { enum: ['S'] }, uniqueItems: true, minItems: 1, maxItems: 1 },
      },
    })
  })

  test.each([
    [['text/csv'], { contentMediaType: 'text/csv' }], [['image/*'], {}], [['image/png', 'image/gif'], {}],
  ])('says what files it takes, of %j', (types, named) => {
    const form = formOf({ cv: { type: 'file', required: true } })
    const schema = jsonSchemaOf({ ...form, files: { max: 2, maxBytes: 9, types } })
    expect(schema).toMatchObject({ required: ['cv'], properties: { cv: {
      type: 'array', minItems: 1, maxItems: 2, items: { type: 'string', format: 'binary', maxLength: 9, ...named },
      description: expect.stringContaining(types.join(', ')),
    } } })
  })
})
