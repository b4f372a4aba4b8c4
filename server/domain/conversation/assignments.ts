import type { RichText } from '../../../shared/types/line'
import { visible } from '../../../shared/utils/text'
import type { Scope, ReviewBoard } from '../../ports/board'
import type { Speech } from '../../ports/conversation'
import type { SubmissionStore } from '../../ports/store'
import type { Person, SubmissionRecord } from '../../ports/submission'
import type { People } from '../people/people'
import type { Decisions } from '../review/decisions'
import { belongsTo, isRoom } from '../review/scope'
import type { Presentation } from '../cards/card-view'
import { pendingAt, RECORDS } from '../queries/search'
import { nameAtEnd, withoutAddress } from './commands'

/** Typed command that assigns a submission to somebody. */
export interface Assignment {
  /** Id of the submission, or its beginning. */
  id: string
  /** `me`, or a person's name; empty if the message mentions the person. */
  whom: string
}

export interface AssignmentsPorts {
  store: SubmissionStore
  board: ReviewBoard
  presentation: Presentation
  people: People
  decisions: Decisions
}

const TO_WHOM = 'To whom? Type assign, the id, and mention somebody; or type me instead.'

/** Reads `assign <id> @Grace` and `take <id>`; null for anything else, such as a sentence that begins like one. */
export function parseAssignment(text: string): Assignment | null {
  const [command = '', id = '', ...whom] = withoutAddress(text).split(/\s+/)
  const [, name] = /^\/?(assign|take)$/.exec(command.toLowerCase()) ?? []
  if (!name || !/^[\da-f-]{4,36}$/i.test(id)) return null
  if (name === 'take') return whom.length === 0 ? { id: id.toLowerCase(), whom: 'me' } : null
  // If nobody else is named, a name at the end is the assignee, not the bot.
  return { id: id.toLowerCase(), whom: whom.join(' ') || nameAtEnd(text) }
}

/** Assigns submissions by typed commands. */
export class Assignments {
  constructor(private readonly ports: AssignmentsPorts) {}

  /**
   * @param mentioned the mentioned person, by all names that a list may have for them
   * @returns the answer; `isPrivate` if only the person who asked may read it
   * @throws when the store cannot be reached
   */
  async assign(
    { id, whom }: Assignment, place: Scope, by: Person, mentioned: readonly string[] | undefined,
  ): Promise<Speech & { isPrivate?: true }> {
    const to = whom.toLowerCase() === 'me' ? by : await this.named(mentioned, whom)
    if (!to) return says(TO_WHOM)
    const found = await this.find(id, place)
    if (found.length !== 1) return says(found.length === 0
      ? `Nothing that waits here has an id that begins with ${id}.`
      : `${found.length} ids begin with ${id}. Type more of it.`)
    const attempt = { id: found[0]!.id, person: by, place }
    const result = await this.ports.decisions.decide({ ...attempt, action: 'assign', assignee: to })
    if (!('message' in result)) return says(`${to.name} has it now.`)
    return { ...says(result.message), ...result.kind === 'forbidden' && { isPrivate: true } }
  }

  private async named(mentioned: readonly string[] | undefined, whom: string): Promise<Person | null> {
    const { board, people } = this.ports
    const names = mentioned ?? people.namesOf(whom)
    const [first] = names
    if (first === undefined) return null
    const [platform = '', ...id] = first.split(':')
    const known = people.known(names)
    const name = visible(await board.nameOf(first) ?? known.person ?? id.join(':'))
    return { id: id.join(':'), name, platform: board.label(platform), ...known }
  }

  private async find(id: string, place: Scope): Promise<SubmissionRecord[]> {
    const { store } = this.ports
    const exact = await store.get(id)
    if (exact) return belongsTo(place, exact, this.ports) ? [exact] : []
    // Search only in rooms of the cards: anybody may write to the bot, as often as they like.
    if (!isRoom(place, this.ports.presentation.forms)) return []
    const { found } = await pendingAt(place, RECORDS, this.ports, page => store.listRecords(page))
    return found.filter(submission => submission.id.startsWith(id))
  }
}

function says(text: RichText): Speech {
  return { text: [text] }
}
