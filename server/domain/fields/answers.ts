import { isObject } from '../json'
import { machineryOf } from './machinery'
import { jsonOf, PARSED, writtenPath, type Path } from './paths'
import type { Choices } from './questions'

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

/** A body, read as questions and answers: everything that shows a form takes it from here. */
export interface Reading {
  /** In the order in which they were sent */
  answers: readonly Answer[]
  /** What providers and browsers add and nobody answered, such as ids and proofs; shown behind the answers */
  technical: readonly Answer[]
  /** Name of the sender, where a provider's form has it in parts */
  name?: string
}

/** Reads an object each of whose members is an answer. */
export function readFlat(object: object, path: Path): Reading {
  const machinery = machineryOf(Object.keys(object))
  const all = Object.entries(object).map(([key, value]) => answerAt([...path, key], key, value))
  return {
    answers: all.filter((_, index) => !machinery.has(String(all[index]!.path.at(-1)))),
    technical: all.filter((_, index) => machinery.has(String(all[index]!.path.at(-1)))),
  }
}

/** Members that hold the value alone */
const WRAPPERS = ['value', 'full', 'formatted', 'raw', 'labels', 'label']

/** An answer at a path, or at the path of the only value that is wrapped there: a list of one is its value. */
export function answerAt(path: Path, label: string, value: unknown, facts: Partial<Answer> = {}): Answer {
  const key = writtenPath(path)
  const inner = innerOf(value, [])
  return { key, path: [...path, ...inner.path], label, value: inner.value, ...facts }
}

function innerOf(value: unknown, path: Path): { path: Path, value: unknown } {
  if (Array.isArray(value)) return value.length === 1 ? innerOf(value[0], [...path, 0]) : { path, value }
  if (!isObject(value)) {
    const parsedValue = jsonOf(value)
    return parsedValue ? innerOf(parsedValue, [...path, PARSED]) : { path, value }
  }
  const keys = Object.keys(value)
  const wrapper = keys.length === 1 ? WRAPPERS.find(name => name === keys[0]) : choiceName(value)
  return wrapper === undefined ? { path, value } : innerOf(value[wrapper], [...path, wrapper])
}

/** Member with the text of what was chosen, beside its id */
function choiceName(value: Record<string, unknown>): string | undefined {
  const isText = typeof value.label === 'string' && ['id', 'ref', 'value'].some(name => Object.hasOwn(value, name))
  const isTexts = Array.isArray(value.labels) && ['ids', 'refs'].some(name => Object.hasOwn(value, name))
  return isText ? 'label' : isTexts ? 'labels' : undefined
}
