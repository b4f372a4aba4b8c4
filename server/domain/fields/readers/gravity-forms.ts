import type { SubmissionData } from '../../../ports/submission'
import { readFlat, type Reading } from '../answers'
import { fieldText } from '../values'

/** Parts of a field of the kind Name: `1.3` is the first and `1.6` the last name. */
const [FIRST, LAST] = [/^(\d+)\.3$/, /^(\d+)\.6$/]

/**
 * Reads an entry of Gravity Forms: a flat object whose answers are under the numbers of their fields. It says nowhere
 * which of them is the name, but a name has numbered parts. Null for anything else.
 *
 * https://docs.gravityforms.com/entry-object/
 */
export function readGravityForms(data: SubmissionData): Reading | null {
  const isEntry = ['form_id', 'date_created', 'is_read'].every(key => Object.hasOwn(data, key))
  if (!isEntry) return null
  const reading = readFlat(data, [])
  const first = reading.answers.find(({ key }) => FIRST.test(key))
  const last = reading.answers.find(({ key }) => LAST.test(key))
  const name = [first, last].map(part => fieldText(part?.value ?? '').trim()).filter(Boolean).join(' ')
  return { ...reading, ...name && { name } }
}
