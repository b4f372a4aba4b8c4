import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { counted } from '../../../shared/utils/text'
import type { CardView, Scope, ReviewBoard } from '../../ports/board'
import type { Answer, Speech, SpeechItem } from '../../ports/conversation'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission } from '../../ports/submission'
import type { Form } from '../../ports/form'
import { decidedOf, cardView, goneCardView, type Presentation } from '../cards/card-view'
import type { Outbox } from '../outbox/outbox'
import { pendingAt, READING, RECORDS, searchFor } from '../queries/search'
import { belongsTo, isFormOf, isRoom } from '../review/scope'
import { isOver, MOST_CARDS } from '../lifecycle/record'
import { previewOf, shorten } from './previews'
import { helpOf, unknownReply } from './texts'

/** Commands that do not need to know who asks. */
const QUESTIONS = ['help', 'pending', 'show', 'status'] as const

/** Typed command, read without a model. */
export interface ChatCommand {
  /** Null if it is no command. */
  name: typeof QUESTIONS[number] | null
  /** Text after the command, as typed. */
  argument: string
}

/** Mentions at the beginning, as adapters write them: `@form-bot`, `<@U123>`, `<@!456>`, `<@&789>`. */
const ADDRESS = /^(?:(?:<@[!&]?\w+(?:\|[^<>]*)?>|@[\p{L}\p{N}_.-]+)[\s,:;]*)+/u

/** Reads a command; ignores case, a leading slash, full stops and the mention of the bot. */
export function parseCommand(text: string): ChatCommand {
  const [, word = '', argument = ''] = /^\/?(\p{L}+)[?!.,:]*(?:\s([\s\S]*))?$/u.exec(withoutAddress(text)) ?? []
  const name = QUESTIONS.find(command => command === word.toLowerCase())
  // Without another argument, a name at the end says what to show and does not address the bot.
  if (name === 'show' && !argument.trim()) return { name, argument: nameAtEnd(text) }
  // Only `show` takes further words, even in `Show me what …`; `help! my …` is a sentence and no command.
  return name && (name === 'show' || !argument.trim())
    ? { name, argument: argument.trim() }
    : { name: null, argument: '' }
}

/** Returns the text without mentions of the bot at its beginning and its end. */
export function withoutAddress(text: string): string {
  const rest = text.trim().replace(ADDRESS, '')
  return rest.replace(/(?<!\s)\s+(?:<@[!&]?\w+(?:\|[^<>]*)?>|@[\p{L}\p{N}_.-]+)$/u, '').trim()
}

/** Returns a typed mention such as `@acme` at the end of a text; empty if there is none. */
export function nameAtEnd(text: string): string {
  return /(?<=\s)@[\p{L}\p{N}_.-]+$/u.exec(text.trim())?.[0] ?? ''
}

export interface ChatCommandsPorts {
  store: SubmissionStore
  outbox: Outbox
  presentation: Presentation
  board: ReviewBoard
  /** Connected platforms, by the names that people use. */
  platforms: readonly string[]
  runtime: Runtime
}

/** Submissions listed in one answer. */
const LISTED = 5

/** Audit lines read to count the decisions of the last day. */
const AUDITED = 500
const DAY_MS = 86_400_000

/**
 * Answers typed questions about waiting submissions. In a room of the cards, or a thread there, it covers submissions
 * whose cards everybody there sees anyway. Elsewhere it says nothing about any submission, not even how many there are.
 */
export class ChatCommands {
  constructor(private readonly ports: ChatCommandsPorts) {}

  /** @throws when the store cannot be reached */
  async answer({ name, argument }: ChatCommand, place: Scope): Promise<Answer> {
    switch (name) {
      case 'help': return { speech: helpOf(this.ports.presentation.forms.all.some(({ claim }) => claim)) }
      case null: return { speech: unknownReply }
      case 'status': return { speech: await this.status(place) }
    }
    if (!isRoom(place, this.ports.presentation.forms)) return { speech: says(ELSEWHERE) }
    return name === 'show' ? this.show(argument, place) : { speech: await this.pending(place) }
  }

  /**
   * Records a card that was posted on request: it is updated like the first one.
   *
   * @param version version of the submission that the card shows
   * @returns a replacement for the card if the submission is not kept any more
   */
  async shown(id: string, card: CardRef, version?: number): Promise<CardView | null> {
    const { outbox, presentation, runtime } = this.ports
    const applied = await outbox.apply(id, [
      { type: 'done', key: `show:${card.platform}:${card.messageId}`, card, version },
    ])
    if ('refused' in applied) return goneCardView(id, presentation)
    if (applied.added.length > 0) runtime.background(outbox.run(applied.submission, applied.added))
    return null
  }

  /**
   * Answer for one person alone, in a message that cannot be changed later: a card comes without its buttons and links
   * to the card that has them.
   */
  async alone(answer: Answer, place: Scope): Promise<Answer> {
    if ('speech' in answer) return { speech: { ...answer.speech, buttons: [] } }
    const { store, board } = this.ports
    const cards = (await store.get(answer.card.submissionId))?.cards ?? []
    const here = cards.findLast(card => place.includes(board.roomOf(card)))
    const decideAt = here ? await board.link(here) : null
    return { card: { ...answer.card, actions: [], ...decideAt === null ? {} : { decideAt } } }
  }

  private async pending(place: Scope): Promise<Speech> {
    const { found, complete } = await pendingAt(place, READING, this.ports, page => this.ports.store.listPending(page))
    const none = `None of the newest ${READING.most} submissions is of this channel.`
    if (found.length === 0) return says(complete ? 'No submission waits. All done.' : none)
    const count = `${complete ? '' : 'At least '}${counted(found.length, 'submission waits', 'submissions wait')}.`
    const oldest = complete ? rich` The oldest came on ${dateTime(found.at(-1)!.receivedAt)}.` : ''
    const newest = found.length > LISTED ? ` The newest ${LISTED}:` : ''
    return says(rich`${count}${oldest}${newest}`, this.items(found))
  }

  private async show(wanted: string, place: Scope): Promise<Answer> {
    if (!wanted) return { speech: says('Which one? Type show and an id, or words from the form.') }
    const exact = /^[0-9a-f-]{36}$/i.test(wanted) ? await this.ports.store.get(wanted.toLowerCase()) : null
    if (exact && !isOver(exact) && belongsTo(place, exact, this.ports)) return this.posted(exact)
    const { found, complete } = await pendingAt(place, READING, this.ports, page => this.ports.store.listPending(page))
    const matches = found.filter(searchFor(wanted, this.ports.presentation.forms))
    const [first, ...others] = matches
    if (first && others.length === 0) return this.posted(first)
    const limit = complete ? '' : ` I looked through the newest ${READING.most}.`
    const nothing = `Nothing that waits matches “${shorten(wanted)}”: it was decided, has expired, or never came.${limit}`
    if (!first) return { speech: says(nothing) }
    const newest = matches.length > LISTED ? ` The newest ${LISTED}:` : ''
    return { speech: says(`${matches.length} submissions match.${newest}${limit}`, this.items(matches)) }
  }

  private posted(submission: Submission): Answer {
    if (submission.cards.length < MOST_CARDS) {
      return { card: cardView(submission, this.ports.presentation), version: submission.version }
    }
    const enough = 'This submission has 20 cards already. Decide it on one of them, or open its page.'
    return { speech: says(enough, this.items([submission])) }
  }

  private async status(place: Scope): Promise<Speech> {
    const { store, platforms, presentation: { forms }, runtime } = this.ports
    const connected = `Connected: ${platforms.join(', ')}`
    if (!isRoom(place, forms)) return { text: [connected, ELSEWHERE] }
    const [{ found, complete }, lines] = await Promise.all([
      pendingAt(place, RECORDS, this.ports, page => store.listRecords(page)), store.audit(AUDITED),
    ])
    const recent = lines.filter(({ at }) => at > runtime.now() - DAY_MS)
    const ours = decidedOf(recent).filter(({ form }) => isFormOf(place, form, forms))
    const decided = (outcome: string) => ours.filter(line => line.outcome === outcome).length
    return says([
      connected,
      `Waiting: ${found.length}${complete ? '' : ' or more'}`,
      `Last 24 hours: ${decided('forwarded') + decided('edited')} forwarded, ${decided('spam')} marked as spam, ${decided('expired')} expired${recent.length === AUDITED ? ' (or more)' : ''}`,
      // Listed last, because the answer is cut at its end if there are many forms.
      ...destinations(forms.all.filter(({ key }) => isFormOf(place, key, forms))),
    ].join('\n'))
  }

  private items(submissions: readonly Submission[]): SpeechItem[] {
    return submissions.slice(0, LISTED).map(submission => previewOf(submission, this.ports.presentation))
  }
}

function says(text: RichText, items?: readonly SpeechItem[]): Speech {
  return { text: [text], ...items ? { items } : {} }
}

const ELSEWHERE = 'Forms are shown only in the channel of the cards: ask me there.'

/** Returns lines like `Forwards of Contact go to: sales@example.com and crm.example.com`; one if all targets match. */
function destinations(forms: readonly Form[]): string[] {
  const places = forms.map(({ to, endpoint }) => [...to, ...endpoint ? [endpoint.host] : []].join(' and '))
  return new Set(places).size === 1 && forms.length > 1
    ? [`All forwards go to: ${places[0]}`]
    : forms.map(({ name }, index) => `Forwards${name ? ` of ${name}` : ''} go to: ${places[index]}`)
}
