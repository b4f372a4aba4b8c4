import type { SubmissionData } from '../../ports/submission'
import { answerAt, type Answer } from './answers'
import { orderedObject } from '../json'
import type { Path } from './paths'

/** Nested field name in PHP's notation: `fields[email][value]`. https://www.php.net/manual/en/language.variables.external.php */
const NAME = /^([^[\]]+)((?:\[[^[\]]*\])+)$/

/** Max parts of one name; a name with more is not split. */
const MAX_PARTS = 10

/** Field of the flat data, at its place in the tree */
class Leaf {
  constructor(readonly key: string, readonly value: unknown) {}
}

type Node = Map<string, Node | Leaf>

interface Unfolded {
  /** The data as a tree */
  data: object
  /** Returns the flat answers for an answer in the tree: one, or all fields inside of it. */
  flat: (answer: Answer) => Answer[]
}

/** Returns an HTML form with nested names as a tree; undefined if no name is nested, or if the names conflict. */
export function unfolded(data: SubmissionData): Unfolded | undefined {
  if (!Object.keys(data).some(key => NAME.test(key))) return undefined
  const entries = Object.entries(data)
  const isHtmlForm = entries.every(([, value]) => [value].flat().every(each => typeof each === 'string'))
  if (!isHtmlForm) return undefined
  const root: Node = new Map()
  for (const [key, value] of entries) {
    const parts = partsOf(key)
    const place = parts.slice(0, -1).reduce<Node | undefined>((node, part) => {
      const child = node && (node.get(part) ?? new Map() as Node)
      if (!child || child instanceof Leaf) return undefined
      node.set(part, child)
      return child
    }, root)
    if (!place || place.has(parts.at(-1)!)) return undefined
    place.set(parts.at(-1)!, new Leaf(key, value))
  }
  return { data: objectOf(root) as object, flat: answer => flatAnswers(answer, root) }
}

function partsOf(key: string): string[] {
  const [, first, rest] = NAME.exec(key) ?? []
  if (first === undefined) return [key]
  const parts = [first, ...rest!.slice(1, -1).split('][')]
  if (parts.at(-1) === '') parts.pop()
  return parts.length <= MAX_PARTS ? parts : [key]
}

function objectOf(node: Node | Leaf): unknown {
  if (node instanceof Leaf) return node.value
  return orderedObject([...node].map(([part, child]) => [part, objectOf(child)]))
}

function flatAnswers(answer: Answer, root: Node): Answer[] {
  let node: Node | Leaf = root
  for (const [depth, step] of answer.path.entries()) {
    if (node instanceof Leaf) return [{ ...answer, ...placed(node, answer.path.slice(depth)) }]
    node = node.get(step as string)!
  }
  if (node instanceof Leaf) return [{ ...answer, ...placed(node, []) }]
  return leavesOf(node).map(({ key, value }) => answerAt([key], key, value))
}

function placed({ key }: Leaf, rest: Path): { key: string, path: Path } {
  return { key, path: [key, ...rest] }
}

function leavesOf(node: Node | Leaf): Leaf[] {
  return node instanceof Leaf ? [node] : [...node.values()].flatMap(leavesOf)
}
