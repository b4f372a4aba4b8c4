import { ACTIONS, type AssignmentAction } from '../../../shared/actions'
import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { counted } from '../../../shared/utils/text'
import type { SpeechButton } from '../../ports/board'
import type { Speech, SpeechItem } from '../../ports/conversation'
import type { Form } from '../../ports/form'
import type { Person, SubmissionRecord } from '../../ports/submission'
import type { Context } from '../context'
import { PeopleUnknown } from '../errors'
import { identityOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import type { Decisions } from '../review/decisions'
import { assigneeOf } from '../lifecycle/assignment'
import { pendingAt, RECORDS } from '../queries/search'
import { mentionOf } from './previews'

/** Max submissions in each list, oldest first. */
const LIST_LENGTH = 10

const CLOSED = 'Forms are shown here to people who may decide them: the reviewers or, without a list, everybody in the channel of the cards.'

/** A person's own page in chat: lists the submissions assigned to them and the unassigned ones. */
export class Home {
  constructor(
    private readonly context: Context, private readonly reviewers: Reviewers, private readonly decisions: Decisions,
  ) {}

  /** @param platform key of the platform @throws when the store cannot be reached, or rights cannot be checked */
  async of(person: Person, platform: string): Promise<Speech> {
    return this.queueOf(person, await this.formsOf(person, platform), platform)
  }

  private async queueOf(person: Person, forms: readonly Form[], platform: string): Promise<Speech> {
    if (forms.length === 0) return { text: [CLOSED] }
    const { submissions, complete } = await this.listWaiting(forms, platform)
    const assigneeIdOf = (submission: SubmissionRecord) => assigneeOf(submission, this.context.runtime.now())?.who
    const mySubmissions = submissions.filter(submission => assigneeIdOf(submission) === identityOf(person))
    const freeSubmissions = submissions.filter(submission => assigneeIdOf(submission) === undefined)
    const hasAssignment = submissions.some(({ form }) => this.context.forms.of(form).claim)
    const [myCount, freeCount] = [mySubmissions.length, freeSubmissions.length]
    const splitText = hasAssignment ? describeSplit(myCount, freeCount, submissions.length - myCount - freeCount) : ''
    const eachText = myCount > 0 && freeCount > 0 ? ' of each' : ''
    const limitText = myCount > LIST_LENGTH || freeCount > LIST_LENGTH ? ` The oldest ${LIST_LENGTH}${eachText}:` : ''
    return { text: [rich`${summary(submissions, complete, splitText)}${limitText}`], items: [
      ...this.listItems(mySubmissions, queueButton('hand-back')),
      ...this.listItems(freeSubmissions, { ...queueButton('take'), primary: true }),
    ] }
  }

  /** Handles a button of the page and shows the result above the queue. */
  async pressed(action: AssignmentAction, id: string, person: Person, platform: string): Promise<Speech> {
    const forms = await this.formsOf(person, platform)
    const { submissions } = await this.listWaiting(forms, platform)
    if (!submissions.some(submission => submission.id === id)) return this.queueOf(person, forms, platform)
    const result = await this.decisions.decide({ id, action, person, place: roomsOf(forms, platform) })
    const { text, ...queue } = await this.queueOf(person, forms, platform)
    return { ...queue, text: 'message' in result ? [result.message, ...text] : text }
  }

  /** Returns the forms for which a person is a reviewer or, if a form lists none, a member of one of its rooms. */
  private async formsOf(person: Person, platform: string): Promise<Form[]> {
    const forms = this.context.forms.all.filter(form => roomsOf([form], platform).length > 0)
    // Check each room once: several forms may share it.
    const openForms = forms.filter(({ reviewers }) => !reviewers)
    const rooms = new Set(roomsOf(openForms, platform))
    const memberships = new Map([...rooms].map(room => [room, this.isMember(room, person)]))
    const permissions = await Promise.all(forms.map(form => this.mayDecide(form, person, platform, memberships)))
    return forms.filter((_, index) => permissions[index])
  }

  private async isMember(room: string, person: Person): Promise<boolean | null> {
    const outcome = await this.context.board.hasMember(room, person)
    return outcome.ok ? outcome.value : null
  }

  private async mayDecide(
    form: Form, person: Person, platform: string, memberships: ReadonlyMap<string, Promise<boolean | null>>,
  ): Promise<boolean> {
    const answers = form.reviewers
      ? [await this.reviewers.has(form.reviewers, person)]
      : await Promise.all(roomsOf([form], platform).map(room => memberships.get(room)!))
    if (answers.includes(null) && !answers.includes(true)) throw new PeopleUnknown()
    return answers.includes(true)
  }

  /** Returns the waiting submissions of these forms, oldest first. */
  private async listWaiting(forms: readonly Form[], platform: string) {
    const { found: pendingSubmissions, complete } = await pendingAt(
      roomsOf(forms, platform), RECORDS, this.context, page => this.context.store.listRecords(page),
    )
    // Leave out other forms that share these rooms.
    const submissions = pendingSubmissions.filter(({ form }) => forms.some(({ key }) => key === form)).reverse()
    return { submissions, complete }
  }

  private listItems(submissions: readonly SubmissionRecord[], button: SpeechButton): SpeechItem[] {
    return submissions.slice(0, LIST_LENGTH).map(submission => ({
      // Leave out form data: the page stays unchanged, even after an erasure, until somebody opens it again.
      ...mentionOf(submission, this.context),
      ...this.context.forms.of(submission.form).claim && { button: { ...button, value: submission.id } },
    }))
  }
}

/** Returns the button of an action. Its id differs from the one on cards, because a home page is in no room. */
export function queueButton(action: AssignmentAction): SpeechButton {
  const { card, label } = ACTIONS[action]
  return { id: `queue_${card!.id}`, label }
}

function roomsOf(forms: readonly Form[], platform: string): string[] {
  return forms.flatMap(({ rooms }) => rooms.filter(room => room.split('/')[0] === platform))
}

function summary(submissions: readonly SubmissionRecord[], isComplete: boolean, splitText: string): RichText {
  const [oldest] = submissions
  if (!oldest) return 'No submission waits for you. All done.'
  const count = `${isComplete ? '' : 'At least '}${counted(submissions.length, 'submission waits', 'submissions wait')}`
  return rich`${count}${splitText}. The oldest arrived on ${dateTime(oldest.receivedAt)}.`
}

/** Example: `: 2 are yours, 1 is free, others have 3`. */
function describeSplit(myCount: number, freeCount: number, otherCount: number): string {
  const are = (count: number) => `${count} ${count === 1 ? 'is' : 'are'}`
  const parts = [
    ...myCount > 0 ? [`${are(myCount)} yours`] : [], ...freeCount > 0 ? [`${are(freeCount)} free`] : [],
    ...otherCount > 0 ? [`others have ${otherCount}`] : [],
  ]
  return `: ${parts.join(', ')}`
}
