import { isObject } from '../json'
import { isBlank, isCode, machineryOf, MAX_NAME, snakeCase } from './machinery'
import { isBranch, jsonOf, PARSED, writtenPath, type Path } from './paths'
import type { Choices, Definitions } from './questions'

/** A question of a form and its answer */
export interface Answer {
  /** Written path of the value, under which settings of a form and edits name it; for a flat form its key */
  key: string
  /** Steps from the data to the value */
  path: Path
  /** Question for people: the key where the form has no other text */
  label: string
  /** The value at the path, as it was sent */
  value: unknown
  /** Texts of choices that are sent by id */
  choices?: Choices
  /** True if the sender's form says that it asks for an email address */
  isEmail?: boolean
}

/** Names of an answer that a form's settings may use: its path or its label */
export type AnswerNames = Pick<Answer, 'key' | 'label'>

/** What people see of an answer */
export type AnswerContent = Pick<Answer, 'value' | 'choices'>

/** A body, read as questions and answers: everything that shows a form takes it from here. */
export interface Reading {
  /** In the order in which they were sent */
  answers: readonly Answer[]
  /** Values that providers and browsers add and nobody answered, such as ids and proofs; shown behind the answers */
  technical: readonly Answer[]
  /** Name of the sender, where a provider's form has it in parts */
  name?: string
}

/**
 * Reads an object each of whose members is an answer.
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

/** An answer at a path, or at the path of the only value that is wrapped there: a list of one is its value. */
export function answerAt(path: Path, label: string, value: unknown, facts: Partial<Answer> = {}): Answer {
  const inner = unwrapped(value)
  return { key: writtenPath(path), path: [...path, ...inner.path], label, value: inner.value, ...facts }
}

/** The value that is wrapped alone in others, and the steps to it */
export function unwrapped(value: unknown): { path: Path, value: unknown } {
  const path: Path[number][] = []
  let inner = value
  for (let next = stepInto(inner); next; next = stepInto(inner)) {
    path.push(next.step)
    inner = next.value
  }
  return { path, value: inner }
}

/** Members that hold the value, the more telling ones first */
const WRAPPERS = ['value', 'full', 'formatted', 'labels', 'label', 'text', 'raw', 'other']

/** Members beside a value that describe it */
const DESCRIPTION = /^(?:(?:field|input|choice)?_?(?:type|id)|ids|refs?|key|required|raw_?value|versions|is_?hidden)$/i

/** Step to the value where it is wrapped: a list of one, JSON in a text, or an object of a value and its description */
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

/** True for a member that describes a value; words in it are a value of their own. */
function isDescription(key: string, value: unknown): boolean {
  if (isBranch(value)) return /^(?:ids|refs|versions)$/i.test(key)
  return DESCRIPTION.test(key) && (typeof value !== 'string' || /^\S{0,100}$/.test(value))
}

/** True for the text of an option and its id, such as `Basic plan` and `basic-plan`. */
export function isOption(label: unknown, value: unknown): boolean {
  if (typeof label !== 'string') return false
  if (typeof value === 'number' || isCode(value)) return true
  // Longer texts are only compared at their start.
  return typeof value === 'string' && Math.max(label.length, value.length) <= MAX_NAME
    && snakeCase(label) === snakeCase(value)
}
