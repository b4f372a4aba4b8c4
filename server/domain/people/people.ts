import { english } from '../../../shared/texts'
import type { Person, PersonNames, Reviewer } from '../../ports/submission'

/** Ids of each person, by the person's name: `{ ada: ['slack:U1', 'discord:123'] }`. */
export type Aliases = Readonly<Record<string, readonly string[]>>

/** True if a list has one of these names. */
export function isNamed({ names = [] }: PersonNames, list: readonly string[]): boolean {
  return names.some(name => list.includes(name))
}

/** Identity of a person: the same on every platform. */
export function identityOf({ person, names = [], id, platform }: Person): string {
  return person ?? names[0] ?? `${platform}:${id}`
}

/** Details of a reviewer that are stored */
export function signatureOf({ id, name, platform, person }: Person): Reviewer {
  return { id, name, platform, ...person === undefined ? {} : { person } }
}

/** Links the ids of one person across platforms. */
export class People {
  private readonly byName: ReadonlyMap<string, string>

  constructor(private readonly aliases: Aliases = {}) {
    this.byName = new Map(Object.entries(aliases).flatMap(([person, names]) => names.map(name => [name, person])))
  }

  /** Returns all names of the person with these names, on any platform. */
  known(names: readonly string[]): PersonNames & { names: readonly string[] } {
    const person = names.map(name => this.byName.get(name)).find(match => match !== undefined)
    return person === undefined ? { names } : { person, names: [...new Set([...names, ...this.aliases[person]!])] }
  }

  /** All names of a person by alias, ignoring upper and lower case; none for an unknown alias. */
  namesOf(person: string): readonly string[] {
    const wantedAlias = person.replace(/^@/, '').toLowerCase()
    return Object.entries(this.aliases).find(([alias]) => alias.toLowerCase() === wantedAlias)?.[1] ?? []
  }

  /** Display name for an entry of a list: its alias, or its sign-in name if that is no address; else null. */
  nameOf(entry: string): string | null {
    const signInName = entry.startsWith('ops:') && !entry.includes('@') ? entry.slice('ops:'.length) : null
    return this.byName.get(entry) ?? signInName
  }
}

/** Sentence part that lists names. Entries without a name become `others`, because people cannot read ids. */
export function inWords(names: readonly (string | null)[], texts = english): string {
  const knownNames = [...new Set(names)].filter(name => name !== null)
  const shownNames = names.includes(null) ? [...knownNames, texts('card.list.others')] : knownNames
  if (knownNames.length === 0) return texts('card.list.unknown')
  return shownNames.length === 1
    ? shownNames[0]!
    : texts('card.list.and', { some: shownNames.slice(0, -1).join(', '), last: shownNames.at(-1)! })
}

/** Names must not contain a colon, because ids do: no name may look like an id. */
const NAME = /^[^:\p{C}]{1,80}$/u

/**
 * Reads `ada = slack:U1, discord:123; grace = slack:U2`, with one person per line or between semicolons.
 *
 * @param isName checks if a text is a valid id
 * @returns the aliases, and the problems, one line each
 */
export function parseAliases(
  text: string, isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  const lines = text.split(/[;\n]/).map(line => line.trim()).filter(Boolean)
  const entries = lines.map((line): [string, string[], string] => {
    const [, person = '', names = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? []
    return [person.trim(), names.split(',').map(name => name.trim()).filter(Boolean), line]
  })
  return collect(entries, isName)
}

/** Like `parseAliases`, for structured input. */
export function readAliases(
  people: Readonly<Record<string, readonly string[]>>, isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  return collect(Object.entries(people).map(([person, names]) => (
    [person.trim(), names.map(name => name.trim()), `${person} = ${names.join(', ')}`]
  )), isName)
}

function collect(
  entries: readonly [person: string, names: readonly string[], line: string][], isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  const aliases = new Map<string, readonly string[]>()
  const owners = new Map<string, string>()
  const problems: string[] = []
  for (const [person, typedNames, line] of entries) {
    const names = typedNames.map(normal)
    const addProblem = (problem: string) => void problems.push(`“${line}”: ${problem}`)
    const unknownName = names.find(name => !isName(name))
    const takenName = names.find(name => owners.has(name))
    if (!NAME.test(person) || names.length === 0) addProblem('must be a name, =, and ids separated by commas')
    else if (aliases.has(person)) addProblem(`${person} is listed twice`)
    else if (unknownName !== undefined) addProblem(`${unknownName} is not the id of a person`)
    else if (takenName !== undefined) addProblem(`${takenName} is ${owners.get(takenName)} already`)
    for (const name of names) owners.set(name, person)
    aliases.set(person, names)
  }
  return { aliases: Object.fromEntries(aliases), problems }
}

/** Ignores case in names of the ops pages, because people type them. */
export function normal(name: string): string {
  return name.startsWith('ops:') ? name.toLowerCase() : name
}
