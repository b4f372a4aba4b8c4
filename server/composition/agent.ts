import type { EmbeddingModel, LanguageModel, ToolSet } from 'ai'
import type { Chat } from 'chat'
import type { Agent } from '../adapters/ai/agent'
import type { Places } from '../adapters/chat/places'
import type { Config } from '../config'
import type { Context } from '../domain/context'
import { Approvals } from '../domain/conversation/approvals'
import { Membership } from '../domain/people/reviewers'
import { RoomSubmissions } from '../domain/queries/room-submissions'
import { isRoom } from '../domain/review/scope'
import { AgentReplier, type AgentHandlers } from '../handlers/agent'
import { forgetApprovals, registerApprovals, sweepApprovals, withdrawApprovals } from '../handlers/approvals'
import { registerStops, Stops } from '../handlers/stops'
import type { Connection } from '../platforms/connection'
import type { ApprovalStore } from '../ports/approvals'
import type { Scope } from '../ports/board'
import type { Conversation } from '../ports/conversation'
import type { Forms } from '../ports/form'
import type { Limiter } from '../ports/limiter'
import type { Log } from '../ports/runtime'
import type { Person } from '../ports/submission'
import type { SubmissionAccess } from '../ports/submission-access'
import { memoizeAsync } from '../../shared/utils/turns'
import type { Triage } from './triage'

/** Thread history window (specification, "Limits"). */
const HISTORY = 20

/** Extra lease time after a turn's time limit, ms: the last words are still being posted. */
const LEASE_GRACE_MS = 60_000

/** Grace period for running turns when the process ends, ms; the rest of the drain is for posting their last words. */
const STOP_GRACE_MS = 3000

interface AgentParts {
  config: Config
  connections: readonly Connection[]
  places: Places
  approvals: ApprovalStore
}

export type AgentAudience = ReturnType<typeof createAudience>

/**
 * Checks who may ask the model: only members of a room that gets cards.
 *
 * @param limiter counts each person's questions; null for no limit
 */
export function createAudience(context: Context, limiter: Limiter | null) {
  const { forms } = context
  const membership = new Membership(context)
  return {
    isRoom: (place: Scope) => isRoom(place, forms),
    isMember: (platform: string, person: Person) => membership.of(platform, person),
    limiter,
  }
}

export interface AgentConversation {
  /** Loads the modules for chat. Resolves with a function that adds the approval buttons and returns the replier. */
  load(): Promise<(bot: Chat) => AgentReplier>
  /** Loads the modules for the model, and prepares the choice of tools. */
  loadModel(bot: Chat): Promise<unknown>
  /** Ends turns that waited too long for an approval. */
  sweep(start: () => Promise<Chat>): Promise<void>
  /** Withdraws waiting turns that mention a submission whose form data is gone. Returns at once. */
  forget(submission: string, start: () => Promise<Chat>): void
  /** Stops the turns that are running, after a short grace period. */
  stop(): void
}

/**
 * Returns null without a model: then the conversation is scripted. The model's libraries load during the first
 * requests, or at the first message.
 */
export function createAgentConversation(
  context: Context, { people, decisions }: Triage, { config, approvals: store, connections, places }: AgentParts,
): AgentConversation | null {
  const { forms, runtime, log } = context
  const { model, limits, approvals: { mode, ttlMs, approvers } } = config.agent
  if (!model) return null
  const submissionsAt = (place: Scope) => new RoomSubmissions(context, decisions, place)
  const approvals = new Approvals(context, store, {
    approvers, refusal: (id, person, place) => decisions.refusal({ id, person, place }), placeOf: places.of,
    present: turn => replier!.present(turn), ttlMs, leaseMs: limits.timeMs + LEASE_GRACE_MS,
  })
  const platformOf = (key: string) => connections.find(({ platform }) => platform.key === key)!.platform
  const known: AgentHandlers['known'] = said => people.known(places.namesOf(said))
  const platformLabel = (key: string) => platformOf(key).label
  const site = config.siteUrl && new URL(config.siteUrl).origin
  let replier: AgentReplier | undefined
  let running: Agent | undefined

  const agentOf = memoizeAsync(async (bot: Chat) => {
    const [{ Agent }, { createModels }, { createToolset }] = await Promise.all([
      import('../adapters/ai/agent'), import('../adapters/ai/model'), import('../adapters/ai/toolset'),
    ])
    const models = createModels(model)
    const { embeddingModel, rerankerModel } = config.tools.selection
    const { selection, replaced, of } = await openTools({
      config, submissionsAt, forms, log,
      models: {
        embedding: embeddingModel === undefined ? undefined : models.embedding(embeddingModel),
        reranker: rerankerModel === undefined ? undefined : models.language(rerankerModel),
      },
    })
    runtime.background(selection.warmUp())
    const toolset = createToolset({
      submissionsAt, replaced, prepareStep: tools => selection.prepareStep(tools),
      toolsOf: conversation => of(bot, conversation),
    })
    return running = new Agent({
      model: models.main, toolset, approvals: mode, limits, log,
      isCard: ({ threadId, raw }) => platformOf(threadId.split(':')[0]!).isCard({ ...raw as object }),
    })
  })

  const started = async (start: () => Promise<Chat>) => {
    const bot = await start()
    await bot.initialize()
    return { bot, replier: replier! }
  }

  return {
    load: async () => {
      const [{ say }, { approvalCard }, { noticeModal }, { renderAnswer }] = await Promise.all([
        import('../adapters/chat/streaming'), import('../adapters/chat/approval-card'),
        import('../adapters/chat/modals'), import('../adapters/chat/speech'),
      ])
      return (bot) => {
        const stops = new Stops(() => bot.getState(), runtime)
        const withdraw: AgentHandlers['withdraw'] = (threadId, by) => withdrawApprovals(
          bot, threadId, by, { approvals, replier: replier!, log },
        )
        const render: AgentHandlers['render'] = (answer, key) => renderAnswer(answer, platformOf(key))
        replier = new AgentReplier({
          agent: () => agentOf(bot), approvals, log, platformLabel, known, render, withdraw,
          stopsOn: key => platformOf(key).stops ? stops : null,
          history: async threadId => (await bot.history.thread.list(threadId, { limit: HISTORY })).messages,
          say: (thread, words) => say(thread, words, platformOf(thread.adapter.name), site),
          card: (platform, view) => approvalCard(view, platformOf(platform)),
        })
        registerApprovals(bot, {
          approvals, replier, noticeModal, platformLabel, here: places.here, known, runtime, log, render,
        })
        registerStops(bot, { stops, withdraw, platformLabel, known, log })
        return replier
      }
    },
    loadModel: agentOf,
    sweep: start => sweepApprovals(() => started(start), approvals, context),
    forget: (submission, start) => runtime.background(
      forgetApprovals(submission, () => started(start), approvals, log).catch((error: unknown) => {
        log.warn('approval.kept', { submission, error })
      }),
    ),
    stop: () => void setTimeout(() => running?.stop(), STOP_GRACE_MS),
  }
}

interface ToolsParts {
  config: Config
  submissionsAt: (place: Scope) => SubmissionAccess
  forms: Forms
  /** Models that `config.tools.selection` names, from the configured provider. */
  models: { embedding?: EmbeddingModel, reranker?: LanguageModel }
  log: Log
}

/** Opens all tools of the agent. */
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
    /** Chooses among the tools; warm it up in the background. */
    selection,
    /** Returns a note for the approver if a call may replace a file. */
    replaced: files ? replacedFile(files) : async () => [],
    /** Returns all tools of a conversation. */
    of: (chat: Chat, { threadId, channelId, place, ...approved }: Omit<Conversation, 'speaker'>): ToolSet => {
      // Offer form and file tools only in rooms where people see the cards: the agent may make files from forms.
      const submissions = isRoom(place, forms)
        ? { ...createSubmissionTools({ submissions: submissionsAt(place), ...approved, revocableMs }), ...fileTools }
        : createElsewhereTools()
      const conversation = createConversationTools({ chat, thread: { id: threadId, channelId } })
      return { ...submissions, ...conversation, ...selection.tools }
    },
  }
}
