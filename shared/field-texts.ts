import type { FieldProblem } from '../server/ports/field-rules'

/** Error texts of a field, in English; `{limit}` stands for the minimum or maximum. */
export const FIELD_TEXTS: Readonly<Record<FieldProblem['problem'], string>> = {
  required: 'Please fill this in.',
  unknown: 'This form has no such field.',
  text: 'This is not one text.',
  email: 'This is not an email address, such as ada@example.com.',
  url: 'This is not a web address, such as https://example.com.',
  tel: 'This is not a phone number.',
  number: 'This is not a number.',
  integer: 'This is not a whole number.',
  checkbox: 'This is neither yes nor no.',
  date: 'This is not a date, such as 2026-11-22.',
  select: 'This is none of the choices.',
  file: 'Please choose a file.',
  tooShort: 'Too short. Characters needed: at least {limit}.',
  tooLong: 'Too long. Characters allowed: at most {limit}.',
  tooLow: 'At least {limit}, please.',
  tooHigh: 'At most {limit}, please.',
}
