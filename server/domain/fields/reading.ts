import type { SubmissionData } from '../../ports/submission'
import { readFlat, type Answer, type Reading } from './answers'
import { unfolded } from './php-names'
import { readElementor } from './readers/elementor'
import { readGravityForms } from './readers/gravity-forms'
import { readJotform } from './readers/jotform'
import { readShape } from './shapes'

const readings = new WeakMap<object, Reading>()

/** Reads the data of a submission, once. Takes time in proportion to its size. */
export function readingOf(data: SubmissionData | null): Reading {
  if (!data) return { answers: [], technical: [] }
  const cachedReading = readings.get(data)
  if (cachedReading) return cachedReading
  const reading = read(data)
  readings.set(data, reading)
  return reading
}

function read(data: SubmissionData): Reading {
  const tree = unfolded(data)
  const shapedReading = tree && readShape(tree.data)
  if (shapedReading) return {
    answers: shapedReading.answers.flatMap(answer => tree.flat(answer)),
    technical: shapedReading.technical.flatMap(answer => tree.flat(answer)),
  }
  return readJotform(data) ?? readGravityForms(data) ?? readElementor(data) ?? readShape(data) ?? readFlat(data, [])
}

/** Setting for an answer, which the form has under the answer's path or its label. */
export function settingOf<T>(
  { key, label }: Pick<Answer, 'key' | 'label'>, settings: Readonly<Record<string, T>>,
): T | undefined {
  const name = [key, label].find(each => Object.hasOwn(settings, each))
  return name === undefined ? undefined : settings[name]
}

/** The answer that a setting of the form names, by its path or by its label. */
export function answerNamed(name: string, data: SubmissionData | null): Answer | undefined {
  const { answers, technical } = readingOf(data)
  const all = [...answers, ...technical]
  return all.find(({ key }) => key === name) ?? all.find(({ label }) => label === name)
}
