import { expect, test } from 'vitest'
import { z } from 'zod'
import { parseSetting } from '../../../../server/config/issues'
import { conditionSchema, matches } from '../../../../server/domain/deliveries/condition'
import { parseJson } from '../../../../server/domain/json'
import type { Condition } from '../../../../server/ports/form'
import type { SubmissionData } from '../../../../server/ports/submission'
import { completeForm } from '../../../fakes/forms'
import { waiting } from '../../../support/seed'

const DATA = parseJson(JSON.stringify({
  topic: ' Sales ', message: 'Please send the Invoice.', company: '', seats: 3, newsletter: true,
  interests: ['Chess', 'Go'], customer: { email: 'ada@example.com' },
})) as SubmissionData

const isMet = (condition: Condition, data = DATA) => matches(condition, waiting({ data }), completeForm({}))

test.each<[Condition, boolean]>([
  [{ topic: 'sales' }, true],
  [{ topic: 'press' }, false],
  [{ topic: { in: ['press', 'SALES'] } }, true],
  [{ topic: { in: ['press'] } }, false],
  [{ message: { contains: 'invoice' } }, true],
  [{ message: { contains: 'offer' } }, false],
  [{ company: { present: true } }, false],
  [{ company: { present: false } }, true],
  [{ nothing: { present: false } }, true],
  [{ topic: { present: true } }, true],
  [{ seats: '3' }, true],
  [{ newsletter: 'true' }, true],
  [{ interests: 'go' }, true],
  [{ interests: { in: ['poker', 'chess'] } }, true],
  [{ interests: { contains: 'hes' } }, true],
  [{ 'customer.email': { contains: '@example.com' } }, true],
  [{ topic: 'sales', seats: '3' }, true],
  [{ topic: 'sales', seats: '4' }, false],
  [{ constructor: { present: true } }, false],
])('the condition %j is %s', (condition, isTrue) => {
  expect(isMet(condition)).toBe(isTrue)
})

test('answers in a provider\'s envelope are found by their labels', () => {
  const data = { data: { fields: [{ key: 'q1', label: 'Your topic', type: 'INPUT_TEXT', value: 'Sales' }] } }
  expect([isMet({ 'Your topic': 'sales' }, data), isMet({ 'Your topic': 'press' }, data)]).toEqual([true, false])
})

test('nothing matches a submission whose data was erased, except that an answer is absent', () => {
  const erased = { ...waiting(), data: null }
  expect(matches({ topic: 'sales' }, erased, completeForm({}))).toBe(false)
  expect(matches({ topic: { present: false } }, erased, completeForm({}))).toBe(true)
})

test.each<[unknown, string]>([
  [{}, 'must name an answer'],
  [{ topic: { is: 'sales' } }, 'must be a text, { in: [texts] }, { contains: text } or { present: true }'],
  [{ topic: '' }, '.when.topic must not be empty'],
  [{ topic: { in: [] } }, 'must be a text'],
  ['sales', 'must be an object'],
])('%j is a mistake that says what to write', (when, problem) => {
  const problems: string[] = []
  parseSetting(z.strictObject({ when: conditionSchema }), { when }, each => void problems.push(each))
  expect(problems.join('\n')).toContain(problem)
})
