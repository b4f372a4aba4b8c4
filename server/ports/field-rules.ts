export const FIELD_TYPES = [
  'text', 'textarea', 'email', 'url', 'tel', 'number', 'integer', 'checkbox', 'date', 'select', 'file',
] as const
export type FieldType = typeof FIELD_TYPES[number]

/** What a form takes in one field. */
export interface FieldRule {
  /** What people read instead of the key. */
  label?: string
  /** Anything is taken when absent; of files, as many as the form takes. */
  type?: FieldType
  /** A checkbox has to be ticked, anything else to be filled in. */
  required?: boolean
  /** Least and greatest number or date (`2026-11-22`). */
  min?: number | string
  max?: number | string
  /** Fewest and most characters of a text. */
  minLength?: number
  maxLength?: number
  /** What can be selected. */
  options?: readonly string[]
}

/** What is wrong with a field. */
export const FIELD_PROBLEMS = [
  'required', 'unknown', 'text', 'email', 'url', 'tel', 'number', 'integer', 'checkbox', 'date', 'select', 'file',
  'tooShort', 'tooLong', 'tooLow', 'tooHigh',
] as const

export interface FieldProblem {
  /** Key of the field. */
  key: string
  label: string
  problem: typeof FIELD_PROBLEMS[number]
  /** What it should be at least or at most. */
  limit?: number | string
}
