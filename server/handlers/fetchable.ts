import type { Adapter, Message } from 'chat'

/** A message that a store gave back, with the way to its attachments: JSON drops it, and the adapter knows it. */
export function fetchable(message: Message, adapter: Adapter): Message {
  message.attachments = message.attachments.map(attachment => attachment.fetchData
    ? attachment
    : adapter.rehydrateAttachment?.(attachment) ?? attachment)
  return message
}
