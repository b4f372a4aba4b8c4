import { ACTIONS, TYPED_ACTIONS, type TypedAction } from '../../../shared/actions'
import type { RichText } from '../../../shared/types/line'
import { visible } from '../../../shared/utils/text'
import type { Scope } from '../../ports/board'
import type { Speech } from '../../ports/conversation'
import type { Person, SubmissionRecord } from '../../ports/submission'
import type { Context } from '../context'
import type { People } from '../people/people'
import type { Decisions } from '../review/decisions'
import { belongsTo, isRoom } from '../review/scope'
import { pendingAt, RECORDS } from '../queries/search'
import { nameAtEnd, withoutAddress } from './commands'

/** Typed command that assigns a submission to somebody, or takes another action on it. */
export interface Assignment {
  /** Id of the submission, or its beginning. */
  id: string
  /** `me`, or a person's name; empty if the message mentions the person. */
  whom: string
  /** Absent if the command assigns the submission. */
  action?: TypedAction
}

const TO_WHOM = 'To whom? Type assign, the id, and mention somebody; or type me instead.'

/** Parses `assign <id> @Grace`, `take <id>` and other actions; null for any other text, such as a sentence. */
export function parseAssignment(text: string): Assignment | null {
  const [command = '', id = '', ...nameWords] = withoutAddress(text).split(/\s+/)
  const name = command.toLowerCase().replace(/^\//, '')
  const action = TYPED_ACTIONS.find(each => each === name)
  if ((!action && name !== 'assign') || !/^[\da-f-]{4,36}$/i.test(id)) return null
  if (action) {
    const isTake = ACTIONS[action].group === 'assignment'
    return nameWords.length === 0 ? { id: id.toLowerCase(), whom: 'me', ...isTake ? {} : { action } } : null
  }
  // If nobody else is named, treat a name at the end as the assignee, not as a mention of the bot.
  return { id: id.toLowerCase(), whom: nameWords.join(' ') || nameAtEnd(text) }
}

/** Assigns submissions by typed commands. */
export class Assignments {
  constructor(
    private readonly context: Context, private readonly people: People, private readonly decisions: Decisions,
  ) {}

  /**
   * @param mentionedNames all names under which lists may have the mentioned person
   * @returns the answer; `isPrivate` if only the person who asked may read it
   * @throws when the store cannot be reached
   */
  async assign(
    { id, whom, action }: Assignment, place: Scope, person: Person, mentionedNames: readonly string[] | undefined,
  ): Promise<Speech & { isPrivate?: true }> {
    const assignee = whom.toLowerCase() === 'me' ? person : await this.findPerson(mentionedNames, whom)
    if (!assignee) return speechOf(TO_WHOM)
    const matches = await this.find(id, place)
    if (matches.length !== 1) return speechOf(matches.length === 0
      ? `No waiting submission here has an id that begins with ${id}.`
      : `${matches.length} ids begin with ${id}. Type more of it.`)
    const attempt = { id: matches[0]!.id, person, place }
    const result = await this.decisions.decide(
      action ? { ...attempt, action } : { ...attempt, action: 'assign', assignee },
    )
    if (!('message' in result)) return speechOf(action ? ACTIONS[action].done : `${assignee.name} has it now.`)
    return { ...speechOf(result.message), ...result.kind === 'forbidden' && { isPrivate: true } }
  }

  private async findPerson(mentionedNames: readonly string[] | undefined, typedName: string): Promise<Person | null> {
    const { board } = this.context
    const names = mentionedNames ?? this.people.namesOf(typedName)
    const [first] = names
    if (first === undefined) return null
    const [platform = '', ...id] = first.split(':')
    const identity = this.people.known(names)
    const name = visible(await board.nameOf(first) ?? identity.person ?? id.join(':'))
    return { id: id.join(':'), name, platform: board.label(platform), ...identity }
  }

  private async find(id: string, place: Scope): Promise<SubmissionRecord[]> {
    const { store } = this.context
    const exactMatch = await store.get(id)
    if (exactMatch) return belongsTo(place, exactMatch, this.context) ? [exactMatch] : []
    // Search only if the message is from a room with cards: anybody may write to the bot, as often as they like.
    if (!isRoom(place, this.context.forms)) return []
    const { found: submissions } = await pendingAt(place, RECORDS, this.context, page => store.listRecords(page))
    return submissions.filter(submission => submission.id.startsWith(id))
  }
}

function speechOf(text: RichText): Speech {
  return { text: [text] }
}
