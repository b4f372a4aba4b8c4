import { z } from 'zod'
import type { Condition, Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import { unwrapped } from '../fields/answers'
import { isBlank } from '../fields/machinery'
import { answerNamed } from '../fields/reading'
import { ruleFor } from '../fields/rules'
import { isFilledIn } from '../fields/sender'
import { displayText, fieldText } from '../fields/values'
import { filesNamed } from '../files/file-texts'
import { isObject } from '../json'

const EXAMPLES = 'a value such as \'sales\', { in: [\'sales\', \'press\'] }, { contains: \'sale\' } or { present: true }'

const EMPTY_PROBLEM = 'must not be empty: write { present: false } for an answer that is empty'

const scalar = z.union([z.string().trim().min(1, EMPTY_PROBLEM), z.number(), z.boolean()], `must be ${EXAMPLES}`)

const operators = {
  /** Values of which one must match. */
  in: z.array(scalar).min(1, 'must not be empty').optional(),
  /** Part of the answer. */
  contains: scalar.optional(),
  /** True if the answer must be filled in, false if it must be empty or absent. */
  present: z.boolean().optional(),
}

const test = z.union([
  scalar, z.strictObject(operators).refine(each => Object.keys(each).length > 0, `is empty. It must be ${EXAMPLES}`),
], { error: ({ input }) => {
  const unknownNames = isObject(input) ? Object.keys(input).filter(name => !Object.hasOwn(operators, name)) : []
  return unknownNames.length > 0
    ? `has ${unknownNames.join(', ')}, which nothing reads. There are ${Object.keys(operators).join(', ')}`
    : `must be ${EXAMPLES}`
} })

/** Tests by the path or label of an answer; a submission must pass all of them. */
export const conditionSchema = z.record(z.string().trim().min(1, 'must be the path or label of an answer'), test)
  .refine(tests => Object.keys(tests).length > 0, 'is empty. It must be an object such as { topic: \'sales\' }')

/** True if the submission meets the condition. Texts are compared without regard to case and outer spaces. */
export function matches(condition: Condition, submission: Submission, form: Form): boolean {
  return Object.entries(condition).every(([name, each]) => passes(textsOf(name, submission, form), each))
}

function passes(texts: readonly string[], expected: Condition[string]): boolean {
  if (typeof expected !== 'object') return texts.includes(comparable(expected))
  const { in: values, contains, present } = expected
  return (values === undefined || values.some(value => texts.includes(comparable(value))))
    && (contains === undefined || texts.some(text => text.includes(comparable(contains))))
    && (present === undefined || (texts.length > 0) === present)
}

/** Texts of an answer to compare: each item of a list and each file, as it was sent and as people read it. */
function textsOf(name: string, submission: Submission, form: Form): string[] {
  const answer = answerNamed(name, submission.data, form.labels)
  const { choices } = answer ?? {}
  const texts = (Array.isArray(answer?.value) ? answer.value : [answer?.value]).flatMap((item) => {
    const { value } = unwrapped(item)
    return answer && !isBlank(value)
      ? [fieldText(value), displayText({ value, choices }, ruleFor(answer, form.fields))]
      : []
  })
  const files = filesNamed(name, submission, form)
  return [...texts.filter(isFilledIn), ...files.map(file => file.name)].map(comparable)
}

function comparable(value: string | number | boolean): string {
  return String(value).normalize().trim().toLowerCase()
}
