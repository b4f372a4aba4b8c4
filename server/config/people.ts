import { z } from 'zod'
import { inWords, normal, parseAliases, People, readAliases, type Aliases } from '../domain/people/people'
import { outside, platforms } from '../platforms/registry'
import { duration, flag, list, text, type Values, type Variable } from '../variable'

/** Prefix of people at the ops pages, before the name or address that they sign in with */
const OPS = 'ops:'

/** True for ids such as `slack:U1` and `discord:123`. */
export function isPerson(entry: string): boolean {
  return isListed(entry, ({ person }) => person)
}

function isGroup(entry: string): boolean {
  return isListed(entry, ({ group }) => group)
}

function isListed(
  entry: string, patternOf: (platform: typeof platforms[number]) => { id: RegExp } | undefined,
): boolean {
  const [, key, id = ''] = /^([a-z]+):(.+)$/s.exec(entry) ?? []
  return platforms.some(platform => platform.key === key && patternOf(platform)?.id.test(id))
}

function isOps(entry: string): boolean {
  return entry.startsWith(OPS) && entry.length > OPS.length
}

/** One example for each platform that is not embedded. */
const examples = outside.map(({ person }) => person.example)
export const peopleExamples = `${examples.slice(0, -1).join(', ')} or ${examples.at(-1)}`

const groups = platforms.flatMap(({ group }) => group ? [group.example] : []).join(' or ')

/** A person or a group on a list */
export const listedPerson = text.transform(normal).refine(
  entry => isPerson(entry) || isGroup(entry) || isOps(entry),
  `each entry is a person (${peopleExamples}), a group (${groups}), or ops: and the name or address that somebody signs in with`,
)

const people = list.pipe(z.array(listedPerson).min(1, 'must not be empty'))

const HOUR_MS = 60 * 60 * 1000

/** Variables for permissions, people's ids and assignment */
export const peopleVariables = {
  REVIEWERS: {
    schema: people,
    about: 'Who may decide, separated by commas: people, groups and ops:<name>, e.g. slack:U0123456789,discord:role:123456789012345678,ops:ada. Default: everybody in the room of the cards, and who signs in to the ops pages.',
  },
  OPS_VIEWERS: {
    schema: people,
    about: 'People who may only view the ops pages, written like REVIEWERS. If set, only they and reviewers see the pages. Default: everybody who signs in.',
  },
  PEOPLE: {
    schema: text,
    about: 'Ids that belong to the same person on several platforms, e.g. ada = slack:U0123456789, discord:123456789012345678, ops:ada; grace = slack:U9876543210. Optional.',
  },
  TAKE: {
    schema: flag,
    about: 'Switches on assignment: people take submissions by a button on the cards, and everybody sees who has them. Default: 0.',
    example: '1',
  },
  CLAIM_TTL: {
    schema: duration.refine(ms => ms > 0 && ms <= 24 * HOUR_MS, 'must be between 1s and 24h'),
    about: 'Time after which an assignment ends, e.g. 30m; at most 24h. Default: 4h.',
  },
} as const satisfies Record<string, Variable>

export interface PeopleConfig {
  /** Reviewers of forms without a list of their own; everybody when absent. */
  reviewers?: readonly string[]
  /** People who may only view the ops pages; when absent, everybody who is not a reviewer. */
  viewers?: readonly string[]
  aliases: Aliases
  /** Duration of an assignment, ms; null if assignment is off. */
  claimMs: number | null
}

/** @param builtIn people from `forms.config.ts`, or from the file that replaces it */
export function readPeople(
  values: Partial<Values<typeof peopleVariables>>, builtIn: Aliases | undefined, problems: string[],
): PeopleConfig {
  const isName = (name: string) => isPerson(name) || isOps(name)
  const result = values.PEOPLE === undefined ? readAliases(builtIn ?? {}, isName) : parseAliases(values.PEOPLE, isName)
  const source = values.PEOPLE === undefined ? 'people of forms.config.ts (or FORMS_CONFIG)' : 'PEOPLE'
  problems.push(...result.problems.map(problem => `${source} has a mistake in ${problem}.`))
  return {
    reviewers: values.REVIEWERS, viewers: values.OPS_VIEWERS, aliases: result.aliases,
    claimMs: values.TAKE ? values.CLAIM_TTL ?? 4 * HOUR_MS : null,
  }
}

/** Reviewers and names of forms */
type Forms = Readonly<Record<string, { name?: string, reviewers?: readonly string[] }>>

/** Everybody on any list */
export function everyoneListed({ reviewers, viewers }: PeopleConfig, forms: Forms): readonly string[] {
  return [reviewers, viewers, ...Object.values(forms).map(form => form.reviewers)].flatMap(ids => ids ?? [])
}

/** Says who may decide; one line for all forms, and one for each form with a list of its own. */
export function whoDecides({ reviewers, viewers, aliases }: PeopleConfig, forms: Forms): string[] {
  const people = new People(aliases)
  const listDeciders = (ids: readonly string[]) => `Only ${inWords(ids.map(id => people.nameOf(id)))} may decide.`
  return [
    reviewers ? listDeciders(reviewers) : 'Everybody in the room may decide: REVIEWERS is not set.',
    ...viewers && !reviewers ? ['On the ops pages only listed reviewers decide: OPS_VIEWERS is set.'] : [],
    ...Object.values(forms).flatMap(form => form.reviewers ? [`${form.name}: ${listDeciders(form.reviewers)}`] : []),
  ]
}
