import type { ButtonId } from '../../shared/actions'
import type { RichText } from '../../shared/types/line'
import type { Outcome } from './delivery'
import type { FieldRule } from './field-rules'
import type { CardRef, Field, Person } from './submission'

/** A button of a card. */
export interface CardAction {
  id: ButtonId
  label: string
}

/** State of a card's submission; `gone` if the submission is no longer kept. */
export type CardState
  = 'new' | 'failed' | 'forwarding' | 'forwarded' | 'spam' | 'expired' | 'erased' | 'gone'

export interface CardLink {
  /** Never contains form text. */
  label: string
  url: string
}

/** A picture that was sent with a form. */
export interface CardPicture {
  /** URL of the picture; anybody who has the URL can open the picture. */
  url: string
  /** Alternative text; never contains form text. */
  alt: string
}

/** Content of a card on any platform. Plain text throughout. */
export interface CardView {
  submissionId: string
  title: string
  state: CardState
  fields: readonly Field[]
  /** Number of fields that do not fit on a card. */
  moreFields?: number
  /** Links to the files of the submission. */
  links?: readonly CardLink[]
  /** Files that the card shows as pictures, if the platform can. */
  pictures?: readonly CardPicture[]
  /** Decision, time, destinations and failures; one line each. */
  notes: readonly RichText[]
  /** Buttons of the card, in this order. */
  actions: readonly CardAction[]
  /** Link to the whole submission on the ops pages; null if nobody can open that page. */
  url: string | null
  /** Link to the card with the decision buttons, if that is another card. */
  decideAt?: string
}

/** Content of a card that asks for approval of a tool call, or shows the decision. Plain text throughout. */
export interface ApprovalView {
  title: string
  details: readonly Field[]
  /** Asker, deadline and decision; one line each. */
  notes: readonly RichText[]
  /** Value of the buttons; null if everything is decided. */
  value: string | null
}

/**
 * Place from which somebody asks or decides: all names of the room, from the platform's signed request. A thread has
 * the names of its channel. The list is empty outside of rooms. `everywhere` is for the ops pages, where people sign
 * in.
 */
export type Scope = readonly string[] | 'everywhere'

/** A button below a message of the bot. */
export interface SpeechButton {
  id: string
  label: string
  primary?: boolean
  /** Id of the subject, such as a submission. */
  value?: string
}

/**
 * Rooms in which teams triage. The name of a room is the platform's key, or `platform/channel` if the room is not the
 * platform's main channel.
 */
export interface ReviewBoard {
  /** Keys of the configured platforms. */
  readonly platforms: readonly string[]
  /** Display name of a platform, or of a room's platform. */
  label(room: string): string
  /** Room of a card, by a name that every `Scope` of that room contains. */
  roomOf(ref: CardRef): string
  /** All names of a card's room. */
  placeOf(ref: CardRef): readonly string[]
  /** @param again makes this another card of the submission, instead of a retry of the same post */
  post(room: string, card: CardView, again?: string): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardView): Promise<Outcome>
  /** Replies in the card's thread. Mentions the person with these names, if the platform can. */
  reply(ref: CardRef, text: RichText, names?: readonly string[]): Promise<Outcome>
  /** Posts a message in the room: plain text, with a link and a button below if given. */
  announce(room: string, text: RichText, url: string | null, button?: SpeechButton): Promise<Outcome>
  /** True if this member of the platform is in the room; false when unknown. Answers within 15 s. */
  hasMember(room: string, person: Person): Promise<Outcome<boolean>>
  /**
   * Names of all members of a group; null if the platform has no group for this entry of a list. Answers within 1.5 s.
   */
  membersOf(group: string): Promise<Outcome<readonly string[]>> | null
  /** Full name of a person on a list; null if the platform does not give it within a second. */
  nameOf(person: string): Promise<string | null>
  /** URL of the card, or a path on this site; null if unknown. Answers within a second. */
  link(ref: CardRef): Promise<string | null>
  /** Reason why the room cannot get cards yet: its app is not installed anywhere. Null if cards can be posted. */
  awaits(room: string): Promise<string | null>
  /** Display name of the bot on the platform; null without credentials. */
  identify(platform: string): Promise<Outcome<string | null>>
  /** Checks our credentials; resolves with false if only posting a card can verify them. */
  check(platform: string): Promise<Outcome<boolean>>
  /** Minimum pause between two new cards in the room, ms; 0 if there is no such limit. */
  intervalMs(room: string): number
}

export interface EditInput {
  /** Position of the answer, which is stable within the submission. */
  id: string
  /** Path of the answer, as written in the form's settings; in a flat form it is the field's key. */
  key: string
  label: string
  value: string
  /** Rule of the form for this field; absent if there is none, or if the present value breaks the rule. */
  rule?: FieldRule
}

/** `mark` is a digest of the shown value; the form returns it, which shows if the input was edited. */
export type ShownInput = EditInput & { mark: string }

export interface EditForm {
  inputs: readonly ShownInput[]
  /** Same as `CardView.url`. */
  url: string | null
}

/** Form that asks for confirmation before resending a bounced email. */
export interface SendAgainForm {
  /** Addresses to which the email was sent. */
  to: readonly string[]
}

/** Max new addresses in that form: it redirects an email to somebody else, not to a mailing list. */
export const MAX_NEW_ADDRESSES = 5
