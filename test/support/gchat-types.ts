import type { chat_v1 } from '@googleapis/chat'

/** What Google's own package says of what is posted and changed. */
export interface Bodies {
  message: chat_v1.Schema$Message
}
