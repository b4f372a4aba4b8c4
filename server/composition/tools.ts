import type { EmbeddingModel, LanguageModel, ToolSet } from 'ai'
import type { Chat } from 'chat'
import type { Config } from '../config'
import { isRoom } from '../domain/submission/place'
import type { Place } from '../ports/board'
import type { Conversation } from '../ports/conversation'
import type { SubmissionAccess } from '../ports/submission-access'
import type { Forms } from '../ports/form'
import type { Log } from '../ports/runtime'

interface ToolsParts {
  config: Pick<Config, 'tools' | 'dataDir' | 'revocableMs'>
  submissionsAt: (place: Place) => SubmissionAccess
  forms: Pick<Forms, 'rooms'>
  /** What `config.tools.selection` names, as the configured provider has it. */
  models: { embedding?: EmbeddingModel, reranker?: LanguageModel }
  log: Log
}

/** Everything that the agent can do. */
export async function openTools({ config, submissionsAt, forms, models, log }: ToolsParts) {
  const [
    { createSubmissionTools, createElsewhereTools }, { createConversationTools }, { createFileTools, replacedFile },
    { openFiles }, { createToolSelection },
  ] = await Promise.all([
    import('../adapters/ai/tools/submissions'), import('../adapters/ai/tools/chat'),
    import('../adapters/ai/tools/files'), import('../adapters/files/agent-files'),
    import('../adapters/ai/tools/selection'),
  ])
  const { files: stored, selection: { enrichDescriptions, embeddingCache } } = config.tools
  const selection = createToolSelection({
    embeddingModel: models.embedding, rerankerModel: models.reranker, enrichDescriptions, embeddingCache, log,
  })
  const files = stored && await openFiles({ ...stored, dir: `${config.dataDir}/files` })
  const fileTools = files ? createFileTools({ files }) : {}
  const { revocableMs } = config
  return {
    /** Chooses among the tools; to be warmed up in the background. */
    selection,
    /** Which file a call would replace, for who approves it. */
    replaced: files ? replacedFile(files) : async () => [],
    /** All tools of a conversation. */
    of: (chat: Chat, { threadId, channelId, place, ...approved }: Omit<Conversation, 'speaker'>): ToolSet => {
      // Forms, and what was made of them, are for the rooms whose people see the cards.
      const submissions = isRoom(place, forms)
        ? { ...createSubmissionTools({ submissions: submissionsAt(place), ...approved, revocableMs }), ...fileTools }
        : createElsewhereTools()
      const conversation = createConversationTools({ chat, thread: { id: threadId, channelId } })
      return { ...submissions, ...conversation, ...selection.tools }
    },
  }
}
