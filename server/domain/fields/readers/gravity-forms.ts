import type { SubmissionData } from '../../../ports/submission'
import { answerAt, technicalAt, type Reading } from '../answers'
import { machineryOf } from '../machinery'
import { fieldText } from '../values'

/** Key of an answer: the number of the field, and of its input */
const FIELD = /^\d+(?:\.\d+)?$/

/** Members of an entry that are not answers, and that only Gravity Forms sends */
const ADDED = new Set([
  'id', 'currency', 'created_by', 'is_fulfilled', 'status', 'payment_status', 'payment_date', 'payment_amount',
  'payment_method', 'transaction_id', 'transaction_type',
])

/** Keys of the parts of a Name field: `1.3` is the first name and `1.6` the last name. */
const [FIRST, LAST] = [/^\d+\.3$/, /^\d+\.6$/]

/**
 * Reads an entry of Gravity Forms: a flat object with answers by field number. No member says which answer is the name,
 * but only a name has these numbered parts. Null for anything else.
 *
 * https://docs.gravityforms.com/entry-object/
 */
export function readGravityForms(data: SubmissionData): Reading | null {
  const isEntry = ['form_id', 'date_created', 'is_read'].every(key => Object.hasOwn(data, key))
  if (!isEntry) return null
  const entries = Object.entries(data)
  const machinery = machineryOf(data, true)
  const isAdded = (key: string) => !FIELD.test(key) && (ADDED.has(key) || machinery.has(key))
  const answers = entries.filter(([key]) => !isAdded(key)).map(([key, value]) => answerAt([key], key, value))
  const parts = [FIRST, LAST].map(part => answers.find(({ key }) => part.test(key)))
  const name = parts.map(part => fieldText(part?.value ?? '').trim()).filter(Boolean).join(' ')
  return {
    answers,
    technical: entries.filter(([key]) => isAdded(key)).map(([key, value]) => technicalAt([key], value)),
    ...name && { name },
  }
}
