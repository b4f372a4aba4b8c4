import type { ActionEvent, Message, Thread } from 'chat'
import { visible } from '../../shared/utils/text'
import type { Person } from '../ports/submission'

export interface SpeakerHandlers {
  platformLabel: (key: string) => string
  /** Who said something, by every name that a list may have for them. */
  known: (said: Pick<ActionEvent, 'user' | 'raw' | 'adapter'>) => Pick<Person, 'names' | 'person'>
}

/** Who said something. */
export function speakerOf(
  { author, raw }: Message, { adapter }: Thread, { platformLabel, known }: SpeakerHandlers,
): Person {
  return {
    id: author.userId, name: visible(author.fullName), platform: platformLabel(adapter.name),
    ...known({ user: author, raw, adapter }),
  }
}
