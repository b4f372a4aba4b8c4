import { isObject } from '../json'
import { isBranch, jsonOf, PARSED, type Path } from './paths'

/** A question with its answer, found in a list of such */
export interface Question {
  label: string
  /** Path of the value, from the list or object that has the questions */
  path: Path
  value: unknown
  choices?: Choices
  isEmail?: boolean
}

/** Texts of choices, by the id under which they are sent */
export type Choices = ReadonlyMap<string, string>

const LABELS = [
  'label', 'title', 'question', 'field_label', 'fieldLabel', 'field_name', 'fieldName', 'question_text', 'questionText',
  'question_title', 'questionTitle', 'prompt', 'caption', 'name', 'heading',
]
const ANSWERS = [
  'value', 'answer', 'answers', 'response', 'responses', 'values', 'raw_value', 'user_response', 'selected',
  'selection', 'input', 'content', 'text',
]
const REFERENCES = [
  'id', 'ref', 'uuid', 'key', 'name', 'question_id', 'questionId', 'field_id', 'fieldId', 'question_ref',
]
const TYPES = ['type', 'kind', 'field_type', 'fieldType', 'question_type', 'questionType']
const CHOICES = ['options', 'choices', 'items']

/** Questions that answers refer to, by id or reference */
export type Definitions = ReadonlyMap<string, Definition>

type Definition = Pick<Question, 'label' | 'choices' | 'isEmail'>

/** Objects that are looked through for the questions that answers refer to */
const MAX_OBJECTS = 2000

function textAt(item: Record<string, unknown>, names: readonly string[]): string | undefined {
  const texts = names.map(name => Object.hasOwn(item, name) ? item[name] : undefined)
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '')
}

/** Object that describes the question of an answer, such as `field` */
function describedIn(item: Record<string, unknown>): Record<string, unknown> | undefined {
  return [item.field, item.question, item.element].find(isObject)
}

function labelOf(item: Record<string, unknown>): string | undefined {
  return textAt(item, LABELS) ?? textAt(describedIn(item) ?? {}, [...LABELS, 'text'])
}

function typeOf(item: Record<string, unknown>): string | undefined {
  return textAt(item, TYPES) ?? textAt(describedIn(item) ?? {}, TYPES)
}

function isEmailQuestion(item: Record<string, unknown>): boolean {
  return /e-?mail/i.test(typeOf(item) ?? '')
}

function referencesOf(item: Record<string, unknown>): string[] {
  return [item, describedIn(item) ?? {}].flatMap(each => REFERENCES.flatMap(
    name => Object.hasOwn(each, name) && typeof each[name] !== 'object' ? [String(each[name])] : [],
  ))
}

/** Choices of a question: lists of `{ id, text }` */
function choicesOf(item: Record<string, unknown>): Choices | undefined {
  const holders = [item, item.properties, describedIn(item)].filter(isObject)
  const lists = holders.flatMap(holder => CHOICES.map(name => holder[name])).filter(each => Array.isArray(each))
  const choices = lists.flatMap(list => list.slice(0, MAX_OBJECTS)).filter(isObject).flatMap((choice) => {
    const text = textAt(choice, ['text', ...LABELS])
    const ids = ['id', 'ref', 'value', 'key', 'uuid'].map(name => choice[name]).filter(
      id => typeof id === 'string' || typeof id === 'number',
    )
    return text === undefined ? [] : ids.map(id => [String(id), text] as const)
  })
  return choices.length > 0 ? new Map(choices) : undefined
}

/** Collects the questions of the whole body to which answers may refer. */
export function definitionsIn(data: unknown): Definitions {
  const definitions = new Map<string, Definition>()
  const queue: unknown[] = [data]
  for (let index = 0; index < queue.length; index++) {
    const value = queue[index] as object
    if (isObject(value)) define(value, definitions)
    const room = MAX_OBJECTS - queue.length
    if (room > 0) queue.push(...Object.values(value).filter(isBranch).slice(0, room))
  }
  return definitions
}

function define(item: Record<string, unknown>, definitions: Map<string, Definition>): void {
  const label = labelOf(item)
  if (label === undefined) return
  const definition = { label, choices: choicesOf(item), isEmail: isEmailQuestion(item) }
  for (const reference of referencesOf(item)) if (!definitions.has(reference)) definitions.set(reference, definition)
}

/** Name of the member that has the answer; undefined if there is none */
function answerName(item: Record<string, unknown>, label: string | undefined): string | undefined {
  const type = typeOf(item)
  const names = [...ANSWERS, ...type !== undefined ? [type] : []]
  return names.find(name => Object.hasOwn(item, name) && (item[name] !== label || name === 'value'))
}

interface Options {
  definitions: () => Definitions
  /** Name of a question that has no label of its own: its key in the object */
  keyed?: boolean
}

/**
 * Reads a list of `{ label, value }` in any of its usual spellings, or an object of such. Undefined if it is none: an
 * item is no object or has no question, or fewer than half have an answer.
 */
function questionsIn(container: object, { definitions }: Options): Question[] | undefined {
  const isList = Array.isArray(container)
  const items = Object.entries(container)
  if (items.length === 0 || !items.every(([, item]) => isObject(item))) return undefined
  let answeredCount = 0
  const questions = items.map(([key, each]): Question | undefined => {
    const item = each as Record<string, unknown>
    const ownLabel = labelOf(item)
    const name = answerName(item, ownLabel)
    // An object has few words that make it a question: `content` and `text` are too common.
    if (name !== undefined && (isList || ANSWERS.indexOf(name) < 7)) answeredCount++
    else if (!isList) return undefined
    const ownChoices = choicesOf(item)
    const definition = ownLabel === undefined || !ownChoices
      ? referencesOf(item).map(each => definitions().get(each)).find(Boolean)
      : undefined
    const label = ownLabel ?? definition?.label ?? (isList ? textAt(item, REFERENCES) : key)
    if (label === undefined) return undefined
    return {
      label, path: [isList ? Number(key) : key, ...name === undefined ? [] : [name]],
      value: name === undefined ? null : item[name],
      choices: ownChoices ?? definition?.choices, isEmail: isEmailQuestion(item) || definition?.isEmail,
    }
  })
  const isWhole = questions.every(each => each !== undefined)
  return isWhole && 2 * answeredCount >= items.length && answeredCount > 0 ? questions : undefined
}

/** The same, or the list that a text holds as JSON */
export function questionsAt(value: unknown, options: Options): Question[] | undefined {
  if (isBranch(value)) return questionsIn(value, options)
  const parsedValue = jsonOf(value)
  return parsedValue && questionsIn(parsedValue, options)?.map(each => ({ ...each, path: [PARSED, ...each.path] }))
}
