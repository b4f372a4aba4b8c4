import type { Outcome } from './delivery'
import type { CardRef } from './submission'

/** A form field as people read it. Plain text: whoever renders it escapes it. */
export interface Field {
  label: string
  value: string
  edited: boolean
}

/** What a card says, whatever the platform. Plain text throughout. */
export interface CardView {
  submissionId: string
  title: string
  fields: readonly Field[]
  /** Who, when, where to, what failed; one line each. */
  notes: readonly string[]
  /** Offer the three buttons. */
  actions: boolean
  /** What the button that forwards says when that only does what is left; `Forward Submission` when absent. */
  retryLabel?: string
  /** The whole submission on the ops pages; null when nobody can open it there. */
  url: string | null
}

/**
 * From where somebody asks or decides: names of a room, as the platform's signed request tells it, a thread by those of
 * its channel; no room has none of them. `everywhere` is for the ops pages, which sign people in.
 */
export type Place = readonly string[] | 'everywhere'

/**
 * The rooms in which teams triage. A room is named by its platform's key, for the platform's own channel, or by
 * `platform/channel` for another one.
 */
export interface ReviewBoard {
  /** Keys of the configured platforms. */
  readonly platforms: readonly string[]
  /** The name, as people know it, of a platform or of a room's. */
  label(room: string): string
  /** The room that a card is in, by a name that every `Place` there has. */
  roomOf(ref: CardRef): string
  post(room: string, card: CardView): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardView): Promise<Outcome>
  /** Says something in the card's thread; plain text. */
  reply(ref: CardRef, text: string): Promise<Outcome>
  /** Answers a click that came too late, where the card goes on offering its buttons; nothing elsewhere. Plain text. */
  answerLate(ref: CardRef, text: string): Promise<Outcome>
  /** Says something in the room; plain text with a link below, if there is one. */
  announce(room: string, text: string, url: string | null): Promise<Outcome>
  /** Whether somebody, by the platform's id, is in the room; false where that is unknown. Answers within 15 s. */
  hasMember(room: string, userId: string): Promise<Outcome<boolean>>
  /** Where people open the card: a URL or a path of this site; null when unknown. Answers within a second. */
  link(ref: CardRef): Promise<string | null>
  /** Whether the platform takes our credentials. */
  check(platform: string): Promise<Outcome>
  /** Least pause between two new cards in the room, ms; 0 where there is no such limit. */
  intervalMs(room: string): number
}

/** One input of the edit form. */
export interface EditInput {
  /** Stable within the submission: the position of its key. */
  id: string
  label: string
  value: string
}

export interface EditForm {
  submissionId: string
  inputs: readonly EditInput[]
  /** As in the card. */
  url: string | null
}
