import { isObject } from '../json'
import { isBlank, isId, machineryOf, MAX_NAME, snakeCase } from './machinery'
import { isBranch, jsonOf, PARSED, writtenPath, type Path } from './paths'
import type { Choices, Definitions } from './questions'

/** A question of a form and its answer */
export interface Answer {
  /** Path of the value as text, used in form settings and edits; in a flat form the field's key */
  key: string
  /** Steps from the data to the value */
  path: Path
  /** Question for people; the key if the form has no other text */
  label: string
  /** The value at the path, as it was sent */
  value: unknown
  /** Texts of choices that are sent by id */
  choices?: Choices
  /** True if the sent data says that the question asks for an email address */
  isEmail?: boolean
  /** True if a provider sent the answer as true or false */
  isYesNo?: boolean
}

/** Names of an answer that a form's settings may use, its path or its label, and its type without such a setting */
export type AnswerNames = Pick<Answer, 'key' | 'label' | 'isYesNo'>

/** Parts of an answer that people see */
export type AnswerContent = Pick<Answer, 'value' | 'choices'>

/** A body, read as questions and answers: the source for everything that shows a form. */
export interface Reading {
  /** In the order in which they were sent */
  answers: readonly Answer[]
  /** Values that providers and browsers add, such as ids and captcha tokens; shown after the answers */
  technical: readonly Answer[]
  /** Name of the sender, if a provider sends it in parts */
  name?: string
}

/**
 * Reads a flat object: each member is an answer.
 *
 * @param definitions questions whose ids may be the keys of the object
 * @param isInEnvelope true if a provider sent the object for certain
 */
export function readFlat(object: object, path: Path, definitions?: Definitions, isInEnvelope = false): Reading {
  const machinery = machineryOf(object, isInEnvelope)
  const answers: Answer[] = []
  const technical: Answer[] = []
  for (const [key, value] of Object.entries(object) as [string, unknown][]) {
    if (machinery.has(key)) technical.push(technicalAt([...path, key], value))
    else answers.push(answerAt([...path, key], key, value, definitions?.get(key)))
  }
  return { answers, technical }
}

/** A technical value under its key, as it was sent */
export function technicalAt(path: Path, value: unknown): Answer {
  return { key: writtenPath(path), path, label: writtenPath(path.slice(-1)), value }
}

/** Returns the answer at a path. If a single value is wrapped there, such as in a list of one, uses its inner path. */
export function answerAt(path: Path, label: string, value: unknown, facts: Partial<Answer> = {}): Answer {
  const inner = unwrapped(value)
  return { key: writtenPath(path), path: [...path, ...inner.path], label, value: inner.value, ...facts }
}

/** Returns the innermost single value, and the path to it. */
export function unwrapped(value: unknown): { path: Path, value: unknown } {
  const path: Path[number][] = []
  let inner = value
  for (let next = stepInto(inner); next; next = stepInto(inner)) {
    path.push(next.step)
    inner = next.value
  }
  return { path, value: inner }
}

/** Members that contain the value, likeliest first */
const WRAPPERS = ['value', 'full', 'formatted', 'labels', 'label', 'text', 'raw', 'other']

/** Members that describe the value next to them */
const DESCRIPTION = /^(?:(?:field|input|choice)?_?(?:type|id)|ids|refs?|key|required|versions|is_?hidden)$/i

/** Returns the step into a wrapped value: a list of one, JSON in a text, or a value with its description. */
function stepInto(value: unknown): { step: Path[number], value: unknown } | undefined {
  if (Array.isArray(value)) return value.length === 1 ? { step: 0, value: value[0] } : undefined
  if (!isObject(value)) {
    const parsedValue = jsonOf(value)
    return parsedValue && { step: PARSED, value: parsedValue }
  }
  const step = WRAPPERS.find(wrapper => Object.hasOwn(value, wrapper) && Object.keys(value).every(key => (
    key === wrapper || isDescription(key, value[key]) || value[key] === value[wrapper] || isBlank(value[key])
    || (wrapper === 'label' && key === 'value' && isOption(value.label, value.value))
  )))
  return step === undefined ? undefined : { step, value: value[step] }
}

/** True for a member that describes a value. A member with words is an answer itself. */
function isDescription(key: string, value: unknown): boolean {
  if (isBranch(value)) return /^(?:ids|refs|versions)$/i.test(key)
  return DESCRIPTION.test(key) && (typeof value !== 'string' || /^\S{0,100}$/.test(value))
}

/** True if the two are the text and the id of one option, such as `Basic plan` and `basic-plan`. */
export function isOption(label: unknown, value: unknown): boolean {
  if (typeof label !== 'string') return false
  if (isId(value)) return true
  // Longer texts are only compared at their start.
  return typeof value === 'string' && Math.max(label.length, value.length) <= MAX_NAME
    && snakeCase(label) === snakeCase(value)
}
