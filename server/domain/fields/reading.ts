import type { Form } from '../../ports/form'
import type { SubmissionData } from '../../ports/submission'
import { answerAt, readFlat, type Answer, type AnswerNames, type Reading } from './answers'
import { isBranch } from './paths'
import { unfolded } from './php-names'
import { readElementor } from './readers/elementor'
import { readGravityForms } from './readers/gravity-forms'
import { readJotform } from './readers/jotform'
import { readShape } from './shapes'

/** Form settings that refer to answers, by path or by label */
export type ReadingSettings = Partial<Pick<Form, 'labels' | 'fields' | 'technical'>>

const readings = new WeakMap<object, Reading>()

/**
 * Reads the data of a submission, once. Takes time in proportion to its size.
 *
 * Form settings can change which values are technical. If they name a value inside of an answer, the answer is split:
 * each of its values becomes an answer.
 */
export function readingOf(
  data: SubmissionData | null, { labels = {}, fields = {}, technical: technicalNames = [] }: ReadingSettings = {},
): Reading {
  if (!data) return { answers: [], technical: [] }
  const sentReading = readings.get(data) ?? withOwnKeys(read(data))
  readings.set(data, sentReading)
  const shownNames = new Set([...Object.keys(labels), ...Object.keys(fields)])
  const foldedNames = new Set(technicalNames)
  if (shownNames.size === 0 && foldedNames.size === 0) return sentReading
  const { answers, technical, ...facts } = split(sentReading, [...shownNames, ...foldedNames])
  const isNamed = ({ key, label }: Answer, names: ReadonlySet<string>) => names.has(key) || names.has(label)
  const isFolded = (answer: Answer) => isNamed(answer, foldedNames)
  const isShown = (answer: Answer) => isNamed(answer, shownNames) && !isFolded(answer)
  return {
    ...facts,
    answers: [...answers.filter(each => !isFolded(each)), ...technical.filter(isShown)],
    technical: [...answers.filter(isFolded), ...technical.filter(each => !isShown(each))],
  }
}

/** Max values in a body to be analyzed. Forms have fewer; in a larger body, each member is an answer, unchanged. */
const MOST_VALUES = 5000

function read(data: SubmissionData): Reading {
  if (isVast(data)) {
    const answers = Object.entries(data).map(([key, value]): Answer => ({ key, path: [key], label: key, value }))
    return { answers, technical: [] }
  }
  const tree = unfolded(data)
  const shapedReading = tree && readShape(tree.data)
  if (shapedReading) return {
    answers: shapedReading.answers.flatMap(answer => tree.flat(answer)),
    technical: shapedReading.technical.flatMap(answer => tree.flat(answer)),
  }
  return readJotform(data) ?? readGravityForms(data) ?? readElementor(data) ?? readShape(data) ?? readFlat(data, [])
}

function isVast(data: object): boolean {
  const branches: object[] = [data]
  let count = 0
  for (const branch of branches) {
    count += Array.isArray(branch) ? branch.length : Object.keys(branch).length
    if (count > MOST_VALUES) return true
    branches.push(...Object.values(branch).filter(isBranch))
  }
  return false
}

/** Splits each answer that contains one of the named values, such as `customer` for `customer.email`. */
function split(reading: Reading, names: readonly string[]): Reading {
  const outerNames = new Set(names.flatMap((name) => {
    const steps = name.split('.')
    return steps.slice(1).map((_, index) => steps.slice(0, index + 1).join('.'))
  }))
  if (![...reading.answers, ...reading.technical].some(({ key }) => outerNames.has(key))) return reading
  const partsOf = (answer: Answer): Answer[] => {
    const { key, path, label, value } = answer
    if (!outerNames.has(key) || !isBranch(value)) return [answer]
    const isList = Array.isArray(value)
    return Object.entries(value).flatMap(([name, part]) => partsOf(answerAt(
      [...path, isList ? Number(name) : name], isList ? `${label} ${Number(name) + 1}` : name, part,
      { key: `${key}.${name}` },
    )))
  }
  return withOwnKeys(
    { ...reading, answers: reading.answers.flatMap(partsOf), technical: reading.technical.flatMap(partsOf) },
  )
}

/** Makes the keys of answers unique: a field `a.b`, and the value `b` inside of a field `a`, would share a key. */
function withOwnKeys({ answers, technical, ...facts }: Reading): Reading {
  const keys = new Set<string>()
  const withOwnKey = (answer: Answer): Answer => {
    let { key } = answer
    while (keys.has(key)) key += '*'
    keys.add(key)
    return key === answer.key ? answer : { ...answer, key }
  }
  // Keep the keys of flat fields: the endpoint and previous versions of this service use them.
  for (const { key, path } of [...answers, ...technical]) if (path[0] === key) keys.add(key)
  const withKey = (answer: Answer) => answer.path[0] === answer.key ? answer : withOwnKey(answer)
  return { ...facts, answers: answers.map(withKey), technical: technical.map(withKey) }
}

/** Returns the setting for an answer, found by the answer's path or label. */
export function settingOf<T>(
  { key, label }: AnswerNames, settings: Readonly<Record<string, T>>,
): T | undefined {
  const name = [key, label].find(each => Object.hasOwn(settings, each))
  return name === undefined ? undefined : settings[name]
}

/** Returns the answer for each name, a path or a label; undefined if there is none. */
export function answersNamed(names: readonly string[], data: SubmissionData | null): (Answer | undefined)[] {
  const reading = readingOf(data)
  const [{ byKey, byLabel }, parts] = [indexOf(reading), indexOf(split(reading, names))]
  return names.map(name => byKey.get(name) ?? parts.byKey.get(name) ?? byLabel.get(name))
}

type Index = Record<'byKey' | 'byLabel', ReadonlyMap<string, Answer>>

const indexes = new WeakMap<Reading, Index>()

/** Answers by path and by label; the first one if several have the same. */
function indexOf(reading: Reading): Index {
  const cachedIndex = indexes.get(reading)
  if (cachedIndex) return cachedIndex
  const all = [...reading.answers, ...reading.technical].toReversed()
  const index = {
    byKey: new Map(all.map(each => [each.key, each])), byLabel: new Map(all.map(each => [each.label, each])),
  }
  indexes.set(reading, index)
  return index
}

/** Returns the answer with this path or label. @param labels the form's own labels, which count after those sent */
export function answerNamed(
  name: string, data: SubmissionData | null, labels: Form['labels'] = {},
): Answer | undefined {
  const [answer] = answersNamed([name], data)
  const labelledName = answer ? undefined : Object.keys(labels).find(each => labels[each] === name)
  return labelledName === undefined ? answer : answersNamed([labelledName], data)[0]
}

/** Returns answers, then technical values, by a unique name: the label, or the path if another one has the label. */
export function namedAnswers(data: SubmissionData | null, settings?: ReadingSettings): Map<string, Answer> {
  const { answers, technical } = readingOf(data, settings)
  const named = new Map<string, Answer>()
  for (const answer of [...answers, ...technical]) {
    let name = named.has(answer.label) ? answer.key : answer.label
    while (named.has(name)) name += '*'
    named.set(name, answer)
  }
  return named
}
