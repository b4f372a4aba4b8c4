import { describe, expect, test } from 'vitest'
import { textsIn } from '../../../../shared/texts'
import { parseSetting } from '../../../../server/config/issues'
import { bodySchema, fillBody, valuesOf } from '../../../../server/domain/deliveries/template'
import type { Presentation } from '../../../../server/domain/context'
import { parseJson } from '../../../../server/domain/json'
import type { Form } from '../../../../server/ports/form'
import type { Submission, SubmissionData } from '../../../../server/ports/submission'
import { formsOf } from '../../../fakes/forms'
import { ADA } from '../../../fakes/triage'
import { waiting } from '../../../support/seed'

const RECEIVED_AT = Date.UTC(2026, 10, 28, 12)
const DATA = {
  name: 'Grace Hopper', email: 'grace@example.com', topic: 'Quote', message: 'Line 1\nLine 2', seats: 3,
  terms: true, tags: ['a', 'b'], note: null,
}
const FILES = [
  { field: 'cv', name: 'cv.pdf', type: 'application/pdf', size: 2048, sha256: 'x1' },
  { field: 'cv', name: 'more.pdf', type: 'application/pdf', size: 1024, sha256: 'x2' },
]

interface Given { form?: Partial<Form>, changes?: Partial<Submission>, presentation?: Partial<Presentation> }

function fill(body: unknown, data: SubmissionData | null = DATA, { form = {}, changes, presentation }: Given = {}) {
  const forms = formsOf(form)
  const submission = waiting({ id: 'id-1', receivedAt: RECEIVED_AT, data, ...changes })
  const surroundings: Presentation = { forms, siteUrl: 'https://forms.example.com', ...presentation }
  const filled = fillBody(bodySchema.parse(body), valuesOf(submission, forms.all[0]!, surroundings))
  return JSON.parse(JSON.stringify(filled)) as unknown
}

describe('A body', () => {
  test('is filled in everywhere but in its keys, and is otherwise sent as written', () => {
    const constants = { 'n': 1, 'no': null, 'yes': true, '}}': '{ } }}' }
    expect(fill({ '{{name}}': ['{{topic}}', { deep: 'for {{name}}' }], '{}': '{{{topic}}}', ...constants })).toEqual({
      '{{name}}': ['Quote', { deep: 'for Grace Hopper' }], '{}': '{Quote}', ...constants,
    })
    expect(fill('{{seats}}')).toBe(3)
  })

  test('has a value as JSON where the placeholder is alone, and as text among other text', () => {
    expect(fill({
      number: '{{seats}}', numberText: '{{seats}} seats', list: '{{tags}}', listText: 'Tags: {{tags}}',
      yes: '{{terms}}', spaced: '{{ seats }}', two: '{{seats}}{{seats}}', one: ' {{seats}}',
    })).toEqual({
      number: 3, numberText: '3 seats', list: ['a', 'b'], listText: 'Tags: a\nb',
      yes: true, spaced: 3, two: '33', one: ' 3',
    })
  })

  test('has null for an absent value that is alone, and an empty text otherwise', () => {
    expect(fill({ alone: '{{phone}}', text: 'Call {{phone}}!', note: '{{note}}', noteText: '({{note}})' })).toEqual({
      alone: null, text: 'Call !', note: null, noteText: '()',
    })
    expect(fill('{{constructor}}{{__proto__}}')).toBe('')
  })

  test('takes nothing in a value for a placeholder or for JSON', () => {
    const data = { a: '{{b}}', b: '","admin":true,"x":"$&{{a}}' }
    expect(fill({ a: '{{a}}', text: '{{a}} {{b}}' }, data)).toEqual({
      a: '{{b}}', text: '{{b}} ","admin":true,"x":"$&{{a}}',
    })
  })

  test('keeps every digit of a number', () => {
    const data = parseJson('{"total":12345678901234567890.10}') as SubmissionData
    const forms = formsOf()
    const values = valuesOf(waiting({ data }), forms.all[0]!, { forms, siteUrl: null })
    expect(JSON.stringify(fillBody({ total: '{{total}}', all: '{{answers}}' }, values))).toBe(
      '{"total":12345678901234567890.10,"all":{"total":12345678901234567890.10}}',
    )
  })

  test('cuts a value to the given length', () => {
    expect(fill(['{{message|6}}', '{{ topic | 3 }}', '{{seats|9}}', '{{phone|9}}'])).toEqual(['Line …', 'Qu…', '3', ''])
  })
})

describe('The values', () => {
  test('are facts about the submission', () => {
    const decision = { action: 'forward' as const, reviewer: ADA, at: RECEIVED_AT + 60_000 }
    expect(fill([
      '{{subject}}', '{{id}}', '{{form}}', '{{receivedAt}}', '{{decidedAt}}', '{{reviewer}}', '{{url}}', '{{sender}}',
      '{{senderName}}',
    ], DATA, { form: { name: 'Sales' }, changes: { decision } })).toEqual([
      '[Sales] Quote', 'id-1', 'Sales', '2026-11-28T12:00:00.000Z', '2026-11-28T12:01:00.000Z', ADA.name,
      'https://forms.example.com/submissions/id-1', 'grace@example.com', 'Grace Hopper',
    ])
  })

  test('are absent if nobody knows them', () => {
    const names = ['form', 'decidedAt', 'reviewer', 'url', 'sender', 'senderName']
    const given = { presentation: { siteUrl: null } }
    expect(fill(names.map(name => `{{${name}}}`), { a: 'b' }, given)).toEqual(names.map(() => null))
    expect(fill(names.map(name => `({{${name}}})`), { a: 'b' }, given)).toEqual(names.map(() => '()'))
  })

  test('include all answers by label, without technical values, and the data as it was sent', () => {
    const sent = { event_id: 'e1', event_type: 'form_response', data: { fields: [
      { key: 'q1', label: 'Topic', value: ['b2'], type: 'DROPDOWN', options: [{ id: 'b2', text: 'Press' }] },
      { key: 'q2', label: 'Email', value: 'ada@example.com' }, { key: 'q3', label: 'Email', value: 'second' },
    ] } }
    const form = { labels: { Email: 'Contact' } }
    const body = { all: '{{answers}}', data: '{{data}}', label: '{{Contact}}', text: '{{answers}}.' }
    expect(fill(body, sent, { form })).toEqual({
      all: { 'Contact': 'ada@example.com', 'data.fields.2.value': 'second', 'Topic': 'Press' }, data: sent,
      label: 'ada@example.com', text: 'Contact: ada@example.com\ndata.fields.2.value: second\nTopic: Press.',
    })
  })

  test('include every answer, even if the path of one is the label of another', () => {
    const fields = ['fields.2.value', 'A', 'A'].map((label, index) => ({ label, value: `v${index}` }))
    expect(fill('{{answers}}', { fields })).toEqual({ 'fields.2.value': 'v0', 'A': 'v1', 'fields.2.value*': 'v2' })
  })

  test('are found by path, and after `answers.` if another value has the name of an answer', () => {
    const data = { url: 'https://grace.example', customer: { city: 'Vienna' } }
    expect(fill(['{{customer.city}}', '{{answers.url}}', '{{answers.customer.city}}', '{{answers.x}}'], data)).toEqual([
      'Vienna', 'https://grace.example', 'Vienna', null,
    ])
  })

  test('among other text are written as on cards, with hidden characters marked, a line for each answer', () => {
    const form = { fields: { terms: { type: 'checkbox' as const } } }
    const data = { terms: true, message: 'a\u202Eb', list: ['x', 'y'] }
    const presentation = { texts: textsIn('de') }
    expect(fill('{{answers}}!', data, { form, presentation })).toBe(
      'terms: Ja\nmessage: a⟨U+202E⟩b\nlist:\nx\ny!',
    )
    expect(fill('{{message}}', data)).toBe('a\u202Eb')
  })

  test('include files with their links', () => {
    const files = { path: String, url: (id: string, index: number) => `https://forms.example.com/files/${id}/${index}` }
    const given = {
      changes: { envelope: { files: FILES } }, form: { labels: { cv: 'Curriculum' } }, presentation: { files },
    }
    const described = FILES.map(({ field: _, ...file }, index) => ({ ...file, url: files.url('id-1', index) }))
    expect(fill({ cv: '{{cv}}', all: '{{answers}}', data: '{{data}}' }, { a: 'b' }, given)).toEqual({
      cv: described, all: { a: 'b', Curriculum: described }, data: { a: 'b', cv: described },
    })
    expect(fill('See {{Curriculum}}', {}, given)).toBe([
      'See cv.pdf (application/pdf, 2 KB) https://forms.example.com/files/id-1/0',
      'more.pdf (application/pdf, 1 KB) https://forms.example.com/files/id-1/1',
    ].join('\n'))
  })

  test('are none after an erasure', () => {
    expect(fill(['{{answers}}', '{{data}}', '{{name}}', '{{id}}'], null)).toEqual([{}, null, null, 'id-1'])
  })
})

const BRACES = 'has {{ without a name and }}. Write {{subject}}, or {{message|200}} for at most 200 characters of it'
const NO_JSON = 'must be JSON: a text, number, true, false, null, list or object'

describe('The configuration of a body', () => {
  test.each<[unknown, string]>([
    [{ title: 'x{{}}' }, `.title ${BRACES}`],
    [{ title: '{{ }}' }, `.title ${BRACES}`],
    [{ list: ['a', '{{a}} {{b'] }, `.list.1 ${BRACES}`],
    ['{{a|b}}', ` ${BRACES}`],
    ['{{{{a}}', ` ${BRACES}`],
    [{ a: { b: undefined } }, `.a.b ${NO_JSON}`],
    [{ a: Infinity }, `.a ${NO_JSON}`],
  ])('%j is refused with its place', (body, problem) => {
    const problems: string[] = []
    parseSetting(bodySchema, body, each => problems.push(each))
    expect(problems).toEqual([problem])
  })
})
