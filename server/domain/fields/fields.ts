import { english, type Texts } from '../../../shared/texts'
import { cut, visible } from '../../../shared/utils/text'
import type { EmailField } from '../../ports/delivery'
import type { FieldRule } from '../../ports/field-rules'
import type { Form } from '../../ports/form'
import type { Field, Submission } from '../../ports/submission'
import { isObject } from '../json'
import { unwrapped, type Answer, type AnswerNames } from './answers'
import { isBlank, snakeCase } from './machinery'
import { valueAt } from './paths'
import { answersNamed, readingOf, settingOf, type ReadingSettings } from './reading'
import { ruleFor } from './rules'
import { displayText, fieldText } from './values'

/** Max length of the list of technical names on a card, characters; the page shows all. */
const MAX_TECHNICAL = 120

/** Max length of all contradicting technical values, and of each one, characters */
const [MAX_CONTRADICTIONS, MAX_CONTRADICTION] = [300, 80]

/**
 * Returns the fields for people: answers with their labels and formatted values, then one field with the names of the
 * technical values.
 *
 * @param addFacts adds further facts about a value
 * @param most max number of answers; the rest is left out
 */
export function readFields(
  submission: Submission, form: ReadingSettings, texts = english,
  addFacts?: (answer: Answer, rule: FieldRule) => Partial<EmailField>, most = Infinity,
): EmailField[] {
  const { answers, technical } = readingOf(submission.data, form)
  const fields = inOrder(answers, form.labels ?? {}).slice(0, most).map((answer): EmailField => {
    const rule = ruleFor(answer, form.fields)
    return {
      label: visible(answer.label.toWellFormed()), value: visible(displayText(answer, rule, texts)),
      ...editOf(submission, answer, rule, texts), ...addFacts?.(answer, rule),
    }
  })
  return technical.length === 0 ? fields : [...fields, technicalField(answers, technical, texts)]
}

function technicalField(answers: readonly Answer[], technical: readonly Answer[], texts: Texts): Field {
  const contradictions = cut(contradictionsIn(answers, technical).join(', '), MAX_CONTRADICTIONS)
  const labels = new Set(answers.map(({ label }) => label))
  const others = technical.filter(({ label }) => !labels.has(label))
  const names = technicalNames(others.length > 0 ? others : technical, texts)
  const value = visible(contradictions === '' ? names : `${contradictions}; ${names}`)
  return { label: texts('card.field.technical'), value, edited: false }
}

/** Lists the names of technical values, as many as there is room for. */
function technicalNames(technical: readonly Answer[], texts: Texts): string {
  // `meta[date][title]` and `meta[date][value]` are parts of one value, `meta`.
  const names = [...new Set(technical.map(({ label }) => label.split('[', 1)[0] || label))]
  let length = 0
  const shownNames = names.filter((name, index) => (length += name.length + 2) <= MAX_TECHNICAL || index === 0)
  const some = cut(shownNames.join(', ').toWellFormed(), MAX_TECHNICAL)
  const count = names.length - shownNames.length
  return count > 0 ? texts('card.list.more', { some, count: String(count) }) : some
}

/**
 * Returns technical values that contradict the answer of the same name, such as `data.email: bob@example.com`.
 * Providers repeat answers, and the endpoint may use either copy, so reviewers must see both.
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

/** Objects whose members share names with answers but mean something else, e.g. the form's name or answering times */
const OTHER_NAMES = /^(?:form|survey|quiz|ttc)$/

function comparableText(value: unknown): string {
  return fieldText(unwrapped(value).value).trim()
}

/**
 * Puts answers with a label in the form's settings first, in the order of the settings; the others follow. If a name in
 * the settings is a number such as `2`, keeps the order of the answers: JavaScript moves such keys to the front.
 */
export function inOrder<T extends AnswerNames>(items: readonly T[], labels: Form['labels']): T[] {
  const names = Object.keys(labels)
  const isOrderKnown = !names.some(name => /^\d+$/.test(name))
  const positions = new Map(names.map((name, position) => [name, isOrderKnown ? position : 0]))
  if (positions.size === 0) return [...items]
  const positionOf = ({ key, label }: T) => positions.get(key) ?? positions.get(label) ?? positions.size
  return items.toSorted((a, b) => positionOf(a) - positionOf(b)).map(
    item => ({ ...item, label: settingOf(item, labels) ?? item.label }),
  )
}

/** Returns the edit state of a field and, if it was edited, its original value; null becomes an empty text. */
export function editOf(
  submission: Submission, answer: Answer, rule: FieldRule, texts = english,
): Pick<Field, 'edited' | 'was'> {
  const { isEdited, original } = originalOf(submission, answer)
  return {
    edited: isEdited,
    ...original !== undefined && { was: visible(displayText({ ...answer, value: original }, rule, texts)) },
  }
}

/** Returns the labels of edited answers. If a whole outer field was edited, returns its changed answers. */
export function editedLabels(submission: Submission, form: ReadingSettings): string[] {
  const { data, edited } = submission
  const editedAnswers = answersNamed(edited, data)
  const answersByField = Map.groupBy(readingOf(data, form).answers, ({ path }) => path[0])
  const changedIn = (key: string) => (answersByField.get(key) ?? []).filter(
    answer => originalOf(submission, answer).isEdited,
  )
  return edited.flatMap((key, index) => {
    const editedAnswer = editedAnswers[index]
    const changedAnswers = editedAnswer ? [editedAnswer] : changedIn(key)
    return (changedAnswers.length > 0 ? changedAnswers : [{ key, label: key }]).map(
      answer => settingOf(answer, form.labels ?? {}) ?? visible(answer.label),
    )
  })
}

/** Returns the edit state of an answer and, if it was edited and is known, its original value. */
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
