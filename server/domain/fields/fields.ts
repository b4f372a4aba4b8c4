import { english, type Texts } from '../../../shared/texts'
import { cut, visible } from '../../../shared/utils/text'
import type { EmailField } from '../../ports/delivery'
import type { FieldRule } from '../../ports/field-rules'
import type { Form } from '../../ports/form'
import type { Field, Submission } from '../../ports/submission'
import { isObject } from '../json'
import { unwrapped, type Answer } from './answers'
import { isBlank, snakeCase } from './machinery'
import { valueAt } from './paths'
import { readingOf, settingOf } from './reading'
import { ruleFor } from './rules'
import { displayText, fieldText } from './values'

/** Keys of technical details on a card, and a value among them, characters */
const [MAX_TECHNICAL, MAX_CONTRADICTION] = [300, 80]

/**
 * Fields for people: answers under their labels, with values formatted by their types, then one field with the names
 * of the technical details.
 *
 * @param addFacts adds further facts about a value
 * @param most number of answers from which on they are left out
 */
export function readFields(
  submission: Submission, form: Pick<Form, 'labels' | 'fields' | 'technical'>, texts = english,
  addFacts?: (answer: Answer, rule: FieldRule) => Partial<EmailField>, most = Infinity,
): EmailField[] {
  const { answers, technical } = readingOf(submission.data, form)
  const fields = inOrder(answers, form.labels).slice(0, most).map((answer): EmailField => {
    const rule = ruleFor(answer, form.fields)
    return {
      label: visible(answer.label.toWellFormed()), value: visible(displayText(answer, rule, texts)),
      ...editOf(submission, answer, rule, texts), ...addFacts?.(answer, rule),
    }
  })
  return technical.length === 0 ? fields : [...fields, technicalField(answers, technical, texts)]
}

function technicalField(answers: readonly Answer[], technical: readonly Answer[], texts: Texts): Field {
  const contradictions = contradictionsIn(answers, technical)
  const names = technical.map(({ label }) => label.toWellFormed())
  const otherNames = names.filter(name => !contradictions.some(each => each.startsWith(`${name}: `)))
  const value = cut([...contradictions, ...otherNames].join(', '), MAX_TECHNICAL)
  return { label: texts('card.field.technical'), value: visible(value), edited: false }
}

/**
 * Technical values that contradict the answer of the same name, such as `data.email: bob@example.com`. Providers repeat
 * answers, and the endpoint may take either: nobody may hide a value behind another one.
 */
function contradictionsIn(answers: readonly Answer[], technical: readonly Answer[]): string[] {
  const textsByName = new Map<string, Set<string>>()
  for (const { label, value } of answers) {
    const name = snakeCase(label)
    textsByName.set(name, (textsByName.get(name) ?? new Set()).add(comparableText(value)))
  }
  const isContradiction = ([name, value]: readonly [string, unknown]) => (
    !isBlank(value) && textsByName.get(snakeCase(name))?.has(comparableText(value)) === false
  )
  return technical.filter(({ label }) => !OTHER_NAMES.test(snakeCase(label))).flatMap(({ label, value }) => {
    const members = isObject(value) ? Object.entries(value) : [[label, value] as const]
    return members.filter(isContradiction).map(([name, each]) => {
      const path = isObject(value) ? `${label}.${name}` : label
      return `${path.toWellFormed()}: ${cut(fieldText(each), MAX_CONTRADICTION)}`
    })
  })
}

/** Objects whose members have the names of other things: the form's own name, or the time that each answer took */
const OTHER_NAMES = /^(?:form|survey|quiz|ttc)$/

function comparableText(value: unknown): string {
  return fieldText(unwrapped(value).value).trim()
}

/** Puts answers with a label of the form first, in the order of the labels and under them; the others follow. */
export function inOrder<T extends Pick<Answer, 'key' | 'label'>>(items: readonly T[], labels: Form['labels']): T[] {
  const positions = new Map(Object.keys(labels).map((name, position) => [name, position]))
  if (positions.size === 0) return [...items]
  const positionOf = ({ key, label }: T) => positions.get(key) ?? positions.get(label) ?? positions.size
  return items.toSorted((a, b) => positionOf(a) - positionOf(b)).map(
    item => ({ ...item, label: settingOf(item, labels) ?? item.label }),
  )
}

/** Edit state of a field and, if it was edited, its original value; null reads as empty. */
export function editOf(
  submission: Submission, answer: Answer, rule: FieldRule, texts = english,
): Pick<Field, 'edited' | 'was'> {
  const { isEdited, original } = originalOf(submission, answer)
  return {
    edited: isEdited,
    ...original !== undefined && { was: visible(displayText({ ...answer, value: original }, rule, texts)) },
  }
}

/** Edit state of an answer and, if it was edited, its original value; undefined if that is unknown. */
export function originalOf(
  { edited, before: originals = {} }: Submission, { key, path, value }: Answer,
): { isEdited: boolean, original?: unknown } {
  if (edited.includes(key)) return {
    isEdited: true, ...Object.hasOwn(originals, key) && { original: originals[key] ?? '' },
  }
  // Previous versions of this service edited the outer field as a whole.
  if (!edited.includes(path[0] as string)) return { isEdited: false }
  const original = valueAt(originals, path)
  return original === undefined || fieldText(original) === fieldText(value)
    ? { isEdited: false }
    : { isEdited: true, original }
}
