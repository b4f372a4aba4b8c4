import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { counted } from '../../../shared/utils/text'
import type { ReviewBoard, SpeechButton } from '../../ports/board'
import type { Speech, SpeechItem } from '../../ports/conversation'
import type { Form } from '../../ports/form'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { Person, SubmissionRecord } from '../../ports/submission'
import { PeopleUnknown } from '../errors'
import { identityOf } from '../people/people'
import type { Reviewers } from '../people/reviewers'
import type { Decisions } from '../review/decisions'
import { assigneeOf } from '../lifecycle/assignment'
import type { Presentation } from '../cards/card-view'
import { pendingAt, RECORDS } from '../queries/search'
import { mentionOf } from './previews'

export interface HomePorts {
  store: SubmissionStore
  board: ReviewBoard
  presentation: Presentation
  reviewers: Reviewers
  decisions: Decisions
  runtime: Runtime
}

/** Submissions shown of each kind, oldest first. */
const SHOWN = 10

const CLOSED = 'Forms are shown here to those who decide them: the reviewers, or else the people of the channel of the cards.'

/** A person's own page in chat: lists their submissions and the free ones. */
export class Home {
  constructor(private readonly ports: HomePorts) {}

  /** @param platform key of the platform @throws when the store cannot be reached, or rights cannot be checked */
  async of(person: Person, platform: string): Promise<Speech> {
    return this.queueOf(person, await this.formsOf(person, platform), platform)
  }

  private async queueOf(person: Person, forms: readonly Form[], platform: string): Promise<Speech> {
    if (forms.length === 0) return { text: [CLOSED] }
    const { all, complete } = await this.waiting(forms, platform)
    const holder = (submission: SubmissionRecord) => assigneeOf(submission, this.ports.runtime.now())?.who
    const mine = all.filter(submission => holder(submission) === identityOf(person))
    const free = all.filter(submission => holder(submission) === undefined)
    const takes = all.some(({ form }) => this.ports.presentation.forms.of(form).claim)
    const whose = takes ? split(mine.length, free.length, all.length - mine.length - free.length) : ''
    const each = mine.length > 0 && free.length > 0 ? ' of each' : ''
    const cut = mine.length > SHOWN || free.length > SHOWN ? ` The oldest ${SHOWN}${each}:` : ''
    return { text: [rich`${summary(all, complete, whose)}${cut}`], items: [
      ...this.items(mine, { id: 'queue_hand_back', label: 'Hand back' }),
      ...this.items(free, { id: 'queue_take', label: 'Take', primary: true }),
    ] }
  }

  /** Handles a button of the page; the result of the click stands above the queue. */
  async pressed(action: 'take' | 'hand-back', id: string, person: Person, platform: string): Promise<Speech> {
    const forms = await this.formsOf(person, platform)
    const { all } = await this.waiting(forms, platform)
    if (!all.some(submission => submission.id === id)) return this.queueOf(person, forms, platform)
    const result = await this.ports.decisions.decide({ id, action, person, place: roomsOf(forms, platform) })
    const { text, ...queue } = await this.queueOf(person, forms, platform)
    return { ...queue, text: 'message' in result ? [result.message, ...text] : text }
  }

  /** Returns the forms that a person may decide: as a reviewer or, without a list, as a member of one of its rooms. */
  private async formsOf(person: Person, platform: string): Promise<Form[]> {
    const forms = this.ports.presentation.forms.all.filter(form => roomsOf([form], platform).length > 0)
    // Several forms may share a room.
    const open = forms.filter(({ reviewers }) => !reviewers)
    const rooms = new Map([...new Set(roomsOf(open, platform))].map(room => [room, this.isIn(room, person)]))
    const may = await Promise.all(forms.map(form => this.mayDecide(form, person, platform, rooms)))
    return forms.filter((_, position) => may[position])
  }

  private async isIn(room: string, person: Person): Promise<boolean | null> {
    const outcome = await this.ports.board.hasMember(room, person)
    return outcome.ok ? outcome.value : null
  }

  private async mayDecide(
    form: Form, person: Person, platform: string, rooms: ReadonlyMap<string, Promise<boolean | null>>,
  ): Promise<boolean> {
    const { reviewers } = this.ports
    const asked = form.reviewers
      ? [await reviewers.has(form.reviewers, person)]
      : await Promise.all(roomsOf([form], platform).map(room => rooms.get(room)!))
    if (asked.includes(null) && !asked.includes(true)) throw new PeopleUnknown()
    return asked.includes(true)
  }

  /** Returns the waiting submissions of these forms, oldest first. */
  private async waiting(forms: readonly Form[], platform: string) {
    const { found, complete } = await pendingAt(
      roomsOf(forms, platform), RECORDS, this.ports, page => this.ports.store.listRecords(page),
    )
    // The rooms may also belong to other forms.
    const all = found.filter(({ form }) => forms.some(({ key }) => key === form)).reverse()
    return { all, complete }
  }

  private items(submissions: readonly SubmissionRecord[], button: SpeechButton): SpeechItem[] {
    const { presentation } = this.ports
    return submissions.slice(0, SHOWN).map(submission => ({
      // No form data here: the published page stays unchanged until it is opened again.
      ...mentionOf(submission, presentation),
      ...presentation.forms.of(submission.form).claim && { button: { ...button, value: submission.id } },
    }))
  }
}

function roomsOf(forms: readonly Form[], platform: string): string[] {
  return forms.flatMap(({ rooms }) => rooms.filter(room => room.split('/')[0] === platform))
}

function summary(all: readonly SubmissionRecord[], complete: boolean, whose: string): RichText {
  const [oldest] = all
  if (!oldest) return 'No submission waits for you. All done.'
  const count = `${complete ? '' : 'At least '}${counted(all.length, 'submission waits', 'submissions wait')}`
  return rich`${count}${whose}. The oldest came on ${dateTime(oldest.receivedAt)}.`
}

/** Example: `: 2 are yours, 1 is free, others have 3`. */
function split(mine: number, free: number, others: number): string {
  const are = (count: number) => `${count} ${count === 1 ? 'is' : 'are'}`
  const parts = [
    ...mine > 0 ? [`${are(mine)} yours`] : [], ...free > 0 ? [`${are(free)} free`] : [],
    ...others > 0 ? [`others have ${others}`] : [],
  ]
  return `: ${parts.join(', ')}`
}
