import type { ActionEvent, Message, Thread } from 'chat'
import { visible } from '../../shared/utils/text'
import type { Person } from '../ports/submission'

/** Who sent something, and how. */
export type Sent = Pick<ActionEvent, 'adapter' | 'user' | 'raw'>

export interface SpeakerHandlers {
  platformLabel: (key: string) => string
  /** Who sent something, by its signed request: every name that a list may have for them. */
  known: (sent: Sent) => Pick<Person, 'names' | 'person'>
}

/** Who sent something, by the name that came with it. */
export function senderOf(sent: Sent, { platformLabel, known }: SpeakerHandlers): Person {
  const { adapter, user: { userId: id, fullName } } = sent
  return { id, name: visible(fullName), platform: platformLabel(adapter.name), ...known(sent) }
}

/** Who said something. */
export function speakerOf({ author, raw }: Message, { adapter }: Thread, handlers: SpeakerHandlers): Person {
  return senderOf({ user: author, raw, adapter }, handlers)
}
