import type { RichText } from '../../shared/types/line'
import type { Outcome } from './delivery'
import type { FieldRule } from './field-rules'
import type { CardRef, Field, Person } from './submission'

/** A button of a card. */
export interface CardAction {
  /**
   * `edit` opens a form, or leads to the pages where there is none; `send_again` opens one, or
   * sends at once; `undo` and `not_spam` take a decision back; `take` says that somebody is on it, `hand_back` that
   * they are not any more.
   */
  id: 'forward' | 'edit' | 'send_again' | 'spam' | 'undo' | 'not_spam' | 'take' | 'hand_back'
  label: string
}

/** What became of a card's submission; `gone` is one that is not kept any more. */
export type CardState
  = 'new' | 'failed' | 'forwarding' | 'forwarded' | 'spam' | 'expired' | 'erased' | 'gone'

export interface CardLink {
  /** Nothing that a form said. */
  label: string
  url: string
}

/** A picture that came with a form. */
export interface CardPicture {
  /** Where it is; whoever has the address may open it. */
  url: string
  /** What is said in its place; nothing that a form said. */
  alt: string
}

/** What a card says, whatever the platform. Plain text throughout. */
export interface CardView {
  submissionId: string
  title: string
  state: CardState
  fields: readonly Field[]
  /** Addresses of the files that came with it. */
  links?: readonly CardLink[]
  /** Those of them that it shows, as far as a platform can. */
  pictures?: readonly CardPicture[]
  /** Who, when, where to, what failed; one line each. */
  notes: readonly RichText[]
  /** The buttons that it offers, in this order. */
  actions: readonly CardAction[]
  /** The whole submission on the ops pages; null when nobody can open it there. */
  url: string | null
  /** Where it is decided, when that is on another card. */
  decideAt?: string
}

/** What a card asks about a tool call, or what became of it. Plain text throughout. */
export interface ApprovalView {
  title: string
  details: readonly Field[]
  /** Who asked, until when, what was decided; one line each. */
  notes: readonly RichText[]
  /** What the buttons carry; null when there is nothing to decide any more. */
  value: string | null
}

/**
 * From where somebody asks or decides: names of a room, as the platform's signed request tells it, a thread by those of
 * its channel; no room has none of them. `everywhere` is for the ops pages, which sign people in.
 */
export type Scope = readonly string[] | 'everywhere'

/** A button below what the bot says. */
export interface SpeechButton {
  id: string
  label: string
  primary?: boolean
  /** What it is about. */
  value?: string
}

/** The rooms in which teams triage, named by the platform's key or, beside its own channel, `platform/channel`. */
export interface ReviewBoard {
  /** Keys of the configured platforms. */
  readonly platforms: readonly string[]
  /** The name, as people know it, of a platform or of a room's. */
  label(room: string): string
  /** The room that a card is in, by a name that every `Place` there has. */
  roomOf(ref: CardRef): string
  /** All names of the room that a card is in. */
  placeOf(ref: CardRef): readonly string[]
  /** @param again tells a further card of the submission from a post of the same that is repeated */
  post(room: string, card: CardView, again?: string): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardView): Promise<Outcome>
  /** Says something in the card's thread. Notifies who has these names, where that is possible. */
  reply(ref: CardRef, text: RichText, names?: readonly string[]): Promise<Outcome>
  /** Says something in the room; plain text with a link and a button below, as far as there are any. */
  announce(room: string, text: RichText, url: string | null, button?: SpeechButton): Promise<Outcome>
  /** Whether somebody of its platform is in the room; false where that is unknown. Answers within 15 s. */
  hasMember(room: string, person: Pick<Person, 'id' | 'names'>): Promise<Outcome<boolean>>
  /**
   * Names of everybody in a group that a list has, where the platform has to be asked for them; null for what is none.
   * Answers within 1.5 s.
   */
  membersOf(group: string): Promise<Outcome<readonly string[]>> | null
  /** The full name of somebody on a list; null where it is not known within a second. */
  nameOf(person: string): Promise<string | null>
  /** Where people open the card: a URL or a path of this site; null when unknown. Answers within a second. */
  link(ref: CardRef): Promise<string | null>
  /** Why no card can be posted in a room yet, whose app is installed nowhere; null where one can be tried. */
  awaits(room: string): Promise<string | null>
  /** Name of the bot on the platform, for people; null where it has no credentials. */
  identify(platform: string): Promise<Outcome<string | null>>
  /** Checks our credentials; false where only a card can tell. */
  check(platform: string): Promise<Outcome<boolean>>
  /** Least pause between two new cards in the room, ms; 0 where there is no such limit. */
  intervalMs(room: string): number
}

export interface EditInput {
  /** Stable within the submission: the position of its key. */
  id: string
  label: string
  value: string
  /** What its form takes there; absent for anything, and for a value that is none of it. */
  rule?: FieldRule
}

/** `mark` tells the value that an input shows from any other: who sends the form hands it back. */
export type ShownInput = EditInput & { mark: string }

export interface EditForm {
  inputs: readonly ShownInput[]
  /** As in the card. */
  url: string | null
}

/** What is asked before an email that came back is sent again. */
export interface SendAgainForm {
  /** Where it was sent to. */
  to: readonly string[]
}
