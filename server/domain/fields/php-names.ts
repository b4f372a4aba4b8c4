import type { SubmissionData } from '../../ports/submission'
import type { Answer } from './answers'
import { orderedObject } from '../json'

/** Name with its parts, as PHP reads it: `fields[email][value]`. https://www.php.net/manual/en/language.variables.external.php */
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

/** Most parts of one name; a name with more is read as it is. */
const MAX_PARTS = 10

interface Unfolded {
  /** The data as a tree */
  data: object
  /** The answer as it is in the flat data; none if it is not a single field there */
  flat: (answer: Answer) => Answer[]
}

/** Data of an HTML form whose names have parts, as a tree; undefined if none has, or if they contradict each other. */
export function unfolded(data: SubmissionData): Unfolded | undefined {
  const entries = Object.entries(data)
  const isHtmlForm = entries.every(([, value]) => [value].flat().every(each => typeof each === 'string'))
  if (!isHtmlForm || !entries.some(([key]) => NAME.test(key))) return undefined
  const root = new Map<string, unknown>()
  const flatKeys = new Map<string, string>()
  for (const [key, value] of entries) {
    const parts = partsOf(key)
    const place = parts.slice(0, -1).reduce<Map<string, unknown> | undefined>((node, part) => {
      const child = node && (node.get(part) ?? new Map<string, unknown>())
      if (!(child instanceof Map)) return undefined
      node!.set(part, child)
      return child
    }, root)
    if (!place || place.has(parts.at(-1)!)) return undefined
    place.set(parts.at(-1)!, value)
    flatKeys.set(JSON.stringify(parts), key)
  }
  return {
    data: objectOf(root) as object,
    flat: (answer) => {
      const depth = answer.path.findIndex((_, index) => flatKeys.has(JSON.stringify(answer.path.slice(0, index + 1))))
      if (depth < 0) return entries.filter(([key]) => isWithin(partsOf(key), answer.path)).map(([key, value]) => (
        { key, path: [key], label: key, value }
      ))
      const key = flatKeys.get(JSON.stringify(answer.path.slice(0, depth + 1)))!
      return [{ ...answer, key, path: [key, ...answer.path.slice(depth + 1)] }]
    },
  }
}

function partsOf(key: string): string[] {
  const [, first, rest] = NAME.exec(key) ?? []
  if (first === undefined) return [key]
  const parts = [first, ...rest!.slice(1, -1).split('][')]
  if (parts.at(-1) === '') parts.pop()
  return parts.length <= MAX_PARTS ? parts : [key]
}

function isWithin(parts: readonly string[], path: readonly unknown[]): boolean {
  return path.every((step, index) => parts[index] === String(step))
}

function objectOf(node: unknown): unknown {
  return node instanceof Map ? orderedObject([...node].map(([key, value]) => [key as string, objectOf(value)])) : node
}
