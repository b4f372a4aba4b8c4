import type { CardView, Field } from '../../ports/board'
import type { Answer, Speech, SpeechItem } from '../../ports/conversation'
import type { Runtime } from '../../ports/runtime'
import type { SubmissionStore } from '../../ports/store'
import type { CardRef, Submission } from '../../ports/submission'
import type { Outbox } from '../submission/outbox'
import { cardView, deliveriesOf, readFields, readTime, retiredCardView, type Presentation } from '../submission/present'
import type { Command } from './command'
import { help, unknown } from './texts'

export interface DeskPorts {
  store: Pick<SubmissionStore, 'listPending' | 'get' | 'audit'>
  outbox: Pick<Outbox, 'apply' | 'run'>
  presentation: Presentation
  /** The platforms that are connected, as people call them. */
  platforms: readonly string[]
  runtime: Pick<Runtime, 'now' | 'background'>
}

/** Who asks, as far as an answer depends on it. */
export interface Asker {
  /** In a room of the cards, or a thread of one: everybody there sees the forms anyway. Elsewhere none is shown. */
  inRoom: boolean
}

/** Submissions listed in one answer. */
const LISTED = 5
/** Fields and characters of each in a preview. */
const PREVIEW_FIELDS = 3
const PREVIEW_LENGTH = 80

/** Pending submissions that are read at most for one answer, newest first, and how many at once. */
const READ_AT_MOST = 1000
const PAGE = 100

/** Audit lines that are read for the count of the last day. */
const AUDITED = 500
const DAY_MS = 86_400_000

/** Shorter pieces of an id are words to search for. */
const ID_PIECE = /^[0-9a-f][0-9a-f-]{3,35}$/i

/** Answers about the submissions that wait, for whoever asks in words. */
export class CommandDesk {
  constructor(private readonly ports: DeskPorts) {}

  /** @throws when the store cannot be reached */
  async answer({ name, argument }: Command, asker: Asker): Promise<Answer> {
    switch (name) {
      case 'help': return { speech: help }
      case 'status': return { speech: await this.status(asker) }
      case 'pending': return { speech: await this.pending(asker) }
      case 'show': return asker.inRoom ? this.show(argument) : { speech: { text: [ELSEWHERE] } }
      case null: return { speech: unknown }
    }
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
    if (applied.submission && applied.added.length > 0) runtime.background(outbox.run(applied.submission, applied.added))
    return null
  }

  private async pending({ inRoom }: Asker): Promise<Speech> {
    const { found, total, complete } = await this.read(inRoom ? READ_AT_MOST : 1)
    if (total === 0) return { text: ['No submission waits. All done.'] }
    const count = `${total} ${total === 1 ? 'submission waits' : 'submissions wait'}.`
    if (!inRoom) return { text: [`${count} ${ELSEWHERE}`] }
    const oldest = complete ? ` The oldest came on ${readTime(found.at(-1)!.receivedAt)}.` : ''
    const newest = total > LISTED ? ` The newest ${LISTED}:` : ''
    return { text: [`${count}${oldest}${newest}`], items: found.slice(0, LISTED).map(submission => this.item(submission)) }
  }

  private async show(wanted: string): Promise<Answer> {
    if (!wanted) return { speech: { text: ['Which one? Type show and an id, or words from the form.'] } }
    const exact = /^[0-9a-f-]{36}$/i.test(wanted) ? await this.ports.store.get(wanted.toLowerCase()) : null
    if (exact) return { card: this.view(exact) }
    const { found, complete } = await this.read(READ_AT_MOST)
    const matches = found.filter(this.matching(wanted))
    const [first, ...others] = matches
    if (first && others.length === 0) return { card: this.view(first) }
    const limit = complete ? '' : ` I looked through the newest ${READ_AT_MOST}.`
    if (!first) return { speech: { text: [`Nothing that waits matches “${shorten(wanted)}”: it was decided, has expired, or never came.${limit}`] } }
    const text = `${matches.length} match.${matches.length > LISTED ? ` The newest ${LISTED}:` : ''}${limit}`
    return { speech: { text: [text], items: matches.slice(0, LISTED).map(submission => this.item(submission)) } }
  }

  private async status({ inRoom }: Asker): Promise<Speech> {
    const { store, platforms, presentation, runtime } = this.ports
    const [{ total }, lines] = await Promise.all([store.listPending({ limit: 1 }), store.audit(AUDITED)])
    const recent = lines.filter(({ at }) => at > runtime.now() - DAY_MS)
    const decided = (outcome: string) => recent.filter(line => line.outcome === outcome).length
    const { to, endpoint } = presentation.forms.of(undefined)
    const destinations = [...to, ...endpoint ? [endpoint.host] : []]
    return {
      text: [
        [
          `Connected: ${platforms.join(', ')}`,
          // Addresses are for the team.
          `Forwards go to: ${inRoom ? destinations.join(' and ') : deliveriesOf(presentation.forms.of(undefined)).join(' and ')}`,
          `Waiting: ${total}`,
          `Last 24 hours: ${decided('forwarded') + decided('edited')} forwarded, ${decided('spam')} marked as spam, ${decided('expired')} expired${lines.length === AUDITED && recent.length === AUDITED ? ' (or more)' : ''}`,
        ].join('\n'),
      ],
    }
  }

  /** The newest pending submissions; `complete` when there are no more. */
  private async read(limit: number): Promise<{ found: Submission[], total: number, complete: boolean }> {
    const found: Submission[] = []
    let before: string | undefined
    for (;;) {
      const page = await this.ports.store.listPending({ limit: Math.min(PAGE, limit - found.length), before })
      found.push(...page.submissions)
      before = page.cursor ?? undefined
      if (!before || found.length >= limit) return { found, total: page.total, complete: !before }
    }
  }

  private view(submission: Submission): CardView {
    return cardView(submission, this.ports.presentation)
  }

  private fields(submission: Submission): Field[] {
    return readFields(submission, this.ports.presentation.forms.of(submission.form).labels)
  }

  private matching(wanted: string): (submission: Submission) => boolean {
    const words = wanted.toLowerCase()
    const isPiece = ID_PIECE.test(words)
    return submission => (isPiece && submission.id.startsWith(words)) || this.fields(submission).some(({ label, value }) => `${label}: ${value}`.toLowerCase().includes(words))
  }

  private item(submission: Submission): SpeechItem {
    const fields = this.fields(submission).slice(0, PREVIEW_FIELDS)
    const preview = fields.map(({ label, value }) => `${shorten(label)}: ${shorten(value)}`).join('\n')
    return {
      label: `${shortId(submission)} · ${readTime(submission.receivedAt)}`, value: preview || 'The form was empty.',
      link: { label: `Open ${shortId(submission)}`, url: this.view(submission).url },
    }
  }
}

const ELSEWHERE = 'Forms are shown only in the channel of the cards: ask me there.'

/** Enough of an id to tell it from others; `show` takes it. */
function shortId({ id }: Submission): string {
  return id.slice(0, 8)
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= PREVIEW_LENGTH ? line : `${line.slice(0, PREVIEW_LENGTH - 1).toWellFormed()}…`
}
