import { TALLY_WINDOW_MS, inHours } from '../../../shared/lifetimes'
import type { RichText } from '../../../shared/types/line'
import { dateTime, rich } from '../../../shared/utils/line'
import { counted } from '../../../shared/utils/text'
import type { CardView, Scope } from '../../ports/board'
import type { BotAnswer, Speech, SpeechItem } from '../../ports/conversation'
import type { CardRef, Submission } from '../../ports/submission'
import type { Form } from '../../ports/form'
import { decidedOf, cardView, goneCardView } from '../cards/card-view'
import type { Context } from '../context'
import { allTargets } from '../deliveries/registry'
import type { Outbox } from '../outbox/outbox'
import { pendingAt, READING, RECORDS, searchFor } from '../queries/search'
import { belongsTo, isFormOf, isRoom } from '../review/scope'
import { isOver, MOST_CARDS } from '../lifecycle/record'
import { previewOf, shorten } from './previews'
import { helpOf, unknownReply } from './texts'

/** Commands whose answer does not depend on the person who asks */
const QUESTIONS = ['help', 'pending', 'show', 'status'] as const

/** Typed command, parsed without a language model. */
export interface ChatCommand {
  /** Null if it is no command. */
  name: typeof QUESTIONS[number] | null
  /** Text after the command, as typed. */
  argument: string
}

/** Mentions at the beginning, as adapters write them: `@form-bot`, `<@U123>`, `<@!456>`, `<@&789>`. */
const ADDRESS = /^(?:(?:<@[!&]?\w+(?:\|[^<>]*)?>|@[\p{L}\p{N}_.-]+)[\s,:;]*)+/u

/** Parses a command; ignores case, a leading slash, punctuation and the mention of the bot. */
export function parseCommand(text: string): ChatCommand {
  const [, word = '', argument = ''] = /^\/?(\p{L}+)[?!.,:]*(?:\s([\s\S]*))?$/u.exec(withoutAddress(text)) ?? []
  const name = QUESTIONS.find(command => command === word.toLowerCase())
  // Without another argument, treat a name at the end as the argument, not as a mention of the bot.
  if (name === 'show' && !argument.trim()) return { name, argument: nameAtEnd(text) }
  // Only `show` accepts an argument, even `Show me what …`. Another command followed by words is a plain sentence.
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

/** Submissions listed in one answer. */
const LIST_LENGTH = 5

/** Audit lines read to count the decisions of the last day. */
const AUDIT_LINES = 500
/**
 * Answers typed questions about waiting submissions. In a room with cards, or a thread there, the answers are about the
 * submissions of that room. Elsewhere they say nothing about any submission, not even how many there are.
 */
export class ChatCommands {
  constructor(private readonly context: Context, private readonly outbox: Outbox) {}

  /** @throws when the store cannot be reached */
  async answer({ name, argument }: ChatCommand, place: Scope): Promise<BotAnswer> {
    switch (name) {
      case 'help': return { speech: helpOf(this.context.forms.all.some(({ claim }) => claim)) }
      case null: return { speech: unknownReply }
      case 'status': return { speech: await this.describeStatus(place) }
    }
    if (!isRoom(place, this.context.forms)) return { speech: speechOf(ELSEWHERE) }
    return name === 'show' ? this.show(argument, place) : { speech: await this.listPending(place) }
  }

  /**
   * Records a card that was posted on request, so that it is updated like the first one.
   *
   * @param version version of the submission that the card shows
   * @returns a replacement for the card if the submission was deleted meanwhile
   */
  async shown(id: string, card: CardRef, version?: number): Promise<CardView | null> {
    const { runtime } = this.context
    const result = await this.outbox.apply(id, [
      { type: 'done', key: `show:${card.platform}:${card.messageId}`, card, version },
    ])
    if ('refused' in result) return goneCardView(id, this.context)
    if (result.added.length > 0) runtime.background(this.outbox.run(result.submission, result.added))
    return null
  }

  /**
   * Adapts an answer to a private message, which cannot be changed later: its card has no buttons, but a link to the
   * card that has them.
   */
  async alone(answer: BotAnswer, place: Scope): Promise<BotAnswer> {
    if ('speech' in answer) return { speech: { ...answer.speech, buttons: [] } }
    const { store, board } = this.context
    const cards = (await store.get(answer.card.submissionId))?.cards ?? []
    const roomCard = cards.findLast(card => place.includes(board.roomOf(card)))
    const decideAt = roomCard ? await board.link(roomCard) : null
    return { card: { ...answer.card, actions: [], ...decideAt === null ? {} : { decideAt } } }
  }

  private async listPending(place: Scope): Promise<Speech> {
    const { found: submissions, complete } = await pendingAt(
      place, READING, this.context, page => this.context.store.listPending(page),
    )
    const emptyText = `None of the newest ${READING.most} submissions belongs to this channel.`
    if (submissions.length === 0) return speechOf(complete ? 'No submission waits. All done.' : emptyText)
    const countPhrase = counted(submissions.length, 'submission waits', 'submissions wait')
    const countText = `${complete ? '' : 'At least '}${countPhrase}.`
    const oldestText = complete ? rich` The oldest arrived on ${dateTime(submissions.at(-1)!.receivedAt)}.` : ''
    const newestText = submissions.length > LIST_LENGTH ? ` The newest ${LIST_LENGTH}:` : ''
    return speechOf(rich`${countText}${oldestText}${newestText}`, this.listItems(submissions))
  }

  private async show(query: string, place: Scope): Promise<BotAnswer> {
    if (!query) return { speech: speechOf('Which one? Type show and an id, or words from the form.') }
    const exactMatch = /^[0-9a-f-]{36}$/i.test(query) ? await this.context.store.get(query.toLowerCase()) : null
    if (exactMatch && !isOver(exactMatch) && belongsTo(place, exactMatch, this.context)) {
      return this.answerWithCard(exactMatch)
    }
    const { found: submissions, complete } = await pendingAt(
      place, READING, this.context, page => this.context.store.listPending(page),
    )
    const matches = submissions.filter(searchFor(query, this.context.forms))
    const [first, ...others] = matches
    if (first && others.length === 0) return this.answerWithCard(first)
    const limitText = complete ? '' : ` I looked through the newest ${READING.most}.`
    const noMatchText = `No waiting submission matches “${shorten(query)}”: it was decided, has expired, or never arrived.${limitText}`
    if (!first) return { speech: speechOf(noMatchText) }
    const newestText = matches.length > LIST_LENGTH ? ` The newest ${LIST_LENGTH}:` : ''
    return { speech: speechOf(`${matches.length} submissions match.${newestText}${limitText}`, this.listItems(matches)) }
  }

  private answerWithCard(submission: Submission): BotAnswer {
    if (submission.cards.length < MOST_CARDS) {
      return { card: cardView(submission, this.context), version: submission.version }
    }
    const text = `This submission has ${MOST_CARDS} cards already. Decide it on one of them, or open its page.`
    return { speech: speechOf(text, this.listItems([submission])) }
  }

  private async describeStatus(place: Scope): Promise<Speech> {
    const { store, board, forms, runtime } = this.context
    const platformsLine = `Connected: ${board.platforms.map(key => board.label(key)).join(', ')}`
    if (!isRoom(place, forms)) return { text: [platformsLine, ELSEWHERE] }
    const [{ found: submissions, complete }, lines] = await Promise.all([
      pendingAt(place, RECORDS, this.context, page => store.listRecords(page)), store.audit(AUDIT_LINES),
    ])
    const recentLines = lines.filter(({ at }) => at > runtime.now() - TALLY_WINDOW_MS)
    const decidedLines = decidedOf(recentLines).filter(({ form }) => isFormOf(place, form, forms))
    const countOutcome = (outcome: string) => decidedLines.filter(line => line.outcome === outcome).length
    return speechOf([
      platformsLine,
      `Waiting: ${submissions.length}${complete ? '' : ' or more'}`,
      `Last ${inHours(TALLY_WINDOW_MS)}: ${countOutcome('forwarded') + countOutcome('edited')} forwarded, ${countOutcome('spam')} marked as spam, ${countOutcome('expired')} expired${recentLines.length === AUDIT_LINES ? ' (or more)' : ''}`,
      // List the targets last: an answer with many forms is cut at its end.
      ...destinations(forms.all.filter(({ key }) => isFormOf(place, key, forms))),
    ].join('\n'))
  }

  private listItems(submissions: readonly Submission[]): SpeechItem[] {
    return submissions.slice(0, LIST_LENGTH).map(submission => previewOf(submission, this.context))
  }
}

function speechOf(text: RichText, items?: readonly SpeechItem[]): Speech {
  return { text: [text], ...items ? { items } : {} }
}

const ELSEWHERE = 'Forms are shown only in the channel of the cards: ask me there.'

/** Returns lines like `Forwards of Contact go to: sales@example.com and crm.example.com`; one line if all are equal. */
function destinations(forms: readonly Form[]): string[] {
  const targets = forms.map(form => allTargets(form).join(' and '))
  return new Set(targets).size === 1 && forms.length > 1
    ? [`All forwards go to: ${targets[0]}`]
    : forms.map(({ name }, index) => `Forwards${name ? ` of ${name}` : ''} go to: ${targets[index]}`)
}
