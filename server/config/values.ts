import type { Variable } from '../variable'
import { unquoted } from '../variable'

export type Environment = Readonly<Record<string, string | undefined>>

type Table = Readonly<Record<string, Variable>>

const CUT_HINT = 'The reader of .env cut the value at its #. Put the value in quotes there.'
const HALF_QUOTED_HINT = 'It begins or ends with a quote, which counts as part of the value. Is that intended?'

/** Values of a table of variables. No message shows them: they may be secrets. */
export interface ReadVariables {
  values: Readonly<Record<string, unknown>>
  /** Mistakes that keep the service from starting; one line each. */
  problems: string[]
  /** Warnings about accepted values that look wrong; one line each. */
  warnings: string[]
  /** Purpose and source of a variable, and how its value may have been cut. */
  describe: (name: string) => string
}

/** @param dotenv text of `.env`, to find values that were cut when it was read */
export function readVariables(table: Table, env: Environment, dotenv: string): ReadVariables {
  const problems: string[] = []
  const warnings: string[] = []
  const cutNames = findCutNames(dotenv, env)
  const hintFor = (name: string) => {
    if ([name, table[name]!.alias ?? ''].some(each => cutNames.has(each))) return CUT_HINT
    return isHalfQuoted(readVariable(table, name, env) ?? '') ? HALF_QUOTED_HINT : ''
  }
  const describe = (name: string) => {
    const { about, where } = table[name]!
    return [hintFor(name), about, where].filter(Boolean).join(' ')
  }
  const parseVariable = (name: string) => {
    const { schema, usual, alias } = table[name]!
    const [ownValue, aliasValue] = [env[name]?.trim(), alias && env[alias]?.trim()]
    if (ownValue && aliasValue && ownValue !== aliasValue) {
      problems.push(`${name} and its alias ${alias} are set to different values. Keep one of them.`)
      return undefined
    }
    const value = ownValue || aliasValue
    if (!value) return undefined
    const shownName = ownValue ? name : `${name} (set as ${alias})`
    const { error, data } = [unquoted, schema].map(each => each.safeParse(value)).reduce((a, b) => a.error ? a : b)
    if (error) {
      problems.push(`${shownName} is malformed: ${error.issues[0]?.message}. ${describe(name)}`)
      return undefined
    }
    const oddity = usual?.safeParse(value).error?.issues[0]?.message
    if (oddity) warnings.push(`${shownName} looks unusual: ${oddity}. ${describe(name)}`)
    else if (hintFor(name)) warnings.push(`${shownName} may be incomplete. ${hintFor(name)}`)
    return data
  }
  const values = Object.fromEntries(Object.keys(table).map(name => [name, parseVariable(name)]))
  return { values, problems, warnings, describe }
}

/** Value of a variable by its own name or its alias; an empty one counts as not set. */
export function readVariable(table: Table, name: string, env: Environment): string | undefined {
  const alias = table[name]?.alias
  return env[name]?.trim() || (alias && env[alias]?.trim()) || undefined
}

/**
 * Names of variables whose value in `.env` was cut at a `#` without a space before it: Node and dotenv read the rest as
 * a comment, unless the value is in quotes. Other readers, such as Docker's, keep it.
 */
function findCutNames(dotenv: string, env: Environment): ReadonlySet<string> {
  const valueStarts = new Map(dotenv.split('\n').flatMap((line) => {
    const [, name, value] = /^(?:export )?(\w+) *=(.*)/.exec(line.trim()) ?? []
    return name && value?.includes('#') ? [[name, value.split('#')[0]!.trimStart()] as const] : []
  }))
  const isCut = ([name, start]: readonly [string, string]) => env[name] === start && !/^["'`]|\s$/.test(start)
  return new Set([...valueStarts].filter(isCut).map(([name]) => name))
}

function isHalfQuoted(value: string): boolean {
  const quotes = value.match(/^["'`“”„‘’]|["'`“”„‘’]$/g) ?? []
  return value.length > 1 && quotes.some(quote => value.split(quote).length % 2 === 0)
}
