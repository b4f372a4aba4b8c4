import { fieldTypeOf, isFileField } from '../../../shared/field-types/field-types'
import { english, type Texts } from '../../../shared/texts'
import { cut } from '../../../shared/utils/text'
import type { EditInput } from '../../ports/board'
import type { FieldRule } from '../../ports/field-rules'
import type { SubmissionData } from '../../ports/submission'
import type { Edit } from '../lifecycle/events'
import { digest } from '../lifecycle/record'
import { isNumber, parseJson } from '../json'
import type { Answer, AnswerContent } from './answers'
import { isBranch, withChanges, type Change } from './paths'
import { readingOf, type ReadingSettings } from './reading'
import { parseTyped, pathFor, problemOf, ruleFor } from './rules'
import { editText, fieldText, hasLines, parseLines } from './values'

/** Max length of the member names in an error, characters */
const MAX_NAMES = 200

const UNKNOWN_FIELD = 'This submission has no such field.'

/** One input per answer */
export function editInputs(data: SubmissionData | null, settings: ReadingSettings = {}): EditInput[] {
  const { answers } = readingOf(data, settings)
  const ids = inputIds(answers, data)
  return answers.map((answer, position) => {
    const rule = ruleFor(answer, settings.fields)
    const { key, label } = answer
    const input = { id: ids[position]!, key, label: label.toWellFormed(), value: inputText(answer, rule) }
    const offeredRule = rule.type ? rule : choiceRule(answer)
    return offeredRule && isOffered(input.value, offeredRule) ? { ...input, rule: offeredRule } : input
  })
}

/** Min input number for a nested value. A body has fewer fields, so the numbers of fields stay below it. */
const FIRST_INNER = 2 ** 20

/**
 * Returns the ids of inputs: the position of the field in the data or, for a nested value, a number made from its path.
 * Ids do not depend on form settings, because these may change while somebody has the edit form open.
 */
function inputIds(answers: readonly Answer[], data: SubmissionData | null): string[] {
  const positions = new Map(Object.keys(data ?? {}).map((key, position) => [key, position]))
  const numbers = new Set<number>()
  for (const { key, path } of answers) {
    const innerNumber = () => FIRST_INNER + parseInt(digest(JSON.stringify(path.map(String))).slice(0, 8), 16)
    let number = key === path[0] ? positions.get(key)! : innerNumber()
    while (numbers.has(number)) number++
    numbers.add(number)
  }
  return [...numbers].map(number => `f${number}`)
}

/** Max choices in a select, and max length of each choice, characters; limits of Slack */
const [MOST_OPTIONS, LONGEST_OPTION] = [100, 75]

/** Returns a rule with the choices sent with the answer; undefined if there are none, or several can be chosen. */
function choiceRule({ value, choices }: Answer): FieldRule | undefined {
  const options = [...new Set(choices?.values())]
  const isListed = options.length <= MOST_OPTIONS && options.every(option => (
    option !== '' && option.length <= LONGEST_OPTION && !option.includes('\n') && option === comparable(option)
  ))
  return !isBranch(value) && options.length > 0 && isListed ? { type: 'select', options } : undefined
}

/**
 * Returns the text of an input. A checkbox has a normalized value, since it may be sent as `on` or `yes`. Several
 * choices have one line each, in the order of the options, because inputs do not keep the sent order.
 */
function inputText(answer: AnswerContent, rule: FieldRule): string {
  const { kind } = fieldTypeOf(rule).input
  const choices = kind === 'choices' ? parseTyped(answer.value, rule) : undefined
  if (Array.isArray(choices) && choices.every(choice => rule.options!.includes(choice as string))) {
    return rule.options!.filter(option => choices.includes(option)).join('\n')
  }
  const text = editText(answer)
  return kind === 'tick' ? fieldText(parseTyped(text, rule)) : text
}

/** Hashes of values, by input id */
export type Marks = ReadonlyMap<string, string>

/** Returns a hash that shows later if the text of an input was changed. */
export function markOf(text: string): string {
  return digest(comparable(text)).slice(0, 8)
}

/** True if an input of this type can show the value; any other value is edited as plain text. */
function isOffered(text: string, rule: FieldRule): boolean {
  if (isFileField(rule)) return false
  const fault = problemOf(parseTyped(text, rule), rule)
  return !fault || fault.problem === 'required'
}

/**
 * Applies a reviewer's typed texts to the data. Fields without an input, and unchanged ones, keep value and type. A
 * changed number, boolean or JSON keeps its type if the new text fits that type. A changed field must follow the form's
 * rule.
 *
 * @param typedTexts by input id; a field without an input is absent
 * @param marks hashes of the texts that a platform's form showed, possibly from older data: a text that still matches
 * is unchanged. Such a form may send unknown input ids; other callers may not
 * @returns the edit, or an error text per input id
 */
export function applyEdits(
  data: SubmissionData, typedTexts: Readonly<Record<string, string>>, settings: ReadingSettings = {}, marks?: Marks,
  texts = english,
): Edit | { errors: Record<string, string> } {
  const { answers } = readingOf(data, settings)
  const ids = inputIds(answers, data)
  const knownIds = new Set(ids)
  // A form from a previous version of this service may have other inputs.
  const isForeign = (id: string) => marks?.has(id) === false || markOf(typedTexts[id]!) === marks?.get(id)
  const unknownIds = Object.keys(typedTexts).filter(id => !knownIds.has(id) && !isForeign(id))
  const errors = Object.fromEntries(unknownIds.map(id => [id, UNKNOWN_FIELD]))
  const changes: (Change & { key: string })[] = []
  for (const [position, answer] of answers.entries()) {
    const id = ids[position]!
    const typedText = Object.hasOwn(typedTexts, id) ? typedTexts[id] : undefined
    const rule = ruleFor(answer, settings.fields)
    const text = inputText({ value: typedText ?? '' }, rule)
    const isKept = typedText === undefined || comparable(text) === comparable(inputText(answer, rule))
      || markOf(text) === marks?.get(id)
    if (isKept) continue
    const result = rule.type ? parseByRule(typedText, rule, texts) : reviveLike(answer, typedText, texts)
    if ('error' in result) errors[id] = result.error
    else changes.push({ key: answer.key, path: pathFor(answer, rule), value: result.value })
  }
  if (Object.keys(errors).length > 0) return { errors }
  return {
    data: withChanges(data, changes) as SubmissionData,
    edited: changes.map(({ key }) => key),
  }
}

/** Removes differences that are not edits: chat platforms normalise line ends, trim, and drop control characters. */
function comparable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '').trim()
}

function parseByRule(typedText: string, rule: FieldRule, texts: Texts): { value: unknown } | { error: string } {
  const value = parseTyped(typedText, rule)
  const fault = problemOf(value, rule)
  return fault ? { error: texts(`field.${fault.problem}`, { limit: String(fault.limit) }) } : { value }
}

/** Parses a typed text as a value of the same type as the original. */
function reviveLike(answer: Answer, typedText: string, texts: Texts): { value: unknown } | { error: string } {
  const { value: original, choices } = answer
  const text = isBranch(original) ? typedText : idOf(typedText, choices)
  if (typeof original === 'string' || original === null) return { value: text }
  const parsedValue = tryParseJson(text)
  if (isNumber(original)) return { value: isNumber(parsedValue) ? parsedValue : text }
  if (!isBranch(original)) return { value: typeof parsedValue === typeof original ? parsedValue : text }
  const isSameKind = isBranch(parsedValue) && Array.isArray(parsedValue) === Array.isArray(original)
  if (isSameKind) return { value: parsedValue }
  if (hasLines(answer)) {
    const value = parseLines(answer, typedText)
    const names = cut(Object.keys(original).join(', '), MAX_NAMES)
    return value === undefined ? { error: texts('card.modal.badLines', { names }) } : { value }
  }
  return {
    error: Array.isArray(original)
      ? texts('card.modal.badList', { example: '["a", "b"]' })
      : texts('card.modal.badObject', { example: '{"a": 1}' }),
  }
}

/** Returns the id of the choice with this text; the text itself if there is none. */
function idOf(text: string, choices: Answer['choices']): string {
  return [...choices ?? []].find(([, label]) => label === text.trim())?.[0] ?? text
}

function tryParseJson(text: string): unknown {
  try {
    return parseJson(text)
  }
  catch {
    return undefined
  }
}
