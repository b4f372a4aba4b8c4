import type { StateAdapter } from 'chat'
import type { EventData, ForwardedEvent } from './events'

/** Longer than anything is replayed or read back after. */
const REMEMBERED_MS = 24 * 3_600_000

/**
 * Whether this event is here for the first time in 24 h; the answer is true once, whoever asks.
 * Call `forgetDelivery` when handling it fails, so that the next try is not taken for a repetition.
 */
export function firstDelivery(state: StateAdapter, event: ForwardedEvent): Promise<boolean> {
  return state.setIfNotExists(keyOf(event), 1, REMEMBERED_MS)
}

/** Lets the event be delivered again. */
export function forgetDelivery(state: StateAdapter, event: ForwardedEvent): Promise<void> {
  return state.delete(keyOf(event))
}

/**
 * A message or interaction is the same thing in whatever session it arrives, replayed or read back. A reaction has no id
 * and may be added, removed and added again: only its place in the session tells a repetition from a change of mind.
 */
function keyOf({ id, type, data }: ForwardedEvent): string {
  const own = (data as EventData | null)?.id
  if (own && type === 'GATEWAY_MESSAGE_CREATE') return `discord-gateway:seen:message:${own}`
  if (own && type === 'GATEWAY_INTERACTION_CREATE') return `discord-gateway:seen:interaction:${own}`
  return `discord-gateway:seen:${id}`
}
