import type { Thread } from 'chat'

/** An adapter where a thread may be a whole channel, in which people talk with each other. */
interface WithChannels {
  isChannel?: (threadId: string) => boolean
}

export function isChannel({ id, adapter }: Thread): boolean {
  return (adapter as WithChannels).isChannel?.(id) ?? false
}
