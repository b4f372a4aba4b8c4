export const FIELD_TYPES = [
  'text', 'textarea', 'email', 'url', 'tel', 'number', 'integer', 'checkbox', 'date', 'select', 'file',
] as const
export type FieldType = typeof FIELD_TYPES[number]

/** Rule for the values that a form accepts in one field. */
export interface FieldRule {
  /** Label that people see instead of the key. */
  label?: string
  /** Any value is accepted when absent. The type `file` accepts as many files as the form does. */
  type?: FieldType
  /** True if a checkbox must be ticked, or any other field filled in. */
  required?: boolean
  /** Minimum and maximum of a number or a date (`2026-11-22`). */
  min?: number | string
  max?: number | string
  /** Minimum and maximum length of a text, characters. */
  minLength?: number
  maxLength?: number
  /** Choices of a select. */
  options?: readonly string[]
}

/** Kinds of invalid fields. */
export const FIELD_PROBLEMS = [
  'required', 'unknown', 'text', 'email', 'url', 'tel', 'number', 'integer', 'checkbox', 'date', 'select', 'file',
  'tooShort', 'tooLong', 'tooLow', 'tooHigh',
] as const

export interface FieldProblem {
  /** Key of the field. */
  key: string
  label: string
  problem: typeof FIELD_PROBLEMS[number]
  /** Minimum or maximum that the value breaks. */
  limit?: number | string
}
