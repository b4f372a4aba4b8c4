import type { RichText } from '../../shared/types/line'
import type { CardView, Scope, SpeechButton } from './board'
import type { ProposedCall } from './approvals'
import type { Field, Person } from './submission'

/** A message of the bot, in plain text, which the renderer escapes. */
export interface Speech {
  /** One paragraph each. */
  text: readonly RichText[]
  /** Entries listed below the text. */
  items?: readonly SpeechItem[]
  buttons?: readonly SpeechButton[]
  /** Mention in the platform's own syntax; set by the operator, never by a user or a form. */
  mention?: string
}

export interface SpeechItem extends Pick<Field, 'label'> {
  value: RichText
  /** Link to a page with details. */
  link?: { label: string, url: string }
  button?: SpeechButton
}

/**
 * Answer of the bot: a message, or a submission's card with its buttons; `version` is the version that the card shows.
 */
export type BotAnswer = { speech: Speech } | { card: CardView, version?: number }

/** Context in which the agent works. */
export interface Conversation {
  threadId: string
  /** Id of the thread's channel. */
  channelId: string
  /** Place whose submissions the agent can see. */
  place: Scope
  speaker: Person
  /** Returns the person responsible for a tool call: its approver, or else the author of the message. */
  responsible(toolCallId: string): Person
  /** Digest of the form data that the approver of a tool call saw; undefined if the call concerns no submission. */
  approvedContent?(toolCallId: string): string | undefined
}

/**
 * One run of the agent. It starts with a message or a decision, and ends with the answer or the next approval request.
 */
export interface AgentTurn {
  /** Answer as a stream. Never throws: errors are reported in the text. Must be read to the end. */
  readonly words: AsyncIterable<string>
  /** Stops the run and ends `words`. */
  cancel(): void
  /**
   * Call it after `words` has ended. Resolves with the calls that wait for approval, and the state for resuming the
   * run. Without calls the run is over; `isCut` is true if the answer is incomplete.
   */
  outcome(): Promise<{ calls: readonly ProposedCall[], state: string, isCut: boolean }>
}
