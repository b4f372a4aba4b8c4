import { z } from 'zod'
import type { Condition, Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'

export const conditionSchema = z.record(z.string(), z.any()) as unknown as z.ZodType<Condition>
export function matches(condition: Condition, { data }: Submission, _form: Form): boolean {
  return Object.entries(condition).every(([key, value]) => data?.[key] === value)
}
