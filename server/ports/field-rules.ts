import { FIELD_TYPES, type FieldType, type TypeProblem } from '../../shared/field-types/field-types'
import type { FieldLimits } from '../../shared/field-types/row'

/** Rule for the values that a form accepts in one field. */
export interface FieldRule extends FieldLimits {
  /** Label that people see instead of the key. */
  label?: string
  /** Absent if any value is accepted. A field of type `file` accepts as many files as the form does. */
  type?: FieldType
  /** True if a checkbox must be ticked, or any other field filled in. */
  required?: boolean
}

const typeProblems: readonly TypeProblem[] = Object.values(FIELD_TYPES).map(({ problem }) => problem)

/** Kinds of invalid fields. */
export const FIELD_PROBLEMS = [
  'required', 'unknown', ...new Set(typeProblems), 'tooShort', 'tooLong', 'tooLow', 'tooHigh',
] as const

export interface FieldProblem {
  /** Key of the field. */
  key: string
  label: string
  problem: typeof FIELD_PROBLEMS[number]
  /** Minimum or maximum that the value breaks. */
  limit?: number | string
}
