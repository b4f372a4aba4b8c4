import { isObject } from '../json'
import { isBesideAnswers } from './machinery'
import { isBranch, jsonOf, PARSED, type Path } from './paths'

/** Description of a question by its form */
interface Definition {
  label: string
  choices?: Choices
  isEmail?: boolean
}

/** A question with its answer, from a list or object of questions */
export interface Question extends Definition {
  /** Path of the value, from the list or object of questions */
  path: Path
  /** Value at the path: the answer, or the whole question if it has no answer */
  value: unknown
  isAnswered: boolean
  /** Internal name of the question in its form */
  name?: string
  /** Other members of the question, besides its answer and its description */
  more: readonly (readonly [key: string, value: unknown])[]
}

/** Texts of choices, by the id that is sent for each */
export type Choices = ReadonlyMap<string, string>

/** Questions that answers refer to, by id or reference */
export type Definitions = ReadonlyMap<string, Definition>

/** Ranks by member name, in each spelling: `field_title`, `fieldTitle`, `FieldTitle`, and in capitals like `ID` */
type Ranks = ReadonlyMap<string, number>

function ranksOf(...names: string[]): Ranks {
  const camel = (name: string) => name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())
  const pascal = (name: string) => camel(`_${name}`)
  return new Map(names.flatMap((name, rank) => (
    [name, camel(name), pascal(name), name.toUpperCase()].map(each => [each, rank] as const)
  )))
}

const LABELS = ranksOf(
  'label', 'title', 'question', 'field_label', 'field_title', 'question_text', 'question_title', 'prompt', 'field_name',
  'display_text', 'caption', 'heading', 'field', 'name',
)
const ANSWERS = ranksOf(
  'value', 'answer', 'answers', 'values', 'field_value', 'field_input_value', 'raw_value', 'user_response', 'response',
  'responses', 'selected', 'selection', 'input', 'content', 'text',
)
/** From this rank on, a member is an answer only if the question has a real label, not only a name. */
const FIRST_LIKELY = ANSWERS.get('user_response')!
/** From this rank on, the names are common words that any object may have. */
const FIRST_COMMON = ANSWERS.get('selected')!
const NAMES = ranksOf('name')
const REFERENCES = ranksOf('id', '_id', 'ref', 'uuid', 'key', 'name', 'question_id', 'field_id', 'question_ref')
const TYPES = ranksOf('type', 'kind', 'field_type', 'question_type', 'input_type')
const DESCRIPTIONS = ranksOf('field', 'question', 'element', 'properties')
const CHOICES = ranksOf('options', 'choices', 'items')
const CHOICE_TEXTS = ranksOf('text', 'label', 'title', 'name', 'caption')
const CHOICE_IDS = ranksOf('id', 'ref', 'value', 'key', 'uuid')
const SECTIONS = ranksOf('questions', 'fields', 'answers', 'items')

/** Other members that describe a question */
const DETAILS = new RegExp(`^(?:.{0,40}(?:id|ref|type|kind|key|name|raw|label)|${[
  'required', 'description', 'position', 'index', 'order', 'section', 'group', 'page', 'visible', 'is_?hidden',
  'validations', 'layout', 'versions',
  // Parts of a person's name, next to the whole name as the answer
  'first', 'middle', 'last',
].join('|')})$`, 'i')

/** Max objects to search for the questions that answers refer to */
const MAX_OBJECTS = 2000

/** Key of the best-ranked member; undefined if none is accepted. */
function bestKey(
  item: Record<string, unknown>, ranks: Ranks, isAccepted: (value: unknown, key: string) => boolean,
): string | undefined {
  return Object.keys(item).reduce<string | undefined>((best, key) => {
    const isBetter = ranks.has(key) && (best === undefined || ranks.get(key)! < ranks.get(best)!)
    return isBetter && isAccepted(item[key], key) ? key : best
  }, undefined)
}

function isText(value: unknown): boolean {
  return richText(value).trim() !== ''
}

/** Returns the text, or the joined texts of a list such as HeyForm's `["Hello ", ["mention", ["@Ada"]]]`. */
function richText(value: unknown, depth = 0): string {
  if (typeof value === 'string') return value
  if (!Array.isArray(value) || depth > 3) return ''
  const parts = depth > 0 && value.length > 1 ? value.slice(1) : value
  return parts.slice(0, 50).map(part => richText(part, depth + 1)).join('')
}

function textAt(item: Record<string, unknown>, ranks: Ranks): string | undefined {
  const key = bestKey(item, ranks, isText)
  return key === undefined ? undefined : richText(item[key])
}

/** Returns the object that describes the question of an answer, such as `field`. */
function describedIn(item: Record<string, unknown>): Record<string, unknown> {
  const key = bestKey(item, DESCRIPTIONS, isObject)
  return key === undefined ? {} : item[key] as Record<string, unknown>
}

function labelOf(item: Record<string, unknown>): string | undefined {
  const described = describedIn(item)
  return textAt(item, LABELS) ?? textAt(described, LABELS) ?? textAt(described, CHOICE_TEXTS)
}

function typeOf(item: Record<string, unknown>): string | undefined {
  return textAt(item, TYPES) ?? textAt(describedIn(item), TYPES)
}

function isEmailQuestion(item: Record<string, unknown>): boolean {
  return /e-?mail/i.test(typeOf(item)?.slice(0, 100) ?? '')
}

function referencesOf(item: Record<string, unknown>): string[] {
  return [item, describedIn(item)].flatMap(each => Object.keys(each).filter(
    key => REFERENCES.has(key) && (typeof each[key] === 'string' || typeof each[key] === 'number'),
  ).toSorted((a, b) => REFERENCES.get(a)! - REFERENCES.get(b)!).map(key => String(each[key])))
}

/** Choices of a question: lists of `{ id, text }` */
function choicesOf(item: Record<string, unknown>): Choices | undefined {
  const lists = [item, describedIn(item)].flatMap(
    holder => Object.keys(holder).filter(key => CHOICES.has(key)).map(key => holder[key]),
  ).filter(list => Array.isArray(list))
  const choices = lists.flatMap(list => list.slice(0, MAX_OBJECTS)).filter(isObject).flatMap((choice) => {
    const text = textAt(choice, CHOICE_TEXTS)
    const ids = Object.keys(choice).filter(key => CHOICE_IDS.has(key) && !isBranch(choice[key]))
    return text === undefined ? [] : ids.map(key => [String(choice[key]), text] as const)
  })
  return choices.length > 0 ? new Map(choices) : undefined
}

/** Collects all questions of the body: answers may refer to them by id. */
export function definitionsIn(data: object): Definitions {
  const definitions = new Map<string, Definition>()
  const textDefinitions = new Map<string, Definition>()
  const queue: object[] = [data, ...Object.values(data).slice(0, MAX_OBJECTS).flatMap(value => jsonOf(value) ?? [])]
  for (let index = 0; index < queue.length; index++) {
    const item = queue[index]!
    const room = MAX_OBJECTS - queue.length
    if (room > 0) queue.push(...Object.values(item).filter(isBranch).slice(0, room))
    if (!isObject(item)) continue
    const label = labelOf(item)
    // `text` may be the question here, but the answer in another object with the same id.
    define(item, label ?? textAt(item, CHOICE_TEXTS), label === undefined ? textDefinitions : definitions)
  }
  return new Map([...textDefinitions, ...definitions])
}

function define(item: Record<string, unknown>, label: string | undefined, definitions: Map<string, Definition>): void {
  if (label === undefined) return
  const definition = { label, choices: choicesOf(item), isEmail: isEmailQuestion(item) }
  for (const id of referencesOf(item)) if (!definitions.has(id)) definitions.set(id, definition)
}

/** Returns the key of the answer; undefined if there is none. */
function answerKey(item: Record<string, unknown>, label: string | undefined, isList: boolean): string | undefined {
  const key = bestKey(item, ANSWERS, (value, name) => value !== label || ANSWERS.get(name) === 0)
  const rank = key === undefined ? Infinity : ANSWERS.get(key)!
  if (rank < FIRST_LIKELY) return key
  const type = typeOf(item)
  if (type !== undefined && Object.hasOwn(item, type)) return type
  const isCertain = rank < FIRST_COMMON && !hasOnlyName(item)
  return isCertain || (isList && label !== undefined && isDescription(item, key)) ? key : undefined
}

/** True if a question has no better label than its name. */
function hasOnlyName(item: Record<string, unknown>): boolean {
  return bestKey(item, LABELS, isText) === bestKey(item, NAMES, isText)
}

/** True if all other members describe a question. `name` and `text` alone prove nothing: any object may have them. */
function isDescription(item: Record<string, unknown>, answer?: string): boolean {
  return membersBeside(item, answer).length === 0
}

/** Returns the keys of all members except the answer and descriptions of the question. */
function membersBeside(item: Record<string, unknown>, answer?: string): string[] {
  return Object.keys(item).filter(key => key !== answer && !(DETAILS.test(key) || LABELS.has(key) || TYPES.has(key)
    || DESCRIPTIONS.has(key) || CHOICES.has(key) || CHOICE_TEXTS.has(key) || isBesideAnswers(key, item[key])))
}

/**
 * Reads a list, or an object, of items like `{ label, value }`, in any usual spelling. Undefined if an item is no
 * object or has no question, or if fewer than half of the items have an answer.
 */
function questionsIn(container: object, definitions: () => Definitions): Question[] | undefined {
  const isList = Array.isArray(container)
  const items = Object.entries(container)
  if (items.length === 0 || !items.every(([, item]) => isObject(item))) return undefined
  const questions: Question[] = []
  for (const [key, item] of items) {
    const question = questionOf(key, item as Record<string, unknown>, isList, definitions)
    if (!question) return undefined
    questions.push(question)
  }
  const answeredCount = questions.filter(({ isAnswered }) => isAnswered).length
  return answeredCount > 0 && 2 * answeredCount >= items.length ? questions : undefined
}

function questionOf(
  itemKey: string, item: Record<string, unknown>, isList: boolean, definitions: () => Definitions,
): Question | undefined {
  const ownLabel = labelOf(item)
  const ownChoices = choicesOf(item)
  const references = referencesOf(item)
  const definition = ownLabel === undefined || !ownChoices
    ? references.map(id => definitions().get(id)).find(Boolean)
    : undefined
  const knownLabel = ownLabel ?? definition?.label
  const key = answerKey(item, knownLabel, isList)
  const label = knownLabel ?? (isList ? references[0] : itemKey)
  const isNone = label === undefined || (!isList && key === undefined && ownLabel === undefined)
  const more = key === undefined ? [] : membersBeside(item, key)
  // Leave out items such as products or guests: they have a name, a value and other members.
  const isThing = isList && more.length > 0 && hasOnlyName(item)
  if (isNone || isThing) return undefined
  const step = isList ? Number(itemKey) : itemKey
  return {
    label, path: key === undefined ? [step] : [step, key], value: key === undefined ? item : item[key],
    isAnswered: key !== undefined, name: isList ? references[0] : itemKey,
    choices: ownChoices ?? definition?.choices, isEmail: isEmailQuestion(item) || definition?.isEmail,
    more: more.map(name => [name, item[name]]),
  }
}

/** Returns the questions of a list of pages or sections; undefined for any other list. */
function questionsOfSections(container: object, definitions: () => Definitions): Question[] | undefined {
  if (!Array.isArray(container)) return undefined
  const questions = container.map((section: unknown, index) => {
    const key = isObject(section) ? bestKey(section, SECTIONS, Array.isArray) : undefined
    const inner = key === undefined ? undefined : questionsIn((section as Record<string, object>)[key]!, definitions)
    return inner?.map(each => ({ ...each, path: [index, key!, ...each.path] }))
  })
  return questions.length > 0 && questions.every(Boolean) ? questions.flatMap(each => each!) : undefined
}

/** True for a list of questions without answers. */
export function areDefinitions(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0
    && value.every(item => isObject(item) && referencesOf(item).length > 0 && isDescription(item))
}

/** Returns the questions and answers in a list, an object, or a text with JSON; undefined if there are none. */
export function questionsAt(value: unknown, definitions: () => Definitions): Question[] | undefined {
  const container = isBranch(value) ? value : jsonOf(value)
  const questions = container && (questionsIn(container, definitions) ?? questionsOfSections(container, definitions))
  return isBranch(value) ? questions : questions?.map(each => ({ ...each, path: [PARSED, ...each.path] }))
}
