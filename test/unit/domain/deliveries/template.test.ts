import { expect, test } from 'vitest'
import { bodySchema, fillBody, valuesOf } from '../../../../server/domain/deliveries/template'
import { parseJson } from '../../../../server/domain/json'
import type { SubmissionData } from '../../../../server/ports/submission'
import { completeForm, formsOf } from '../../../fakes/forms'
import { waiting } from '../../../support/seed'

const AT = Date.UTC(2026, 10, 28, 12)
const ID = '0b1f2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d'
const SENT = '{"name":"Ada \\"A\\" Lovelace","email":"ada@example.com","subject":"Quote","seats":40,"price":1.50,"tags":["a","b"]}'

function fill(body: unknown, sent = SENT) {
  const submission = waiting({
    id: ID, receivedAt: AT, data: parseJson(sent) as SubmissionData,
    decision: { action: 'forward', at: AT + 1000, reviewer: { id: 'U1', name: 'Grace', platform: 'Slack' } },
  })
  const form = completeForm({ name: 'Contact', labels: { name: 'Your name' } })
  const filled = fillBody(body, valuesOf(submission, form, { siteUrl: 'https://forms.example.com', forms: formsOf() }))
  return JSON.parse(JSON.stringify(filled)) as unknown
}

test('texts are filled in, and a text that is only a placeholder becomes the value itself', () => {
  expect(fill({
    title: '{{subject}} of {{name}}', fields: '{{answers}}', count: '{{seats}}', list: ['{{ tags }}'],
  })).toEqual({
    title: '[Contact] Quote of Ada "A" Lovelace', count: 40, list: [['a', 'b']],
    fields: {
      'Your name': 'Ada "A" Lovelace', 'email': 'ada@example.com', 'subject': 'Quote', 'seats': 40, 'price': 1.5,
      'tags': ['a', 'b'],
    },
  })
})

test('facts about the submission have names', () => {
  expect(fill([
    '{{id}}', '{{form}}', '{{receivedAt}}', '{{decidedAt}}', '{{reviewer}}', '{{url}}', '{{sender}}', '{{senderName}}',
  ])).toEqual([
    ID, 'Contact', '2026-11-28T12:00:00.000Z', '2026-11-28T12:00:01.000Z', 'Grace',
    `https://forms.example.com/submissions/${ID}`, 'ada@example.com', 'Ada "A" Lovelace',
  ])
})

test('an absent answer is an empty text, or null if it stands alone', () => {
  expect(fill(['Hello {{nobody}}!', '{{nobody}}', '{{constructor}}'])).toEqual(['Hello !', null, null])
})

test('values are never read as placeholders, and names of members stay as they are', () => {
  expect(fill({ '{{name}}': '{{a}}', 'b': 'x{{a}}y' }, '{"a":"{{b}}","b":"secret"}')).toEqual({
    '{{name}}': '{{b}}', 'b': 'x{{b}}y',
  })
})

test('a number keeps its digits, in a text and alone', () => {
  const submission = waiting({ data: parseJson(SENT) as SubmissionData })
  const valueOf = valuesOf(submission, completeForm({}), { siteUrl: null, forms: formsOf() })
  expect(JSON.stringify(fillBody(['{{price}}', 'is {{price}}'], valueOf))).toBe('[1.50,"is 1.50"]')
})

test('everything but text stays as it is written', () => {
  expect(fill({ a: 1, b: null, c: [true], d: { e: 'f' } })).toEqual({ a: 1, b: null, c: [true], d: { e: 'f' } })
})

test('a placeholder without a name is a mistake', () => {
  expect(bodySchema.safeParse({ a: ['{{ }}'] }).error?.issues[0]?.message).toBe('has a placeholder {{}} without a name')
  expect(bodySchema.safeParse({ a: '{{name}} {' }).success).toBe(true)
})
