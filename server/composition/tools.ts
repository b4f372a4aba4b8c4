import type { EmbeddingModel, LanguageModel, ToolSet } from 'ai'
import type { Chat } from 'chat'
import type { ToolSelection } from '../adapters/ai/tools/selection'
import type { Config } from '../config'
import type { Desk } from '../ports/desk'
import type { Log } from '../ports/runtime'
import type { Reviewer } from '../ports/submission'

interface ToolsParts {
  config: Pick<Config, 'tools' | 'dataDir'>
  desk: Desk
  /** What `config.tools.selection` names, as the configured provider has it. */
  models: { embedding?: EmbeddingModel, reranker?: LanguageModel }
  /** Whether the thread belongs to a channel of the cards. */
  isInRoom: (threadId: string) => boolean
  log: Log
}

/** One turn of one conversation. */
interface Turn {
  chat: Chat
  thread: { readonly id: string, readonly channelId: string }
  /** Who asked, or who approved: writes happen in this name. */
  reviewer: Reviewer
}

export interface AgentTools {
  /** Chooses among the tools, by `prepareStep`; to be warmed up in the background. */
  selection: ToolSelection
  /** All tools of a turn. */
  of: (turn: Turn) => ToolSet
}

/** Everything that the agent can do. */
export async function openTools({ config, desk, models, isInRoom, log }: ToolsParts): Promise<AgentTools> {
  const [{ createSubmissionTools }, { createConversationTools }, { createFileTools }, { openFiles }, { createToolSelection }] = await Promise.all([
    import('../adapters/ai/tools/submissions'), import('../adapters/ai/tools/chat'), import('../adapters/ai/tools/files'),
    import('../adapters/ai/files-store'), import('../adapters/ai/tools/selection'),
  ])
  const { files: stored, selection: { enrichDescriptions, embeddingCache } } = config.tools
  const selection = createToolSelection({ embeddingModel: models.embedding, rerankerModel: models.reranker, enrichDescriptions, embeddingCache, log })
  const fileTools = stored ? createFileTools({ files: await openFiles({ ...stored, dir: `${config.dataDir}/files` }) }) : {}
  return {
    selection,
    of: ({ chat, thread, reviewer }) => {
      const { submissionStats, ...submissions } = createSubmissionTools({ desk, reviewer })
      // Forms, and what was made of them, are for the rooms whose people see the cards; elsewhere there are numbers.
      const forTheRoom = isInRoom(thread.id) ? { ...submissions, ...fileTools } : {}
      return { submissionStats, ...forTheRoom, ...createConversationTools({ chat, thread }), ...selection.tools }
    },
  }
}
