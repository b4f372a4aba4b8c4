import type { EmbeddingModel, LanguageModel, ToolSet } from 'ai'
import type { Chat } from 'chat'
import type { ToolSelection } from '../adapters/ai/tools/selection'
import type { Config } from '../config'
import { isRoom } from '../domain/submission/place'
import type { Place } from '../ports/board'
import type { SubmissionAccess } from '../ports/submission-access'
import type { Forms } from '../ports/form'
import type { Log } from '../ports/runtime'
import type { Reviewer } from '../ports/submission'

interface ToolsParts {
  config: Pick<Config, 'tools' | 'dataDir'>
  submissionsAt: (place: Place) => SubmissionAccess
  forms: Pick<Forms, 'rooms'>
  /** What `config.tools.selection` names, as the configured provider has it. */
  models: { embedding?: EmbeddingModel, reranker?: LanguageModel }
  log: Log
}

/** For which conversation, and in whose name. */
interface ToolsContext {
  chat: Chat
  thread: { readonly id: string, readonly channelId: string }
  /** Whose submissions there are. */
  place: Place
  /** Who asked, or who approved: writes happen in this name. */
  reviewer: Reviewer
}

export interface AgentTools {
  /** Chooses among the tools, by `prepareStep`; to be warmed up in the background. */
  selection: ToolSelection
  /** All tools of a turn. */
  of: (context: ToolsContext) => ToolSet
}

/** Everything that the agent can do. */
export async function openTools({ config, submissionsAt, forms, models, log }: ToolsParts): Promise<AgentTools> {
  const [{
    createSubmissionTools, createElsewhereTools,
  }, { createConversationTools }, { createFileTools }, { openFiles }, { createToolSelection }] = await Promise.all([
    import('../adapters/ai/tools/submissions'), import('../adapters/ai/tools/chat'),
    import('../adapters/ai/tools/files'),
    import('../adapters/ai/files-store'), import('../adapters/ai/tools/selection'),
  ])
  const { files: stored, selection: { enrichDescriptions, embeddingCache } } = config.tools
  const selection = createToolSelection({
    embeddingModel: models.embedding, rerankerModel: models.reranker, enrichDescriptions, embeddingCache, log,
  })
  const fileTools = stored
    ? createFileTools({ files: await openFiles({ ...stored, dir: `${config.dataDir}/files` }) })
    : {}
  return {
    selection,
    of: ({ chat, thread, place, reviewer }) => {
      // Forms, and what was made of them, are for the rooms whose people see the cards.
      const submissions = isRoom(place, forms)
        ? { ...createSubmissionTools({ submissions: submissionsAt(place), reviewer }), ...fileTools }
        : createElsewhereTools()
      return { ...submissions, ...createConversationTools({ chat, thread }), ...selection.tools }
    },
  }
}
