import { describe, expect, test } from 'vitest'
import { parseSetting } from '../../../../server/config/issues'
import { conditionSchema, matches } from '../../../../server/domain/deliveries/condition'
import { parseJson } from '../../../../server/domain/json'
import type { Form } from '../../../../server/ports/form'
import type { Submission, SubmissionData } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { waiting } from '../../../support/seed'

const DATA = {
  topic: ' Sales ', message: 'Please resend the INVOICE of May.', topics: ['press', 'Jobs'],
  empty: ' ', nothing: null, ids: [], unset: 'undefined',
  seats: 3, terms: true, newsletter: false, customer: { city: 'Vienna' }, straße: 'Zoë',
}
const ENVELOPE = { event_id: 'e1', event_type: 'form_response', data: { fields: [
  { key: 'q1', label: 'Your topic', value: ['b2'], type: 'DROPDOWN', options: [
    { id: 'a1', text: 'Sales' }, { id: 'b2', text: 'Press' },
  ] },
  { key: 'q2', label: 'Email', value: 'ada@example.com' },
] } }
const PNG = { field: 'photo', name: 'Cat.png', type: 'image/png', size: 1, sha256: 'x' }

function isMatch(when: unknown, data: SubmissionData, form: Partial<Form> = {}, changes: Partial<Submission> = {}) {
  return matches(conditionSchema.parse(when), waiting({ data, ...changes }), formsOf(form).all[0]!)
}

describe('A condition', () => {
  test.each<[string, unknown, boolean]>([
    ['another case and outer spaces', { topic: 'sAlEs ' }, true],
    ['a part only', { topic: 'sale' }, false],
    ['one of several values', { topic: { in: ['press', 'sales'] } }, true],
    ['none of several values', { topic: { in: ['press', 'jobs'] } }, false],
    ['a text inside the answer', { message: { contains: 'Invoice' } }, true],
    ['a text that the answer lacks', { message: { contains: 'offer' } }, false],
    ['an item of a list', { topics: 'jobs' }, true],
    ['two items of a list as one text', { topics: 'press, jobs' }, false],
    ['a part of an item', { topics: { contains: 'job' } }, true],
    ['a number', { seats: 3 }, true],
    ['a number as text', { seats: '3' }, true],
    ['another number', { seats: 30 }, false],
    ['true', { terms: true }, true],
    ['false', { newsletter: false }, true],
    ['true for a false answer', { newsletter: true }, false],
    ['a value inside an object', { 'customer.city': 'vienna' }, true],
    ['an accent in another notation', { straße: 'zoe\u0308' }, true],
    ['an absent answer', { other: 'sales' }, false],
    ['a name that every object has', { constructor: { present: true } }, false],
    ['all of several keys', { topic: 'sales', seats: 3 }, true],
    ['only one of several keys', { topic: 'sales', seats: 4 }, false],
    ['all operators of a key', { topic: { contains: 'sal', in: ['sales'], present: true } }, true],
    ['only one operator of a key', { topic: { contains: 'sal', in: ['press'] } }, false],
  ])('compares %s', (_what, when, expected) => expect(isMatch(when, DATA)).toBe(expected))

  test.each(['empty', 'nothing', 'ids', 'unset', 'absent'])('takes an answer that is %s as not present', (name) => {
    expect(isMatch({ [name]: { present: false } }, DATA)).toBe(true)
    expect(isMatch({ [name]: { present: true } }, DATA)).toBe(false)
  })

  test.each(['topic', 'topics', 'seats', 'newsletter', 'customer'])('takes the answer %s as present', (name) => {
    expect(isMatch({ [name]: { present: true } }, DATA)).toBe(true)
    expect(isMatch({ [name]: { present: false } }, DATA)).toBe(false)
  })

  test('finds an answer by its label as sent, by its path, and by its label in the settings of the form', () => {
    expect(isMatch({ Email: 'ada@example.com' }, ENVELOPE)).toBe(true)
    expect(isMatch({ 'data.fields.1.value': 'ada@example.com' }, ENVELOPE)).toBe(true)
    expect(isMatch({ Contact: 'ada@example.com' }, ENVELOPE, { labels: { Email: 'Contact' } })).toBe(true)
  })

  test('compares choices of a provider by their ids and by their texts', () => {
    expect(isMatch({ 'Your topic': 'press' }, ENVELOPE)).toBe(true)
    expect(isMatch({ 'Your topic': 'b2' }, ENVELOPE)).toBe(true)
    expect(isMatch({ 'Your topic': 'sales' }, ENVELOPE)).toBe(false)
  })

  test('compares values of typed fields as they are shown and as they were sent', () => {
    const form: Partial<Form> = { fields: { terms: { type: 'checkbox' }, seats: { type: 'number' } } }
    expect(isMatch({ terms: 'yes' }, DATA, form)).toBe(true)
    expect(isMatch({ terms: true }, DATA, form)).toBe(true)
    const large = { seats: 12_000 }
    expect([12_000, '12,000', '12 000'].map(seats => isMatch({ seats }, large, form))).toEqual([true, true, false])
    expect(isMatch({ seats: '1.0' }, parseJson('{"seats":1.0}') as SubmissionData)).toBe(true)
  })

  test('counts files as answers, by their names', () => {
    const changes = { envelope: { files: [PNG] } }
    expect(isMatch({ photo: { present: true } }, {}, {}, changes)).toBe(true)
    expect(isMatch({ Portrait: { contains: '.PNG' } }, {}, { labels: { photo: 'Portrait' } }, changes)).toBe(true)
    expect(isMatch({ cv: { present: true } }, {}, {}, changes)).toBe(false)
  })
})

const EXAMPLES = 'must be a value such as \'sales\', { in: [\'sales\', \'press\'] }, { contains: \'sale\' } or { present: true }'

describe('The configuration of a condition', () => {
  test.each<[unknown, string]>([
    [{}, ' is empty. It must be an object such as { topic: \'sales\' }'],
    ['sales', ' must be an object'],
    [{ ' ': 'x' }, '.  must be the path or label of an answer'],
    [{ topic: {} }, `.topic is empty. It ${EXAMPLES}`],
    [{ topic: { is: 'x', contains: 'y' } }, '.topic has is, which nothing reads. There are in, contains, present'],
    [{ topic: null }, `.topic ${EXAMPLES}`],
    [{ topic: ['sales', 'press'] }, `.topic ${EXAMPLES}`],
    [{ topic: { present: 'yes' } }, `.topic ${EXAMPLES}`],
    [{ topic: { in: [] } }, '.topic.in must not be empty'],
    [{ topic: '' }, '.topic must not be empty: write { present: false } for an answer that is empty'],
  ])('%j is refused with what to change', (when, problem) => {
    const problems: string[] = []
    parseSetting(conditionSchema, when, each => problems.push(each))
    expect(problems[0]).toBe(problem)
  })
})
