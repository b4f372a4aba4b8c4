import type { AdapterPostableMessage } from 'chat'
import { speechIn } from '../shared/speech'

/**
 * The ids of buttons that are too long beside what they are about, a submission or a call of a turn:
 * https://core.telegram.org/bots/api#inlinekeyboardbutton.
 */
const SHORT: Readonly<Record<string, string>> = { hand_back: 'handback', send_again: 'resend', approve: 'yes' }

/** The message with short ids on its buttons. */
export function shortened(message: AdapterPostableMessage): AdapterPostableMessage {
  const speech = speechIn(message)
  if (!speech) return message
  const children = speech.card.children.map(child => child.type === 'actions'
    ? { ...child, children: child.children.map(each => each.id ? { ...each, id: SHORT[each.id] ?? each.id } : each) }
    : child)
  return { ...speech, card: { ...speech.card, children } }
}

/** Short ids are as long as they ever were, on buttons of every version. */
export function lengthened(data: string): string {
  return Object.entries(SHORT).reduce((text, [long, short]) => text.replace(`"a":"${short}"`, `"a":"${long}"`), data)
}
