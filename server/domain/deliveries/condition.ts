import { z } from 'zod'
import type { Condition, ConditionValue, Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import type { Answer } from '../fields/answers'
import { answersNamed, settingOf } from '../fields/reading'
import { displayText } from '../fields/values'
import { isNumber } from '../json'

const text = z.string().trim().min(1, 'must not be empty')

const conditionValue = z.union([
  text, z.strictObject({ in: z.array(text).min(1) }), z.strictObject({ contains: text }),
  z.strictObject({ present: z.boolean() }),
], 'must be a text, { in: [texts] }, { contains: text } or { present: true }')

/** Setting `when` of a destination: a value for each path or label of an answer */
export const conditionSchema: z.ZodType<Condition> = z.record(text, conditionValue).refine(
  condition => Object.keys(condition).length > 0, 'must name an answer',
)

/**
 * True if all parts of the condition are. A list fits if one of its items does. Texts are compared without regard to
 * case and to spaces around them.
 */
export function matches(condition: Condition, { data }: Submission, form: Form): boolean {
  const names = Object.keys(condition)
  const answers = answersNamed(names, data)
  return names.every((name, index) => isMet(condition[name]!, answers[index], form))
}

function isMet(wanted: ConditionValue, answer: Answer | undefined, { fields = {} }: Form): boolean {
  const texts = answer ? textsOf(answer, settingOf(answer, fields) ?? {}) : []
  if (typeof wanted === 'string') return texts.includes(folded(wanted))
  if ('in' in wanted) return wanted.in.some(each => texts.includes(folded(each)))
  if ('contains' in wanted) return texts.some(each => each.includes(folded(wanted.contains)))
  return texts.some(each => each !== '') === wanted.present
}

/** Returns the value as it was sent and as people see it, and the same of each item of a list. */
function textsOf(answer: Answer, rule: Parameters<typeof displayText>[1]): string[] {
  const values = Array.isArray(answer.value) ? answer.value as unknown[] : [answer.value]
  return values.filter(value => value !== null).flatMap((value) => {
    const isPlain = typeof value !== 'object' || isNumber(value)
    return [...isPlain ? [String(value)] : [], value === '' ? '' : displayText({ ...answer, value }, rule)].map(folded)
  })
}

function folded(value: string): string {
  return value.trim().toLowerCase()
}
