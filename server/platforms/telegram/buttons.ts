import type { AdapterPostableMessage } from 'chat'
import { ACTIONS } from '../../../shared/actions'
import { speechIn } from '../shared/speech'

/**
 * Short forms of button ids that do not fit next to the id of a submission or of a tool call:
 * https://core.telegram.org/bots/api#inlinekeyboardbutton.
 */
const SHORT_IDS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(ACTIONS).flatMap(({ card }) => card?.short ? [[card.id, card.short]] : [])),
  approve: 'yes',
}

/** Shortens the ids of the message's buttons. */
export function shortened(message: AdapterPostableMessage): AdapterPostableMessage {
  const speech = speechIn(message)
  if (!speech) return message
  const children = speech.card.children.map(child => child.type === 'actions'
    ? { ...child, children: child.children.map(
        each => each.id ? { ...each, id: SHORT_IDS[each.id] ?? each.id } : each,
      ) }
    : child)
  return { ...speech, card: { ...speech.card, children } }
}

/** Restores the full ids, also on buttons of earlier versions. */
export function lengthened(data: string): string {
  return Object.entries(SHORT_IDS).reduce(
    (text, [long, short]) => text.replace(`"a":"${short}"`, `"a":"${long}"`), data,
  )
}
