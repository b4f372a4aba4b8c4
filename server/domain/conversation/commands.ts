import type { CardView, Field, Place } from '../../ports/board'
import type { Answer, Speech, SpeechItem } from '../../ports/conversation'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission } from '../../ports/submission'
import type { Form } from '../../ports/form'
import type { Outbox } from '../submission/outbox'
import { pendingAt, searchFor } from '../submission/search'
import { belongsTo, isFormOf, isRoom, type PlacePorts } from '../submission/place'
import { cardView, readFields, retiredCardView, type Presentation, readTime } from '../submission/present'
import { help, unknown } from './texts'

const COMMANDS = ['help', 'pending', 'show', 'status'] as const

/** What somebody typed, read without a model. */
export interface Command {
  /** Null when it is none of them. */
  name: typeof COMMANDS[number] | null
  /** What follows the command, as it was typed. */
  argument: string
}

/** Whom a message is addressed to, as adapters write it: `@form-bot`, `<@U123>`, `<@!456>`, `<@&789>`. */
const ADDRESS = /^(?:<@[!&]?\w+(?:\|[^>]*)?>|@[\p{L}\p{N}_.-]+)[\s,:;]*/u

/** Reads a command; case, a leading slash, full stops and the mention of the bot do not matter. */
export function parseCommand(text: string): Command {
  const [, word = '', argument = ''] = /^\/?(\p{L}+)[?!.,:]*(?:\s+([\s\S]*))?$/u.exec(withoutAddress(text)) ?? []
  const name = COMMANDS.find(command => command === word.toLowerCase())
  // `Show me what …` and `help! my …` are sentences, which only `show` is made to take.
  return name && (name === 'show' || !argument.trim())
    ? { name, argument: argument.trim() }
    : { name: null, argument: '' }
}

/** The text without the mentions that it begins with; a mention at the end addresses the bot too. */
export function withoutAddress(text: string): string {
  let rest = text.trim()
  while (ADDRESS.test(rest)) rest = rest.replace(ADDRESS, '')
  return rest.replace(/\s+(?:<@[!&]?\w+(?:\|[^>]*)?>|@[\p{L}\p{N}_.-]+)$/u, '').trim()
}

export interface ChatCommandsPorts {
  store: Pick<SubmissionStore, 'listPending' | 'get' | 'audit'>
  outbox: Pick<Outbox, 'apply' | 'run'>
  presentation: Presentation
  board: PlacePorts['board']
  /** The platforms that are connected, as people call them. */
  platforms: readonly string[]
  runtime: Pick<Runtime, 'now' | 'background'>
}

/** Submissions listed in one answer. */
const LISTED = 5
/** Fields and characters of each in a preview. */
const PREVIEW_FIELDS = 3
const PREVIEW_LENGTH = 80

/** Cards that one submission may have, those on request included: each follows what becomes of it. */
const MOST_CARDS = 20

/** Pending submissions that are read at most for one answer, newest first. */
const READING = { most: 1000, page: 100 }

/** Audit lines that are read for the count of the last day. */
const AUDITED = 500
const DAY_MS = 86_400_000

/**
 * Answers about the submissions that wait, for whoever asks in words. In a room of the cards, or a thread of one, it
 * tells of those whose cards everybody there sees anyway; elsewhere of none, not even how many there are.
 */
export class ChatCommands {
  constructor(private readonly ports: ChatCommandsPorts) {}

  /** @throws when the store cannot be reached */
  async answer({ name, argument }: Command, place: Place): Promise<Answer> {
    switch (name) {
      case 'help': return { speech: help }
      case null: return { speech: unknown }
      case 'status': return { speech: await this.status(place) }
    }
    if (!isRoom(place, this.ports.presentation.forms)) return { speech: { text: [ELSEWHERE] } }
    return name === 'show' ? this.show(argument, place) : { speech: await this.pending(place) }
  }

  /**
   * A card that was posted on request: it follows what becomes of the submission like the first one.
   *
   * @returns what it has to show instead when the submission was decided in the meantime
   */
  async shown(id: string, card: CardRef): Promise<CardView | null> {
    const { outbox, presentation, runtime } = this.ports
    const applied = await outbox.apply(id, [{ type: 'done', key: `show:${card.platform}:${card.messageId}`, card }])
    if ('refused' in applied) return retiredCardView(id, presentation)
    if (applied.submission && applied.added.length > 0) {
      runtime.background(outbox.run(applied.submission, applied.added))
    }
    return null
  }

  private async pending(place: Place): Promise<Speech> {
    const { found, complete } = await pendingAt(place, READING, this.ports)
    if (found.length === 0) return {
      text: [
        complete
          ? 'No submission waits. All done.'
          : `None of the newest ${READING.most} submissions is of this channel.`,
      ],
    }
    const count = `${complete ? '' : 'At least '}${found.length} ${found.length === 1 ? 'submission waits' : 'submissions wait'}.`
    const oldest = complete ? ` The oldest came on ${readTime(found.at(-1)!.receivedAt)}.` : ''
    const newest = found.length > LISTED ? ` The newest ${LISTED}:` : ''
    return {
      text: [`${count}${oldest}${newest}`], items: found.slice(0, LISTED).map(submission => this.item(submission)),
    }
  }

  private async show(wanted: string, place: Place): Promise<Answer> {
    if (!wanted) return { speech: { text: ['Which one? Type show and an id, or words from the form.'] } }
    const exact = /^[0-9a-f-]{36}$/i.test(wanted) ? await this.ports.store.get(wanted.toLowerCase()) : null
    if (exact && belongsTo(place, exact, this.ports)) return this.posted(exact)
    const { found, complete } = await pendingAt(place, READING, this.ports)
    const matches = found.filter(searchFor(wanted, this.ports.presentation.forms))
    const [first, ...others] = matches
    if (first && others.length === 0) return this.posted(first)
    const limit = complete ? '' : ` I looked through the newest ${READING.most}.`
    if (!first) return {
      speech: {
        text: [`Nothing that waits matches “${shorten(wanted)}”: it was decided, has expired, or never came.${limit}`],
      },
    }
    const text = `${matches.length} match.${matches.length > LISTED ? ` The newest ${LISTED}:` : ''}${limit}`
    return { speech: { text: [text], items: matches.slice(0, LISTED).map(submission => this.item(submission)) } }
  }

  private posted(submission: Submission): Answer {
    if (submission.cards.length < MOST_CARDS) return { card: this.view(submission) }
    return {
      speech: {
        text: [
          'It was shown so often that another card would only be in the way. Decide it on one of its cards, or open it.',
        ],
        items: [this.item(submission)],
      },
    }
  }

  private async status(place: Place): Promise<Speech> {
    const { store, platforms, presentation: { forms }, runtime } = this.ports
    const connected = `Connected: ${platforms.join(', ')}`
    if (!isRoom(place, forms)) return { text: [connected, ELSEWHERE] }
    const [{ found, complete }, lines] = await Promise.all([
      pendingAt(place, READING, this.ports), store.audit(AUDITED),
    ])
    const recent = lines.filter(({ at }) => at > runtime.now() - DAY_MS)
    const ours = recent.filter(({ form }) => isFormOf(place, form, forms))
    const decided = (outcome: string) => ours.filter(line => line.outcome === outcome).length
    return {
      text: [
        [
          connected,
          ...forms.all.filter(({ key }) => isFormOf(place, key, forms)).map(destinations),
          `Waiting: ${found.length}${complete ? '' : ' or more'}`,
          `Last 24 hours: ${decided('forwarded') + decided('edited')} forwarded, ${decided('spam')} marked as spam, ${decided('expired')} expired${recent.length === AUDITED ? ' (or more)' : ''}`,
        ].join('\n'),
      ],
    }
  }

  private view(submission: Submission): CardView {
    return cardView(submission, this.ports.presentation)
  }

  private fields(submission: Submission): Field[] {
    return readFields(submission, this.ports.presentation.forms.of(submission.form).labels)
  }

  private item(submission: Submission): SpeechItem {
    const fields = this.fields(submission).slice(0, PREVIEW_FIELDS)
    const { url } = this.view(submission)
    const preview = fields.map(({ label, value }) => `${shorten(label)}: ${shorten(value)}`).join('\n')
    return {
      label: `${shortId(submission)} · ${readTime(submission.receivedAt)}`, value: preview || 'The form was empty.',
      ...url === null ? {} : { link: { label: `Open ${shortId(submission)}`, url } },
    }
  }
}

const ELSEWHERE = 'Forms are shown only in the channel of the cards: ask me there.'

/** `Forwards of Contact go to: sales@example.com and crm.example.com`. */
function destinations({ name, to, endpoint }: Form): string {
  return `Forwards${name ? ` of ${name}` : ''} go to: ${[...to, ...endpoint ? [endpoint.host] : []].join(' and ')}`
}

/** Enough of an id to tell it from others; `show` takes it. */
function shortId({ id }: Submission): string {
  return id.slice(0, 8)
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= PREVIEW_LENGTH ? line : `${line.slice(0, PREVIEW_LENGTH - 1).toWellFormed()}…`
}
