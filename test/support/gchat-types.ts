import type { chat_v1 } from '@googleapis/chat'

/** Google's own types of the messages that are posted and edited */
export interface Bodies {
  message: chat_v1.Schema$Message
}
