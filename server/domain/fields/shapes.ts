import { isObject } from '../json'
import { answerAt, readFlat, type Answer, type Reading } from './answers'
import { isBesideAnswers, wordsOf } from './machinery'
import { isBranch, jsonOf, PARSED, writtenPath, type Path } from './paths'
import { definitionsIn, questionsAt, type Definitions, type Question } from './questions'

/** Names of an object or a list that holds the answers; the more telling ones first */
const CONTAINERS = [
  'answers', 'responses', 'questions', 'ordered_fields', 'human_fields', 'form_fields', 'fields', 'submissions',
  'named_values', 'form_response', 'submission', 'response', 'entry', 'form_data', 'properties', 'inputs', 'values',
  'data', 'payload', 'params', 'record', 'result', 'results', 'request', 'raw_request', 'body', 'event', 'content',
  'form', 'attributes', 'item', 'object',
]

/** Names of lists of questions that nobody answers */
const NOT_ANSWERS = new RegExp(`(?:^|_)(?:${[
  'hidden', 'variables?', 'calculat\\w+', 'meta\\w*', 'url_parameters', 'query', 'headers', 'utm', 'ttc', 'schema',
  'definition', 'documents', 'quiz', 'tags', 'options', 'choices', 'context',
].join('|')})(?:_|$)`)

/** Levels at which answers are looked for. Providers have them on the third at most. */
const MAX_DEPTH = 5

interface Member { key: string, value: unknown, rank: number }

/** Reads a body whose answers are inside an envelope, or in a list of questions. Null for any other. */
export function readShape(data: object): Reading | null {
  let cachedDefinitions: Definitions | undefined
  const definitions = () => cachedDefinitions ??= definitionsIn(data)
  return readEnvelope(data, [], definitions, 0)
}

function readEnvelope(object: object, path: Path, definitions: () => Definitions, depth: number): Reading | null {
  if (depth > MAX_DEPTH || !isObject(object)) return null
  const members = Object.entries(object).map(([key, value]): Member => ({ key, value, rank: rankOf(key) }))
  const containers = members.filter(({ value, rank }) => rank < CONTAINERS.length && (isBranch(value) || jsonOf(value)))
    .sort((a, b) => a.rank - b.rank)
  for (const member of containers) {
    const questions = questionsAt(member.value, { definitions })
    if (!questions) continue
    const reading = readQuestions(questions, [...path, member.key], members.filter(each => each !== member), path)
    if (reading) return reading
  }
  for (const member of containers) {
    const value = isBranch(member.value) ? member.value : jsonOf(member.value)!
    const innerPath: Path = isBranch(member.value) ? [...path, member.key] : [...path, member.key, PARSED]
    if (Array.isArray(value) && value.length !== 1) continue
    const inner = Array.isArray(value) ? value[0] as unknown : value
    if (!isObject(inner)) continue
    const fullPath: Path = Array.isArray(value) ? [...innerPath, 0] : innerPath
    const beside = members.filter(each => each !== member)
    const innerReading = readEnvelope(inner, fullPath, definitions, depth + 1)
    const isEnvelope = areBeside(beside) && (innerReading !== null || beside.length > 0)
    if (!isEnvelope) continue
    const reading = innerReading ?? readFlat(inner, fullPath)
    return { ...reading, technical: [...reading.technical, ...beside.map(each => technicalAt(each, path))] }
  }
  return null
}

/** True if everything beside the answers is machinery. Beside other machinery, `name` is the name of the form. */
function areBeside(members: readonly Member[]): boolean {
  const others = members.filter(({ key, value }) => !isBesideAnswers(key, value))
  const hasMachinery = members.length - others.length >= 2
  return others.every(({ key }) => hasMachinery && /^(?:name|title|label)$/i.test(key))
}

function technicalAt({ key, value }: Member, path: Path): Answer {
  return { key: writtenPath([...path, key]), path: [...path, key], label: key, value }
}

/** Reads a list of questions. What stands beside it and is no machinery is an answer, too. */
function readQuestions(
  questions: readonly Question[], path: Path, beside: readonly Member[], besidePath: Path,
): Reading | null {
  const answers = questions.map(({ label, path: rest, value, ...facts }) => (
    answerAt([...path, ...rest], label, value, facts)
  ))
  const answered = new Set(answers.map(({ value }) => typeof value === 'object' ? value : String(value)))
  const isTechnical = ({ key, value }: Member) => (
    isBesideAnswers(key, value) || isBranch(value) || answered.has(String(value))
    || (areBeside(beside) && /^(?:name|title|label)$/i.test(key))
  )
  const further = beside.filter(each => !isTechnical(each))
  return {
    answers: [...answers, ...further.map(({ key, value }) => answerAt([...besidePath, key], key, value))],
    technical: beside.filter(isTechnical).map(each => technicalAt(each, besidePath)),
  }
}

/** Place among the names of containers; as many as there are for any other name. */
function rankOf(key: string): number {
  const name = wordsOf(key)
  if (NOT_ANSWERS.test(name)) return CONTAINERS.length
  const rank = CONTAINERS.findIndex(container => name === container || name.endsWith(`_${container}`))
  return rank < 0 ? CONTAINERS.length : rank
}
