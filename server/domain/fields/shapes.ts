import { isObject } from '../json'
import { answerAt, isOption, readFlat, technicalAt, type Answer, type Reading } from './answers'
import { isBesideAnswers, isBlank, isCode, isMachineQuestion, isMark, isOfProvider, wordsOf } from './machinery'
import { isBranch, jsonOf, PARSED, type Path } from './paths'
import { areDefinitions, definitionsIn, questionsAt, type Definitions, type Question } from './questions'

/** Names of an object or a list that holds the answers; the more telling ones first */
const CONTAINERS = [
  'answers', 'responses', 'questions', 'ordered_human_fields', 'human_fields', 'form_fields', 'fields', 'submissions',
  'named_values', 'form_response', 'form_data', 'properties', 'inputs', 'values', 'data', 'payload', 'user_inputs',
  'item_meta', 'pages', 'sections', 'steps', 'controls', 'elements', 'components',
  // Forms have fields of these names, too: they hold the answers only where all beside them is machinery.
  'submission', 'response', 'entry', 'params', 'record', 'result', 'results', 'request', 'raw_request', 'body', 'event',
  'content', 'form', 'attributes', 'item', 'object',
]
const RANKS = new Map(CONTAINERS.map((name, rank) => [name, rank]))
const FIRST_COMMON = RANKS.get('submission')!

/** Names of objects and lists that nobody answers */
const NOT_ANSWERS = new RegExp(`(?:^|_)(?:${[
  'hidden', 'variables?', 'calculat\\w+', 'meta\\w*', 'url_parameters', 'query', 'headers', 'utm', 'ttc', 'schema',
  'definition', 'documents', 'quiz', 'tags', 'options', 'choices', 'context', 'old', 'previous', 'raw',
].join('|')})(?:_|$)`)

/**
 * List that Netlify makes of a form's fields, as all that stands beside it:
 * https://docs.netlify.com/manage/forms/notifications/
 */
const NETLIFY_FIELDS = 'ordered_human_fields'

/** Levels at which answers are looked for. Providers have them on the third at most. */
const MAX_DEPTH = 5

/** Containers that are tried on one level. Providers have three at most. */
const MAX_CONTAINERS = 10

interface Member { key: string, value: unknown }

interface Shaped extends Reading {
  /** True if the answers are in a list of questions, which is certain */
  hasQuestions: boolean
}

/** Reads a body whose answers are inside an envelope, or in a list of questions. Null for any other. */
export function readShape(data: object): Reading | null {
  let cachedDefinitions: Definitions | undefined
  const definitions = () => cachedDefinitions ??= definitionsIn(data)
  const questions = questionsAt(data, definitions)
  if (questions && areQuestions(questions)) return readQuestions(questions, [])
  return readEnvelope(data, [], definitions, 0) ?? readDefined(data, definitions)
}

/** True for questions; false for chosen options, which are `{ label: 'Basic', value: 'basic' }`, too. */
function areQuestions(questions: readonly Question[]): boolean {
  return questions.length >= 2 && questions.every(({ label, name, value }) => label !== name && !isOption(label, value))
}

function readEnvelope(object: object, path: Path, definitions: () => Definitions, depth: number): Shaped | null {
  if (depth > MAX_DEPTH) return null
  const members = Object.entries(object).map(([key, value]): Member => ({ key, value }))
  const containers = containersOf(members)
  for (const member of containers) {
    const questions = questionsAt(member.value, definitions)
    if (questions) return withBeside(readQuestions(questions, [...path, member.key]), member, members, path)
  }
  for (const member of containers) {
    const inner = objectIn(member.value)
    if (!inner) continue
    const innerPath = [...path, member.key, ...inner.path]
    const shaped = readEnvelope(inner.object, innerPath, definitions, depth + 1)
    const labels = labelsOf(inner.object, definitions)
    const reading = shaped ?? { ...readFlat(inner.object, innerPath, labels, true), hasQuestions: false }
    const beside = members.filter(each => each !== member)
    const isOfProviderHere = beside.some(({ key, value }) => isMark(key, value))
      || (beside.length === 0 && (isOfProvider(inner.object) || isCode(inner.object.id)))
    const isEnvelope = areBeside(beside, reading) && (shaped !== null || isOfProviderHere)
    const isTelling = rankOf(member.key)! < FIRST_COMMON && isOfProvider(object)
    if (shaped?.hasQuestions || isEnvelope || isTelling) return withBeside(reading, member, members, path)
  }
  return null
}

/** Members that may hold the answers, the most telling name first */
function containersOf(members: readonly Member[]): Member[] {
  const ranked = members.flatMap((member) => {
    const rank = isBranch(member.value) || jsonOf(member.value) ? rankOf(member.key) : undefined
    return rank === undefined ? [] : [{ member, rank }]
  })
  return ranked.sort((a, b) => a.rank - b.rank).slice(0, MAX_CONTAINERS).map(({ member }) => member)
}

/** Place among the names of containers; undefined for any other name. */
function rankOf(key: string): number | undefined {
  const name = wordsOf(key).replace(/_json$/, '')
  if (NOT_ANSWERS.test(name)) return RANKS.get(name)
  const words = name.split('_')
  return words.map((_, index) => RANKS.get(words.slice(index).join('_'))).find(rank => rank !== undefined)
}

/** The object itself, the only one of a list, or the one that a text holds as JSON */
function objectIn(value: unknown): { object: Record<string, unknown>, path: Path } | undefined {
  const branch = isBranch(value) ? value : jsonOf(value)!
  const path: Path = isBranch(value) ? [] : [PARSED]
  const only: unknown = Array.isArray(branch) && branch.length === 1 ? branch[0] : branch
  return isObject(only) ? { object: only, path: only === branch ? path : [...path, 0] } : undefined
}

/** True if everything beside the answers is machinery or repeats them. Beside other machinery, `name` is the form's. */
function areBeside(members: readonly Member[], reading: Reading): boolean {
  const others = members.filter(({ key, value }) => !isBesideAnswers(key, value))
  const knownCount = members.filter(({ key, value }) => !isBlank(value) && isBesideAnswers(key, value)).length
  const texts = others.length > 0 ? answeredTexts(reading) : new Set<string>()
  return others.every(({ key, value }) => (
    (knownCount >= 2 && /^(?:name|title|label)$/i.test(key)) || isCopy(key, value, texts)
  ))
}

/** Adds what stands beside the answers: machinery as technical values, and anything else as answers in their order. */
function withBeside(reading: Shaped, member: Member, members: readonly Member[], path: Path): Shaped {
  const beside = members.filter(each => each !== member)
  const texts = beside.length > 0 ? answeredTexts(reading) : new Set<string>()
  const isAllMachinery = member.key === NETLIFY_FIELDS || areBeside(beside, reading)
  const repeatedCount = new Set(beside.map(({ value }) => value).filter(value => texts.has(textOf(value)))).size
  const isToldTwice = repeatedCount >= 2 && 2 * repeatedCount >= reading.answers.length
  const isTechnical = ({ key, value }: Member) => isAllMachinery || isBesideAnswers(key, value) || isCopy(key, value, texts)
    || (isToldTwice && textOf(value).length > 3 && texts.has(textOf(value)))
  return {
    answers: members.flatMap((each) => {
      if (each === member) return reading.answers
      return isTechnical(each) ? [] : [answerAt([...path, each.key], each.key, each.value)]
    }),
    technical: [
      ...reading.technical,
      ...beside.filter(isTechnical).map(({ key, value }) => technicalAt([...path, key], value)),
    ],
    hasQuestions: reading.hasQuestions,
  }
}

/** Texts of all answers, and of what is inside of them */
function answeredTexts({ answers }: Reading): Set<string> {
  return new Set(leavesOf(answers.map(({ value }) => value)).map(textOf))
}

/** True for a list or an object that repeats the answers, their questions, or the contact that they describe. */
function isCopy(key: string, value: unknown, texts: ReadonlySet<string>): boolean {
  if (!isBranch(value)) return false
  const leaves = leavesOf(value).filter(leaf => !isBlank(leaf)).map(textOf)
  return leaves.every(text => texts.has(text)) || (rankOf(key) !== undefined && areDefinitions(value))
    || (wordsOf(key) === 'contact' && leaves.some(text => text.includes('@') && texts.has(text)))
}

/** All values that are no list or object, also inside of them */
function leavesOf(value: unknown, leaves: unknown[] = []): unknown[] {
  if (!isBranch(value)) leaves.push(value)
  else for (const each of Object.values(value)) leavesOf(each, leaves)
  return leaves
}

function textOf(leaf: unknown): string {
  return typeof leaf === 'string' ? leaf : JSON.stringify(leaf) ?? ''
}

function readQuestions(questions: readonly Question[], path: Path): Shaped {
  const answers: Answer[] = []
  const technical: Answer[] = []
  for (const { label, path: rest, value, name = '', isAnswered, choices, isEmail } of questions) {
    const answer = answerAt([...path, ...rest], label, value, { ...choices && { choices }, ...isEmail && { isEmail } })
    if (!isAnswered) technical.push({ ...technicalAt([...path, ...rest], value), label })
    else if (isMachineQuestion(name) || isMachineQuestion(label)) technical.push(answer)
    else answers.push(answer)
  }
  return { answers, technical, hasQuestions: true }
}

/** Questions whose ids are the keys of the object, if they are for most of its values */
function labelsOf(object: object, definitions: () => Definitions): Definitions | undefined {
  const keys = Object.entries(object).filter(([key, value]) => !isBranch(value) && !isBesideAnswers(key, value))
  const definedCount = keys.filter(([key]) => definitions().has(key)).length
  return definedCount > 0 && 2 * definedCount >= keys.length ? definitions() : undefined
}

/** Reads an object whose keys are the ids of questions, which stand beside the answers. */
function readDefined(data: object, definitions: () => Definitions): Reading | null {
  const members = Object.entries(data)
  const labels = members.some(([, value]) => isBranch(value) || jsonOf(value)) ? labelsOf(data, definitions) : undefined
  if (!labels) return null
  const { answers, technical } = readFlat(data, [], labels)
  const isDefinition = (key: string) => rankOf(key) !== undefined && !labels.has(key)
  return {
    answers: answers.filter(({ key, value }) => !isBranch(value) || !isDefinition(key)),
    technical: [...answers.filter(({ key, value }) => isBranch(value) && isDefinition(key)), ...technical],
  }
}
