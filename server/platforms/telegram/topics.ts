/**
 * Removes the thread of a reply from the message: only a topic accepts messages that name it
 * (https://core.telegram.org/bots/api#message). Changes the message itself.
 */
export function keepTopicOnly<T>(message: T): T {
  const { message_thread_id: thread, is_topic_message: isTopic } = (message ?? {}) as {
    message_thread_id?: number
    is_topic_message?: boolean
  }
  if (thread !== undefined && isTopic !== true) Object.assign(message!, { message_thread_id: undefined })
  return message
}

/** Rooms of a thread `telegram:<chat>` or `telegram:<chat>:<topic>`: its topic, and its chat. */
export function roomsOf(threadId: string): string[] {
  const [, chat = '', topic] = threadId.split(':')
  return topic ? [`${chat}/${topic}`, chat] : [chat]
}
