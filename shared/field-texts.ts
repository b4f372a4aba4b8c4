import { field } from '../locales/en.json'
import type { FieldProblem } from '../server/ports/field-rules'

/** Error texts of a field, in English; `{limit}` stands for the minimum or maximum. */
export const FIELD_TEXTS: Readonly<Record<FieldProblem['problem'], string>> = field
