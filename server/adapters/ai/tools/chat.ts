import type { Tool } from 'ai'
import type { Chat } from 'chat'
import { createChatTools, type ChatTools } from 'chat/ai'
import { truncateValue, UNTRUSTED, type Bounds } from './bounded'

export interface ConversationToolsOptions {
  chat: Chat
  /** Thread in which somebody asked the agent. */
  thread: { readonly id: string, readonly channelId: string }
}

type ReadInput = { threadId?: string, channelId?: string, limit?: number }

/** Limits of one page of messages for a model. */
const PAGE: Bounds = { text: 2000, items: 30, total: 16_000 }

/**
 * Returns the Chat SDK's read tools, confined to one thread and its channel.
 *
 * The SDK's own scope allows every thread of the channel. On Discord that includes private threads, which the people of
 * this conversation may not see. So ids must be exactly those of the conversation; for any other id, no request is sent
 * to the platform.
 */
export function createConversationTools({ chat, thread }: ConversationToolsOptions): ChatTools {
  const tools = createChatTools({ chat, preset: 'reader', scope: thread.id })
  return Object.fromEntries(
    Object.entries(tools).map(([name, tool]) => [name, confineTool(tool as Tool<ReadInput, unknown>, thread)]),
  )
}

function confineTool(
  tool: Tool<ReadInput, unknown>, thread: ConversationToolsOptions['thread'],
): Tool<ReadInput, unknown> {
  const { execute, description } = tool
  return {
    ...tool,
    description: `${description} Only this conversation can be read: its threadId is ${thread.id}, its channelId ${thread.channelId}.`,
    execute: async (input, options) => {
      const foreignId = [
        [input.threadId, thread.id], [input.channelId, thread.channelId],
      ].find(([requestedId, ownId]) => requestedId !== undefined && requestedId !== ownId)
      if (foreignId) {
        throw new Error(`Only this conversation can be read: thread ${thread.id} of channel ${thread.channelId}.`)
      }
      const result = await execute?.({
        ...input, ...input.limit === undefined ? {} : { limit: Math.min(input.limit, PAGE.items) },
      }, options)
      const { value, cut: isCut } = truncateValue(JSON.parse(JSON.stringify(result ?? null)), PAGE)
      return { untrusted: UNTRUSTED, result: value, ...isCut ? { cut: true } : {} }
    },
  } as Tool<ReadInput, unknown>
}
