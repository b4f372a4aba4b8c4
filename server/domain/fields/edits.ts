import { fieldTypeOf, isFileField } from '../../../shared/field-types/field-types'
import { english, type Texts } from '../../../shared/texts'
import type { EditInput } from '../../ports/board'
import type { FieldRule } from '../../ports/field-rules'
import type { SubmissionData } from '../../ports/submission'
import type { Edit } from '../lifecycle/events'
import { digest } from '../lifecycle/record'
import { isNumber, parseJson } from '../json'
import type { Answer } from './answers'
import { withValueAt, type Path } from './paths'
import { readingOf } from './reading'
import { parseTyped, pathFor, problemOf, ruleFor, type Rules } from './rules'
import { editText, fieldText, parseLines } from './values'

const UNKNOWN_FIELD = 'This submission has no such field.'

/** One input per answer. Ids are positions, because keys may be empty, long or repeated after cutting. */
export function editInputs(data: SubmissionData | null, rules: Rules = {}): EditInput[] {
  return readingOf(data).answers.map((answer, position) => {
    const rule = ruleFor(answer, rules)
    const { key, label } = answer
    const input = { id: `f${position}`, key, label: label.toWellFormed(), value: inputText(answer, rule) }
    return rule.type && isOffered(input.value, rule) ? { ...input, rule } : input
  })
}

/**
 * Text of an input: for a checkbox its meaning, since it may be sent as `on` or `yes`; for several choices one a line,
 * in the order of the options, because inputs lose the order in which they were sent; otherwise the value as text.
 */
function inputText(answer: Pick<Answer, 'value' | 'choices'>, rule: FieldRule): string {
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

/** Hash by which an input's text is recognised */
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
 * Applies the texts that a reviewer typed to the data. Fields that were not offered or not touched keep value and type;
 * a touched number, boolean or JSON keeps its type as long as the new text still is one. A touched field must follow
 * the form's rule.
 *
 * @param typedTexts by input id; inputs that were not offered are absent
 * @param marks hashes of what a platform's form showed, possibly from older data: a text that still matches was not
 * touched. Such a form may send more than its inputs; other callers may not
 * @returns the edit, or an error text per input id
 */
export function applyEdits(
  data: SubmissionData, typedTexts: Readonly<Record<string, string>>, rules: Rules = {}, marks?: Marks,
  texts = english,
): Edit | { errors: Record<string, string> } {
  const { answers } = readingOf(data)
  const ids = new Set(answers.map((_, position) => `f${position}`))
  const unknownIds = marks ? [] : Object.keys(typedTexts).filter(id => !ids.has(id))
  const errors = Object.fromEntries(unknownIds.map(id => [id, UNKNOWN_FIELD]))
  const changes: { answer: Answer, path: Path, value: unknown }[] = []
  for (const [position, answer] of answers.entries()) {
    const id = `f${position}`
    const typedText = Object.hasOwn(typedTexts, id) ? typedTexts[id] : undefined
    const rule = ruleFor(answer, rules)
    const text = inputText({ value: typedText ?? '' }, rule)
    const isKept = typedText === undefined || comparable(text) === comparable(inputText(answer, rule))
      || markOf(text) === marks?.get(id)
    if (isKept) continue
    const result = rule.type ? parseByRule(typedText, rule, texts) : reviveLike(answer, typedText, texts)
    if ('error' in result) errors[id] = result.error
    else changes.push({ answer, path: pathFor(answer, rule), value: result.value })
  }
  if (Object.keys(errors).length > 0) return { errors }
  return {
    data: changes.reduce((changed, { path, value }) => (
      withValueAt(changed, path, value) as SubmissionData
    ), data),
    edited: changes.map(({ answer: { key } }) => key),
  }
}

/** Chat platforms normalise line ends, trim, and drop control characters: that is not an edit. */
function comparable(text: string): string {
  // eslint-disable-next-line no-control-regex
  return text.toWellFormed().replace(/\r\n?/g, '\n').replace(/[\u0000-\u0008\u000B-\u001F\u007F]/g, '').trim()
}

function parseByRule(typedText: string, rule: FieldRule, texts: Texts): { value: unknown } | { error: string } {
  const value = parseTyped(typedText, rule)
  const fault = problemOf(value, rule)
  return fault ? { error: texts(`field.${fault.problem}`, { limit: String(fault.limit) }) } : { value }
}

/** Reads a typed text as a value like the one that was sent. */
function reviveLike(
  { value: original, choices }: Answer, typedText: string, texts: Texts,
): { value: unknown } | { error: string } {
  if (typeof original === 'string' || original === null) return { value: idOf(typedText, choices) }
  const lines = parseLines(original, typedText)
  if (lines) return { value: Array.isArray(lines) ? lines.map(line => idOf(line, choices)) : lines }
  const parsedValue = tryParseJson(typedText)
  if (isNumber(original)) return { value: isNumber(parsedValue) ? parsedValue : typedText }
  if (typeof original !== 'object') return { value: typeof parsedValue === typeof original ? parsedValue : typedText }
  if (typeof parsedValue === 'object' && parsedValue !== null && !isNumber(parsedValue)
    && Array.isArray(parsedValue) === Array.isArray(original)) return { value: parsedValue }
  return {
    error: Array.isArray(original)
      ? texts('card.modal.badList', { example: '["a", "b"]' })
      : texts('card.modal.badObject', { example: '{"a": 1}' }),
  }
}

/** Id of the choice with this text; the text itself if there is none */
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
