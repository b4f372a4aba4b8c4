import type { SubmissionData } from '../../../ports/submission'
import { readFlat, type Reading } from '../answers'

/** Facts that Elementor adds behind the answers; `Date` and `Time` are answers anywhere else. */
const ADDED = new Set([
  'Date', 'Time', 'Page URL', 'User Agent', 'Remote IP', 'Powered by', 'form_id', 'form_name',
])

/**
 * Reads what the webhook of an Elementor form sends without "Advanced Data": a flat object, at the end of which stand
 * the facts that the form is set to add. Null for anything else.
 *
 * https://elementor.com/help/form-actions/
 */
export function readElementor(data: SubmissionData): Reading | null {
  const isElementor = ['form_id', 'form_name'].every(key => Object.hasOwn(data, key))
    && ['User Agent', 'Remote IP', 'Powered by'].some(key => Object.hasOwn(data, key))
  if (!isElementor) return null
  const keys = Object.keys(data)
  const firstAdded = keys.findLastIndex(key => !ADDED.has(key)) + 1
  const { answers, technical } = readFlat(data, [])
  const added = new Set(keys.slice(firstAdded))
  return {
    answers: answers.filter(({ key }) => !added.has(key)),
    technical: [...answers.filter(({ key }) => added.has(key)), ...technical],
  }
}
