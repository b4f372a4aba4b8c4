import { isObject } from '../json'
import { answerAt, isOption, readFlat, technicalAt, type Answer, type Reading } from './answers'
import { isBesideAnswers, isCode, isMachineQuestion, isMark, isOfProvider, machineryOf, snakeCase } from './machinery'
import { isBranch, jsonOf, PARSED, type Path } from './paths'
import { isRepetition } from './readers/repetitions'
import { areDefinitions, definitionsIn, questionsAt, type Definitions, type Question } from './questions'

/** Names of the object or list that contains the answers, likeliest first */
const CONTAINERS = [
  'answers', 'responses', 'questions', 'ordered_human_fields', 'human_fields', 'form_fields', 'fields', 'submissions',
  'named_values', 'form_response', 'form_data', 'properties', 'inputs', 'values', 'data', 'payload', 'user_inputs',
  'item_meta', 'pages', 'sections', 'steps', 'controls', 'elements', 'components',
  // Forms also have fields with these names. They contain the answers only if all members next to them are technical.
  'submission', 'response', 'entry', 'params', 'record', 'result', 'results', 'request', 'raw_request', 'body', 'event',
  'content', 'form', 'attributes', 'item', 'object',
]
const RANKS = new Map(CONTAINERS.map((name, rank) => [name, rank]))
const FIRST_COMMON = RANKS.get('submission')!

/** Names of objects and lists that contain no answers */
const NOT_ANSWERS = new RegExp(`(?:^|_)(?:${[
  'hidden', 'variables?', 'calculat\\w+', 'meta\\w*', 'url_parameters', 'query', 'headers', 'utm', 'ttc', 'schema',
  'definition', 'documents', 'quiz', 'tags', 'options', 'choices', 'context', 'old', 'previous', 'raw',
].join('|')})(?:_|$)`)

/** Max levels to search for answers. Providers send them on the third level at most. */
const MAX_DEPTH = 5

/** Max containers to try on one level. Providers send three at most. */
const MAX_CONTAINERS = 10

interface Member { key: string, value: unknown, rank?: number }

interface Shaped extends Reading {
  /** True if the answers are in a list of questions; then there is no doubt about them. */
  hasQuestions: boolean
}

/** Reads a body that has its answers inside of an envelope, or in a list of questions. Null for any other body. */
export function readShape(data: object): Reading | null {
  const isFlat = !Object.values(data).some(value => isBranch(value) || jsonOf(value))
  if (isFlat) return null
  let cachedDefinitions: Definitions | undefined
  const definitions = () => cachedDefinitions ??= definitionsIn(data)
  const questions = questionsAt(data, definitions)
  if (questions && areQuestions(questions)) return readQuestions(questions, [])
  return readEnvelope(data, [], definitions, 0) ?? readDefined(data, definitions)
}

/** True for questions; false for chosen options, which look alike: `{ label: 'Basic', value: 'basic' }`. */
function areQuestions(questions: readonly Question[]): boolean {
  return questions.length >= 2 && questions.every(({ label, name, value }) => (
    label !== name && typeof value !== 'number' && !isCode(value) && !isOption(label, value)
  ))
}

function readEnvelope(object: object, path: Path, definitions: () => Definitions, depth: number): Shaped | null {
  if (depth > MAX_DEPTH) return null
  const members = membersOf(object)
  const containers = members.filter(({ rank }) => rank !== undefined).sort((a, b) => a.rank! - b.rank!)
    .slice(0, MAX_CONTAINERS)
  if (containers.length === 0) return null
  const machinery = new Set(members.filter(({ key, value }) => isBesideAnswers(key, value)))
  const marks = members.filter(({ key, value }) => isMark(key, value))
  const isProvider = isOfProvider(object)
  for (const member of containers) {
    const questions = questionsAt(member.value, definitions)
    if (!questions) continue
    // Without a sign of a provider, the members next to the list are a website's own fields, such as `score`.
    const isOwnForm = depth === 0 && !marks.some(each => each !== member)
    const proofs = machineryOf(object, false)
    const folded = isOwnForm ? new Set(members.filter(({ key }) => proofs.has(key))) : machinery
    return withBeside(readQuestions(questions, [...path, member.key]), member, members, path, folded)
  }
  for (const member of containers) {
    const inner = objectIn(member.value)
    if (!inner) continue
    const innerPath = [...path, member.key, ...inner.path]
    const shaped = readEnvelope(inner.object, innerPath, definitions, depth + 1)
    const labels = labelsOf(inner.object, definitions)
    const reading = shaped ?? { ...readFlat(inner.object, innerPath, labels, true), hasQuestions: false }
    const isMarked = marks.some(each => each !== member)
      || (members.length === 1 && (isOfProvider(inner.object) || isCode(inner.object.id)))
    const isEnvelope = (shaped !== null || isMarked) && areBeside(members, member, machinery, reading)
    const isTelling = isProvider && member.rank! < FIRST_COMMON
    if (shaped?.hasQuestions || isEnvelope || isTelling) return withBeside(reading, member, members, path, machinery)
  }
  return null
}

function membersOf(object: object): Member[] {
  return Object.entries(object).map(([key, value]: [string, unknown]) => (
    { key, value, rank: isBranch(value) || jsonOf(value) ? rankOf(key) : undefined }
  ))
}

/** Returns the position in `CONTAINERS`; undefined for any other name. */
function rankOf(key: string): number | undefined {
  const name = snakeCase(key).replace(/_json$/, '')
  if (NOT_ANSWERS.test(name)) return RANKS.get(name)
  // Names of containers have three words at most.
  const words = name.split('_').slice(-3)
  return words.map((_, index) => RANKS.get(words.slice(index).join('_'))).find(rank => rank !== undefined)
}

/** Returns the object itself, the single object of a list, or the object in a text with JSON. */
function objectIn(value: unknown): { object: Record<string, unknown>, path: Path } | undefined {
  const branch = isBranch(value) ? value : jsonOf(value)!
  const path: Path = isBranch(value) ? [] : [PARSED]
  const only: unknown = Array.isArray(branch) && branch.length === 1 ? branch[0] : branch
  return isObject(only) ? { object: only, path: only === branch ? path : [...path, 0] } : undefined
}

/** True if all other members are technical or repeat the answers. Next to two technical ones, `name` is one, too. */
function areBeside(
  members: readonly Member[], answered: Member, machinery: ReadonlySet<Member>, reading: Reading,
): boolean {
  const knownCount = machinery.size - (machinery.has(answered) ? 1 : 0)
  const labels = labelsIn(reading)
  return members.every(member => member === answered || machinery.has(member)
    || (knownCount >= 2 && /^(?:name|title|label)$/i.test(member.key)) || isCopy(member, answered, labels))
}

/** Adds the members next to the answers: as technical values, or else as answers, in the order of the body. */
function withBeside(
  reading: Shaped, answered: Member, members: readonly Member[], path: Path, machinery: ReadonlySet<Member>,
): Shaped {
  const isAllMachinery = areBeside(members, answered, machinery, reading)
  const labels = labelsIn(reading)
  const isTechnical = (member: Member) => (
    isAllMachinery || machinery.has(member) || isCopy(member, answered, labels)
  )
  const beside = members.filter(each => each !== answered)
  return {
    answers: members.flatMap((each) => {
      if (each === answered) return reading.answers
      return isTechnical(each) ? [] : [answerAt([...path, each.key], each.key, each.value)]
    }),
    technical: [
      ...reading.technical,
      ...beside.filter(isTechnical).map(({ key, value }) => technicalAt([...path, key], value)),
    ],
    hasQuestions: reading.hasQuestions,
  }
}

function labelsIn({ answers, technical }: Reading): ReadonlySet<string> {
  return new Set([...answers, ...technical].map(({ label }) => label))
}

/**
 * True for a list or an object that repeats the answers, or their questions. Compares names, not values, so that an
 * edit does not change the result.
 */
function isCopy({ key, value, rank }: Member, answered: Member, labels: ReadonlySet<string>): boolean {
  if (isRepetition(key, value, answered.key)) return true
  if (rank === undefined || !isBranch(value)) return false
  if (Array.isArray(value)) return areDefinitions(value) || (key === 'values' && value.length === labels.size)
  return Object.keys(value).every(each => labels.has(each))
}

function readQuestions(questions: readonly Question[], path: Path): Shaped {
  const answers: Answer[] = []
  const technical: Answer[] = []
  for (const { label, path: rest, value, name = '', isAnswered, choices: options, isEmail, more } of questions) {
    // Show null as an empty text, because nobody answered. In a form's own field, null is shown.
    const choices = value === null ? new Map([...options ?? [], ['null', '']]) : options
    const isYesNo = typeof value === 'boolean' && !choices?.has(String(value))
    const answer = answerAt([...path, ...rest], label, value, {
      ...choices && { choices }, ...isEmail && { isEmail }, ...isYesNo && { isYesNo },
    })
    const pathOf = (key: string) => [...path, ...rest.slice(0, -1), key]
    const isCopyOfAnswer = ([key]: Question['more'][number]) => snakeCase(key) === 'raw_value'
    const copies = more.filter(isCopyOfAnswer).map(([key, each]) => ({ ...technicalAt(pathOf(key), each), label }))
    const moreAnswers = more.filter(each => !isCopyOfAnswer(each)).map(
      ([key, each]) => answerAt(pathOf(key), `${label}: ${key}`, each),
    )
    // With the label of the answer, a copy is shown on cards if it contradicts the answer.
    technical.push(...copies)
    if (!isAnswered) technical.push({ ...technicalAt([...path, ...rest], value), label })
    else if (isMachineQuestion(name) || isMachineQuestion(label)) technical.push(answer, ...moreAnswers)
    else answers.push(answer, ...moreAnswers)
  }
  return { answers, technical, hasQuestions: true }
}

/** Returns the questions if at least half of the object's answers have a question's id as key. */
function labelsOf(object: object, definitions: () => Definitions): Definitions | undefined {
  const keys = Object.entries(object).filter(([key, value]) => !isBranch(value) && !isBesideAnswers(key, value))
  const definedCount = keys.filter(([key]) => definitions().has(key)).length
  return definedCount > 0 && 2 * definedCount >= keys.length ? definitions() : undefined
}

/**
 * Reads an object that has answers by question id, and the questions next to them. Ignores the choices of the
 * questions: a visitor could add false ones, and cards would then show another value than the endpoint gets.
 */
function readDefined(data: object, definitions: () => Definitions): Reading | null {
  const definitionsOfKeys = labelsOf(data, definitions)
  if (!definitionsOfKeys) return null
  const labels = new Map([...definitionsOfKeys].map(([id, { label, isEmail }]) => [id, { label, isEmail }]))
  const { answers, technical } = readFlat(data, [], labels)
  return {
    answers: answers.filter(({ value }) => !areDefinitions(value)),
    technical: [...answers.filter(({ value }) => areDefinitions(value)), ...technical],
  }
}
