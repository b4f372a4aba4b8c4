import type { Person, Reviewer } from '../../ports/submission'

/** Names of each person, by what they are called: `{ ada: ['slack:U1', 'discord:123'] }`. */
export type Aliases = Readonly<Record<string, readonly string[]>>

/** Whether a list has one of these names. */
export function isNamed({ names = [] }: Pick<Person, 'names'>, list: readonly string[]): boolean {
  return names.some(name => list.includes(name))
}

/** Who somebody is, whatever they act by: two are one person when this is the same. */
export function identityOf({ person, names = [], id, platform }: Person): string {
  return person ?? names[0] ?? `${platform}:${id}`
}

/** What is kept of who acted. */
export function signatureOf({ id, name, platform, person }: Person): Reviewer {
  return { id, name, platform, ...person === undefined ? {} : { person } }
}

/** Who is one person over platforms. */
export class People {
  private readonly byName: ReadonlyMap<string, string>

  constructor(private readonly aliases: Aliases = {}) {
    this.byName = new Map(Object.entries(aliases).flatMap(([person, names]) => names.map(name => [name, person])))
  }

  /** With these names, all names that they have anywhere. */
  known(names: readonly string[]): Required<Pick<Person, 'names'>> & Pick<Person, 'person'> {
    const person = names.map(name => this.byName.get(name)).find(found => found !== undefined)
    return person === undefined ? { names } : { person, names: [...new Set([...names, ...this.aliases[person]!])] }
  }

  /** All names of somebody by what they are called, in any case; none for who is no person that is known here. */
  namesOf(person: string): readonly string[] {
    const wanted = person.replace(/^@/, '').toLowerCase()
    return Object.entries(this.aliases).find(([called]) => called.toLowerCase() === wanted)?.[1] ?? []
  }

  /** What somebody on a list is called, or signs in as when that is no address; null when that tells nothing. */
  nameOf(entry: string): string | null {
    const typed = entry.startsWith('ops:') && !entry.includes('@') ? entry.slice('ops:'.length) : null
    return this.byName.get(entry) ?? typed
  }
}

/** Who is on a list, for people to read. Who has no name here is one of `others`: an id tells people nothing. */
export function inWords(names: readonly (string | null)[]): string {
  const known = [...new Set(names)].filter(name => name !== null)
  const told = names.includes(null) ? [...known, 'others'] : known
  if (known.length === 0) return 'those who are listed'
  return told.length === 1 ? told[0]! : `${told.slice(0, -1).join(', ')} and ${told.at(-1)}`
}

/** An id has a colon, so that nobody is called like one. */
const NAME = /^[^:\p{C}]{1,80}$/u

/**
 * Reads `ada = slack:U1, discord:123; grace = slack:U2`, a person a line or between semicolons.
 *
 * @param isName whether something may stand for somebody
 * @returns and what is wrong, one line each
 */
export function parseAliases(
  text: string, isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  const lines = text.split(/[;\n]/).map(line => line.trim()).filter(Boolean)
  const listed = lines.map((line): [string, string[], string] => {
    const [, person = '', names = ''] = /^([^=]*)=(.*)$/s.exec(line) ?? []
    return [person.trim(), names.split(',').map(name => name.trim()).filter(Boolean), line]
  })
  return collect(listed, isName)
}

/** As `parseAliases`, of what is structured already. */
export function readAliases(
  people: Readonly<Record<string, readonly string[]>>, isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  return collect(Object.entries(people).map(([person, names]) => (
    [person.trim(), names.map(name => name.trim()), `${person} = ${names.join(', ')}`]
  )), isName)
}

function collect(
  listed: readonly [person: string, names: readonly string[], line: string][], isName: (name: string) => boolean,
): { aliases: Aliases, problems: string[] } {
  const aliases = new Map<string, readonly string[]>()
  const owners = new Map<string, string>()
  const problems: string[] = []
  for (const [person, given, line] of listed) {
    const names = given.map(normal)
    const wrong = (why: string) => void problems.push(`“${line}”: ${why}`)
    const unknown = names.find(name => !isName(name))
    const taken = names.find(name => owners.has(name))
    if (!NAME.test(person) || names.length === 0) wrong('must be a name, =, and ids separated by commas')
    else if (aliases.has(person)) wrong(`${person} stands there twice`)
    else if (unknown !== undefined) wrong(`${unknown} is nobody’s id`)
    else if (taken !== undefined) wrong(`${taken} is ${owners.get(taken)} already`)
    for (const name of names) owners.set(name, person)
    aliases.set(person, names)
  }
  return { aliases: Object.fromEntries(aliases), problems }
}

/** Names that people type at the ops pages are one in any case. */
export function normal(name: string): string {
  return name.startsWith('ops:') ? name.toLowerCase() : name
}
