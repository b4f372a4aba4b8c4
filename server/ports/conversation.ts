import type { RichText } from '../../shared/types/line'
import type { CardView, Scope, SpeechButton } from './board'
import type { ProposedCall } from './approvals'
import type { Field, Person } from './submission'

/** Something that the bot says. Plain text throughout: whoever renders it escapes it. */
export interface Speech {
  /** One paragraph each. */
  text: readonly RichText[]
  /** What the text is about. */
  items?: readonly SpeechItem[]
  buttons?: readonly SpeechButton[]
  /** Whom to notify, as platforms write it; from the operator, never from a user or a form. */
  mention?: string
}

export interface SpeechItem extends Pick<Field, 'label'> {
  value: RichText
  /** A page to read on. */
  link?: { label: string, url: string }
  button?: SpeechButton
}

/** What the bot answers: words, or the card of a submission with its buttons, as of a version. */
export type Answer = { speech: Speech } | { card: CardView, version?: number }

/** Where and for whom the agent works. */
export interface Conversation {
  threadId: string
  /** Of the thread's channel. */
  channelId: string
  /** Whose submissions there are. */
  place: Scope
  speaker: Person
  /** Who stands behind a tool call: the one who approved it, else the speaker. */
  responsible(toolCallId: string): Person
  /** Digest of the form data that whoever approved a tool call saw; undefined for calls about no submission. */
  approvedContent?(toolCallId: string): string | undefined
}

/** One run of the agent, from a message or a decision to the end of its answer or the next question. */
export interface AgentTurn {
  /** The answer as it grows. Never throws: what goes wrong is told in words. Has to be read to the end. */
  readonly words: AsyncIterable<string>
  /** Stops it; the words end. */
  cancel(): void
  /**
   * After the words: the calls that wait for approval, and the text to continue from. Without calls it is over, be it
   * because something cut it short.
   */
  outcome(): Promise<{ calls: readonly ProposedCall[], state: string, isCut: boolean }>
}
