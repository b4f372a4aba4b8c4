import type { SubmissionData } from '../../../ports/submission'
import { readFlat, type Reading } from '../answers'

/** Facts that Elementor adds after the answers. `Date` and `Time` are answers in any other form. */
const ADDED = new Set([
  'Date', 'Time', 'Page URL', 'User Agent', 'Remote IP', 'Powered by', 'form_id', 'form_name',
])

/**
 * Reads a message of an Elementor webhook without "Advanced Data": a flat object that ends with the facts selected in
 * the form's settings. Null for anything else.
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
