import type { OpsRole } from '../../../shared/types/session'
import { english, type Texts } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { ReviewBoard } from '../../ports/board'
import type { Outcome } from '../../ports/delivery'
import type { Form, Forms } from '../../ports/form'
import type { Monitor } from '../../ports/monitor'
import type { Log, Runtime } from '../../ports/runtime'
import type { Person } from '../../ports/submission'
import { NotAReviewer, PeopleUnknown } from '../errors'
import { inWords, isNamed, type People } from './people'

export interface ReviewersPorts {
  board: ReviewBoard
  people: People
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/** Refused attempt, for the log */
interface RefusedAttempt {
  submission: string
  action: string
  /** Key of the platform; `ops` for the ops pages. */
  platform: string
}

/** How long the members of a group are cached, ms. */
const MEMBERS_CACHE_MS = 60_000

/** How long a failed lookup is cached, ms: not every click waits for a platform that does not answer. */
const FAILURE_CACHE_MS = 3000

/** Most names that a refusal lists. */
const MAX_LISTED_NAMES = 10

/** Permission to decide: the one gate before every decision, wherever it comes from. */
export class Reviewers {
  private readonly groups = new Map<string, { until: number, members: Promise<Outcome<readonly string[]>> }>()

  private readonly names = new Map<string, string>()

  constructor(private readonly ports: ReviewersPorts) {}

  /**
   * Reason why somebody may not decide, in words for them alone; null if they may. Without a list nothing is looked up.
   */
  async refusal(
    { reviewers }: Pick<Form, 'reviewers'>, person: Person, attempt: RefusedAttempt, texts = english,
  ): Promise<NotAReviewer | PeopleUnknown | null> {
    if (!reviewers) return null
    const isListed = await this.has(reviewers, person)
    if (isListed) return null
    const { monitor, log } = this.ports
    monitor.refused(attempt.platform)
    log.warn('review.refused', { ...attempt, reviewer: person.id, unknown: isListed === null ? true : undefined })
    if (isListed === null) return new PeopleUnknown(texts)
    return new NotAReviewer(texts('card.refusal.onlyThese', { names: await this.describeList(reviewers, texts) }))
  }

  /** True if a list has somebody, by name or in a group; null if that cannot be looked up. */
  async has(list: readonly string[], person: Person): Promise<boolean | null> {
    if (isNamed(person, list)) return true
    const answers = await Promise.all(list.map(entry => this.isIn(entry, person)))
    return answers.includes(true) ? true : answers.includes(null) ? null : false
  }

  private async isIn(group: string, { names = [] }: Person): Promise<boolean | null> {
    const [platform] = group.split(':')
    if (!names.some(name => name.startsWith(`${platform}:`))) return false
    const members = await this.membersOf(group)
    if (!members) return false
    return members.ok ? members.value.some(name => names.includes(name)) : null
  }

  private membersOf(group: string): Promise<Outcome<readonly string[]>> | null {
    const { board, runtime, log } = this.ports
    const cachedGroup = this.groups.get(group)
    if (cachedGroup && cachedGroup.until > runtime.now()) return cachedGroup.members
    const members = board.membersOf(group)
    if (!members) return null
    this.groups.set(group, { until: runtime.now() + MEMBERS_CACHE_MS, members })
    return members.then((outcome) => {
      if (outcome.ok) return outcome
      const currentGroup = this.groups.get(group)
      if (currentGroup?.members === members) currentGroup.until = runtime.now() + FAILURE_CACHE_MS
      log.warn('group.unknown', { group, reason: outcome.reason })
      return outcome
    })
  }

  private async describeList(list: readonly string[], texts: Texts): Promise<string> {
    const names = await Promise.all(list.slice(0, MAX_LISTED_NAMES).map(entry => this.nameOf(entry)))
    return inWords(list.length > MAX_LISTED_NAMES ? [...names, null] : names, texts)
  }

  private async nameOf(entry: string): Promise<string | null> {
    const { people, board } = this.ports
    const name = people.nameOf(entry) ?? this.names.get(entry) ?? await board.nameOf(entry)
    if (name === null) return null
    this.names.set(entry, name)
    return visible(name)
  }
}

export interface AdmissionPorts {
  people: People
  reviewers: Reviewers
  forms: Forms
  /** OPS_VIEWERS. */
  viewers?: readonly string[]
}

/**
 * Returns a person who signed in to the ops pages, with their role; null if they may not even look.
 *
 * Listed reviewers decide. Once viewers are listed, only they and reviewers are let in: people who sign in by password
 * choose any name, so a list of people to keep out would stop nobody. Without viewers everybody looks, and everybody
 * decides if some form has no list of reviewers.
 *
 * @returns the role is null for a viewer while the list of reviewers cannot be looked up
 * @throws PeopleUnknown while it cannot be looked up if they may look
 */
export async function admitPerson(
  signedInPerson: Person, { people, reviewers, forms, viewers }: AdmissionPorts,
): Promise<{ person: Person, role: OpsRole | null } | null> {
  const person = { ...signedInPerson, ...people.known(signedInPerson.names ?? []) }
  const lists = forms.all.map(form => form.reviewers)
  if (!viewers && lists.includes(undefined)) return { person, role: 'reviewer' }
  const isReviewer = await reviewers.has(lists.flatMap(list => list ?? []), person)
  if (isReviewer) return { person, role: 'reviewer' }
  const isViewer = viewers ? await reviewers.has(viewers, person) : true
  if (isViewer) return { person, role: isReviewer === null ? null : 'viewer' }
  if (isReviewer === null || isViewer === null) throw new PeopleUnknown()
  return null
}
