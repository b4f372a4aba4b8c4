import type { Chat } from 'chat'
import type { Agent } from '../adapters/ai/agent'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { Config } from '../config'
import { Approvals } from '../domain/conversation/approvals'
import { AgentReplier } from '../handlers/agent'
import { registerApprovals, sweepApprovals } from '../handlers/approvals'
import type { ApprovalStore } from '../ports/approvals'
import type { Place } from '../ports/board'
import type { SubmissionAccess } from '../ports/submission-access'
import type { Forms } from '../ports/form'
import type { Monitor } from '../ports/monitor'
import type { Log, Runtime } from '../ports/runtime'
import { once } from './once'
import { openTools } from './tools'

/** Thread history window (specification, "Limits"). */
const HISTORY = 20

/** A turn that was taken may outlive its time limit by so much, ms: its last words are still being posted. */
const LEASE_GRACE_MS = 60_000

/** How long the turns that run when the process ends may go on, ms; the rest of the drain is for their last words. */
const STOP_GRACE_MS = 3000

interface AgentParts {
  config: Pick<Config, 'agent' | 'tools' | 'dataDir' | 'siteUrl'>
  connections: readonly Connection[]
  places: Places
  forms: Forms
  approvals: ApprovalStore
  submissionsAt: (place: Place) => SubmissionAccess
  runtime: Runtime
  monitor: Monitor
  log: Log
}

/** The conversation with a model behind it. */
export interface AgentConversation {
  /**
   * Loads what the chat side needs; the function that it resolves with adds the buttons of the approvals and tells who
   * answers.
   */
  load(): Promise<(bot: Chat) => AgentReplier>
  /** Loads the model's side, and readies the choice of tools. */
  warm(bot: Chat): Promise<unknown>
  /** Ends what waited too long for an approval. */
  sweep(start: () => Promise<Chat>): Promise<void>
  /** Stops what runs, a moment from now. */
  stop(): void
}

/**
 * Null without a model: then the conversation is scripted. The model's libraries load beside the first requests, or at
 * the first message.
 */
export function createAgentConversation({
  config, approvals: store, connections, places, forms, submissionsAt, runtime, monitor, log,
}: AgentParts): AgentConversation | null {
  const { model, limits, approvals: { mode, ttlMs, approvers } } = config.agent
  if (!model) return null
  const approvals = new Approvals({
    store, approvers, placeOf: places.of, ttlMs, leaseMs: limits.timeMs + LEASE_GRACE_MS, runtime, monitor, log,
  })
  const platformOf = (key: string) => connections.find(({ platform }) => platform.key === key)!.platform
  const platformLabel = (key: string) => platformOf(key).label
  const site = config.siteUrl && new URL(config.siteUrl).origin
  let replier: AgentReplier | undefined
  let running: Agent | undefined

  const agentOf = once(async (bot: Chat) => {
    const [{ Agent }, { createModels }, { createToolset }, { isCard }] = await Promise.all([
      import('../adapters/ai/agent'), import('../adapters/ai/model'), import('../adapters/ai/toolset'),
      import('../adapters/chat/streaming'),
    ])
    const models = createModels(model)
    const { embeddingModel, rerankerModel } = config.tools.selection
    const { selection, of } = await openTools({
      config, submissionsAt, forms, log,
      models: {
        embedding: embeddingModel === undefined ? undefined : models.embedding(embeddingModel),
        reranker: rerankerModel === undefined ? undefined : models.language(rerankerModel),
      },
    })
    runtime.background(selection.warmUp())
    const toolset = createToolset({
      submissionsAt, prepareStep: tools => selection.prepareStep(tools),
      toolsOf: ({ threadId, channelId, place }, reviewer) => of({
        chat: bot, thread: { id: threadId, channelId }, place, reviewer,
      }),
    })
    return running = new Agent({ model: models.main, toolset, approvals: mode, limits, isCard, log })
  })

  return {
    load: async () => {
      const [{ say }, { approvalCard }, { noticeModal }] = await Promise.all([
        import('../adapters/chat/streaming'), import('../adapters/chat/approval-card'),
        import('../adapters/chat/modals'),
      ])
      return (bot) => {
        replier = new AgentReplier({
          agent: () => agentOf(bot), approvals, log, platformLabel,
          history: async threadId => (await bot.history.thread.list(threadId, { limit: HISTORY })).messages,
          say: (thread, words) => say(thread, words, platformOf(thread.adapter.name), site),
          card: (platform, view) => approvalCard(view, platformOf(platform)),
        })
        registerApprovals(bot, {
          approvals, replier, noticeModal, platformLabel, here: places.here, namesOf: places.namesOf, runtime, log,
        })
        return replier
      }
    },
    warm: agentOf,
    sweep: start => sweepApprovals(async () => {
      const bot = await start()
      await bot.initialize()
      return { bot, replier: replier! }
    }, { approvals, runtime, log }),
    stop: () => void setTimeout(() => running?.stop(), STOP_GRACE_MS),
  }
}
