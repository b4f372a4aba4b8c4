import type { OpsRole } from '../../../shared/types/session'
import { english, type Texts } from '../../../shared/texts'
import { visible } from '../../../shared/utils/text'
import type { Outcome } from '../../ports/delivery'
import type { Form } from '../../ports/form'
import type { Person } from '../../ports/submission'
import type { Context } from '../context'
import { NotAReviewer, PeopleUnknown } from '../errors'
import { inWords, isNamed, type People } from './people'

/** Refused attempt, for the log */
interface RefusedAttempt {
  submission: string
  action: string
  /** Key of the platform; `ops` for the ops pages. */
  platform: string
}

/** Cache time of a group's members, ms. */
const MEMBERS_CACHE_MS = 60_000

/** Cache time of a failed lookup, ms, so that not every click waits for a platform that does not answer. */
const FAILURE_CACHE_MS = 3000

/** Max names in a refusal. */
const MAX_LISTED_NAMES = 10

/** Checks the permission to decide, before every decision from any source. */
export class Reviewers {
  private readonly groups = new Map<string, { until: number, members: Promise<Outcome<readonly string[]>> }>()

  private readonly names = new Map<string, string>()

  constructor(private readonly context: Context, private readonly people: People) {}

  /**
   * Returns the reason why somebody may not decide, as an error only for them; null if they may decide. Without a list
   * of reviewers nothing is looked up.
   */
  async refusal(
    { reviewers }: Pick<Form, 'reviewers'>, person: Person, attempt: RefusedAttempt, texts = english,
  ): Promise<NotAReviewer | PeopleUnknown | null> {
    if (!reviewers) return null
    const isListed = await this.has(reviewers, person)
    if (isListed) return null
    const { monitor, log } = this.context
    monitor.refused(attempt.platform)
    log.warn('review.refused', { ...attempt, reviewer: person.id, unknown: isListed === null ? true : undefined })
    if (isListed === null) return new PeopleUnknown(texts)
    return new NotAReviewer(texts('card.refusal.onlyThese', { names: await this.describeList(reviewers, texts) }))
  }

  /** True if the list contains the person, or a group with them; null if that cannot be looked up. */
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
    const { board, runtime, log } = this.context
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
    const { board } = this.context
    const name = this.people.nameOf(entry) ?? this.names.get(entry) ?? await board.nameOf(entry)
    if (name === null) return null
    this.names.set(entry, name)
    return visible(name)
  }
}

/**
 * Returns the person who signed in to the ops pages, with their role; null if they may not see anything.
 *
 * Listed reviewers may decide. If viewers are listed, only viewers and reviewers get in. There is no list of blocked
 * people, because people who sign in by password can choose any name. Without a list of viewers everybody may look, and
 * if some form has no list of reviewers, everybody may decide.
 *
 * @returns the role is null for a viewer while the list of reviewers cannot be looked up
 * @throws PeopleUnknown if their permission cannot be looked up
 */
export async function admitPerson(
  signedInPerson: Person, { forms, viewers }: Context, people: People, reviewers: Reviewers,
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

/** Time for which an answer is cached, ms. */
const MEMBERSHIP_TTL_MS = 5 * 60 * 1000

/** Max people in the cache, which is cleared when it is full. */
const MAX_MEMBERSHIPS = 1000

/** Checks if people are members of a room with cards. */
export class Membership {
  private readonly answers = new Map<string, { expiresAt: number, isMember: boolean }>()

  constructor(private readonly context: Context) {}

  /** True if the person is in any room of their platform; false if the platform does not answer. */
  async of(platform: string, person: Person): Promise<boolean> {
    const { forms: { rooms }, runtime } = this.context
    const key = person.names?.[0] ?? `${platform}:${person.id}`
    const answer = this.answers.get(key)
    if (answer && answer.expiresAt > runtime.now()) return answer.isMember
    const isMember = await this.askRooms(rooms.filter(room => room.split('/')[0] === platform), person)
    if (isMember === null) return false
    if (this.answers.size >= MAX_MEMBERSHIPS) this.answers.clear()
    this.answers.set(key, { expiresAt: runtime.now() + MEMBERSHIP_TTL_MS, isMember })
    return isMember
  }

  /** Checks the rooms one by one until one contains the person; null if none does but some did not answer. */
  private async askRooms(rooms: readonly string[], person: Person): Promise<boolean | null> {
    let isUnknown = false
    for (const room of rooms) {
      const outcome = await this.context.board.hasMember(room, person)
      if (outcome.ok && outcome.value) return true
      if (outcome.ok) continue
      isUnknown = true
      this.context.log.warn('membership.unknown', { room, reason: outcome.reason })
    }
    return isUnknown ? null : false
  }
}
