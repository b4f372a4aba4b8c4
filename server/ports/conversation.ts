import type { CardView, Field } from './board'

/** Something that the bot says. Plain text throughout: whoever renders it escapes it. */
export interface Speech {
  /** One paragraph each. */
  text: readonly string[]
  /** What the text is about. */
  items?: readonly SpeechItem[]
  buttons?: readonly SpeechButton[]
  /** Whom to notify, as platforms write it; from the operator, never from a user or a form. */
  mention?: string
}

export interface SpeechItem extends Pick<Field, 'label' | 'value'> {
  /** A page to read on. */
  link?: { label: string, url: string }
}

export interface SpeechButton {
  id: string
  label: string
  primary?: boolean
}

/** What the bot answers: words, or the card of a submission with its buttons. */
export type Answer = { speech: Speech } | { card: CardView }
