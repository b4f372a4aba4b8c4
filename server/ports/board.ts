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

/** State of a card's submission; `gone` if it is no longer kept. */
export type CardState
  = 'new' | 'failed' | 'forwarding' | 'forwarded' | 'spam' | 'expired' | 'erased' | 'gone'

export interface CardLink {
  /** Never contains form text. */
  label: string
  url: string
}

/** A picture that was sent with a form. */
export interface CardPicture {
  /** Address of the picture; anybody who has it can open it. */
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
  /** Number of further fields, which no card has room for. */
  moreFields?: number
  /** Links to the files of the submission. */
  links?: readonly CardLink[]
  /** Pictures among these files that the card shows, if the platform can show pictures. */
  pictures?: readonly CardPicture[]
  /** Decision, time, destinations and failures; one line each. */
  notes: readonly RichText[]
  /** Buttons of the card, in this order. */
  actions: readonly CardAction[]
  /** Link to the whole submission on the ops pages; null when nobody can open it there. */
  url: string | null
  /** Link to the card on which the submission is decided, if that is another card. */
  decideAt?: string
}

/** Content of a card that asks for approval of a tool call, or shows the decision. Plain text throughout. */
export interface ApprovalView {
  title: string
  details: readonly Field[]
  /** Asker, deadline and decision; one line each. */
  notes: readonly RichText[]
  /** Value that the buttons carry; null when there is nothing left to decide. */
  value: string | null
}

/**
 * Place from which somebody asks or decides: all names of the room, as the platform's signed request gives them (a
 * thread has the names of its channel). Outside of any room the list is empty. `everywhere` is for the ops pages, where
 * people sign in.
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
 * Rooms in which teams triage. A room is named by the platform's key or, if it is not the platform's own channel, by
 * `platform/channel`.
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
  /** @param again distinguishes a further card of the submission from a retry of the same post */
  post(room: string, card: CardView, again?: string): Promise<Outcome<CardRef>>
  update(ref: CardRef, card: CardView): Promise<Outcome>
  /** Replies in the card's thread. Mentions the person with these names, if the platform can. */
  reply(ref: CardRef, text: RichText, names?: readonly string[]): Promise<Outcome>
  /** Posts a message in the room: plain text, with a link and a button below if given. */
  announce(room: string, text: RichText, url: string | null, button?: SpeechButton): Promise<Outcome>
  /** True if this member of the platform is in the room; false when unknown. Answers within 15 s. */
  hasMember(room: string, person: Person): Promise<Outcome<boolean>>
  /**
   * Names of all members of a group on a list, if only the platform knows them; null if the entry is no such group.
   * Answers within 1.5 s.
   */
  membersOf(group: string): Promise<Outcome<readonly string[]>> | null
  /** Full name of a person on a list; null if it is not known within a second. */
  nameOf(person: string): Promise<string | null>
  /** URL of the card, or a path of this site; null when unknown. Answers within a second. */
  link(ref: CardRef): Promise<string | null>
  /** Reason why the room cannot take cards yet: its app is not installed anywhere. Null if posting can be tried. */
  awaits(room: string): Promise<string | null>
  /** Display name of the bot on the platform; null without credentials. */
  identify(platform: string): Promise<Outcome<string | null>>
  /** Checks our credentials; resolves with false if only posting a card can tell. */
  check(platform: string): Promise<Outcome<boolean>>
  /** Minimum pause between two new cards in the room, ms; 0 if there is no such limit. */
  intervalMs(room: string): number
}

export interface EditInput {
  /** Stable within the submission: the position of the answer. */
  id: string
  /** Written path of the answer, by which settings of the form name it; for a flat form the field's key. */
  key: string
  label: string
  value: string
  /** Rule of the form for this field; absent if any value is accepted, and if the present value breaks the rule. */
  rule?: FieldRule
}

/** `mark` is a digest of the shown value; it comes back with the form and tells whether the input was edited. */
export type ShownInput = EditInput & { mark: string }

export interface EditForm {
  inputs: readonly ShownInput[]
  /** Same as `CardView.url`. */
  url: string | null
}

/** Form that asks for confirmation before a returned email is sent again. */
export interface SendAgainForm {
  /** Addresses to which the email was sent. */
  to: readonly string[]
}

/** Most new addresses of that form: a bounced email goes to somebody else, not to a mailing list. */
export const MAX_NEW_ADDRESSES = 5
