import { z } from 'zod'
import type { Form } from '../../ports/form'
import type { Submission } from '../../ports/submission'
import type { Presentation } from '../context'

export const bodySchema = z.json()
export function valuesOf({ data }: Submission, _form: Form, _presentation: Presentation) {
  return { answers: data }
}
export function fillBody(body: unknown, _values: unknown) {
  return body
}
