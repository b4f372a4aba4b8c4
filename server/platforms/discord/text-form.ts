import { cut, printable } from '../shared/text'
import { INPUT_LENGTH, labelled, oneLine, sameText, type FormField } from './fields'

/** Left free, so that values can grow. */
const ROOM = 400

const NAME_LENGTH = 60

const INPUT_ID = 'text'

const HINT = 'One “Label: value” per field. Keep the labels and change what follows them.'

/** Many short fields as lines of one large input: `Label: value`. */
export interface TextForm {
  /** What the lines are called, by position; unique, on one line, without a colon or a leading backslash. */
  names: string[]
  text: string
}

/** Null when the fields do not fit one input. */
export function textForm(fields: readonly FormField[]): TextForm | null {
  if (fields.some(({ options }) => options)) return null
  const names = uniqueNames(fields)
  const text = fields.map(({ value }, position) => entry(names[position]!, value, names)).join('\n')
  return text.length <= INPUT_LENGTH - ROOM ? { names, text } : null
}

export function textInput({ text }: TextForm): object {
  return labelled('Fields', { type: 4, custom_id: INPUT_ID, style: 2, required: true, max_length: INPUT_LENGTH, value: text }, HINT)
}

/** What is in the input of a submitted text form. */
export function typedText(typed: Readonly<Record<string, string>>): string {
  return typed[INPUT_ID] ?? ''
}

/** Values by field id, or what keeps the text from being read. */
export function readText(fields: readonly FormField[], { names }: TextForm, text: string): { values: Record<string, string> } | { problems: string[] } {
  const found = new Map<string, string>()
  const problems: string[] = []
  const known = new Set(names)
  let current: string | undefined
  for (const line of text.replace(/\r\n?/g, '\n').split('\n')) {
    const name = nameOf(line, known)
    if (name !== undefined) {
      if (found.has(name)) problems.push(`“${name}:” is there twice.`)
      current = name
      found.set(name, line.slice(name.length + 1).replace(/^ /, ''))
    }
    else if (current !== undefined) found.set(current, `${found.get(current)}\n${line.replace(/^\\/, '')}`)
    else if (line.trim()) problems.push(`“${cut(line, 40)}” stands before the first label.`)
  }
  for (const name of names) if (!found.has(name)) problems.push(`The line “${name}:” is missing.`)
  if (problems.length > 0) return { problems }
  return {
    values: Object.fromEntries(fields.map(({ id, value }, position) => {
      const typed = found.get(names[position]!)!
      return [id, sameText(typed, value) ? value : typed]
    })),
  }
}

/** Lines of a value that look like a label or an escape are escaped by a backslash. */
function entry(name: string, value: string, names: readonly string[]): string {
  const known = new Set(names)
  const [first = '', ...more] = printable(value).split('\n')
  const escaped = more.map(line => nameOf(line, known) !== undefined || line.startsWith('\\') ? `\\${line}` : line)
  return [`${name}:${first ? ` ${first}` : ''}`, ...escaped].join('\n')
}

function nameOf(line: string, known: ReadonlySet<string>): string | undefined {
  const colon = line.indexOf(':')
  const name = line.slice(0, Math.max(0, colon))
  return known.has(name) ? name : undefined
}

function uniqueNames(fields: readonly FormField[]): string[] {
  const used = new Set<string>()
  return fields.map(({ label, id }) => {
    // A line that begins with a backslash is an escaped one.
    const base = cut(oneLine(label.toWellFormed().replaceAll(':', ' ')).replace(/^[\\\s]+/, '') || id, NAME_LENGTH)
    let name = base
    for (let number = 2; used.has(name); number++) name = `${base} (${number})`
    used.add(name)
    return name
  })
}
