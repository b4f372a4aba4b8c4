import type { Chat } from 'chat'
import type { Agent } from '../adapters/ai/agent'
import type { Desk } from '../adapters/ai/toolset'
import type { Connection } from '../adapters/chat/rooms'
import type { Config } from '../config'
import { Approvals } from '../domain/conversation/approvals'
import type { Review } from '../domain/submission/review'
import { AgentReplier } from '../handlers/agent'
import { registerApprovals, sweepApprovals } from '../handlers/approvals'
import type { ApprovalStore } from '../ports/approvals'
import type { Log, Runtime } from '../ports/runtime'
import type { SubmissionStore } from '../ports/store'
import { once } from './once'

/** Thread history window (specification, "Limits"). */
const HISTORY = 20

/** Of a message, in characters, where the platform table says nothing. */
const MESSAGE_LENGTH = 3500

/** A turn that was taken may outlive its time limit by so much, ms: its last words are still being posted. */
const LEASE_GRACE_MS = 60_000

/** How long the turns that run when the process ends may go on, ms; the rest of the drain is for their last words. */
const STOP_GRACE_MS = 3000

interface AgentParts {
  config: Config['agent']
  connections: readonly Connection[]
  approvals: ApprovalStore
  store: SubmissionStore
  review: Review
  runtime: Runtime
  log: Log
}

/** The conversation with a model behind it. */
export interface AgentConversation {
  /** Loads what the chat side needs; the function that it resolves with adds the buttons of the approvals and tells who answers. */
  load(): Promise<(bot: Chat) => AgentReplier>
  /** Ends what waited too long for an approval. */
  sweep(start: () => Promise<Chat>): Promise<void>
  /** Stops what runs, a moment from now. */
  stop(): void
}

/** Null without a model: then the conversation is scripted. The model's libraries are loaded at the first message. */
export function createAgentConversation({ config, approvals: store, connections, runtime, log, ...desk }: AgentParts): AgentConversation | null {
  const { model, limits, approvals: { mode, ttlMs, approvers } } = config
  if (!model) return null
  const approvals = new Approvals({ store, approvers, ttlMs, leaseMs: limits.timeMs + LEASE_GRACE_MS, runtime, log })
  const platformOf = (key: string) => connections.find(({ platform }) => platform.key === key)!.platform
  const platformLabel = (key: string) => platformOf(key).label
  let replier: AgentReplier | undefined
  let running: Agent | undefined

  const agent = once(async () => {
    const [{ Agent }, { createModel }, { createToolset }, { isCard }] = await Promise.all([
      import('../adapters/ai/agent'), import('../adapters/ai/model'), import('../adapters/ai/toolset'), import('../adapters/chat/streaming'),
    ])
    return running = new Agent({ model: createModel(model), toolset: createToolset(createDesk(desk)), approvals: mode, limits, isCard, log })
  })

  return {
    load: async () => {
      const [{ say }, { approvalCard }, { noticeModal }] = await Promise.all([
        import('../adapters/chat/streaming'), import('../adapters/chat/approval-card'), import('../adapters/chat/modals'),
      ])
      return (bot) => {
        replier = new AgentReplier({
          agent, approvals, log, platformLabel,
          history: async threadId => (await bot.history.thread.list(threadId, { limit: HISTORY })).messages,
          say: (thread, words) => say(thread, words, platformOf(thread.adapter.name).messageLength ?? MESSAGE_LENGTH),
          card: (platform, view) => approvalCard(view, platformOf(platform)),
        })
        registerApprovals(bot, { approvals, replier, noticeModal, platformLabel, runtime, log })
        return replier
      }
    },
    sweep: start => sweepApprovals(async () => {
      const bot = await start()
      await bot.initialize()
      return { bot, replier: replier! }
    }, { approvals, runtime, log }),
    stop: () => void setTimeout(() => running?.stop(), STOP_GRACE_MS),
  }
}

function createDesk({ store, review }: Pick<AgentParts, 'store' | 'review'>): Desk {
  return {
    search: async (text, limit) => {
      const { submissions } = await store.listOpen({ limit: 100 })
      const words = text.toLowerCase().split(/\s+/).filter(Boolean)
      return submissions.filter(({ id, data }) => id.startsWith(text) || words.every(word => JSON.stringify(data).toLowerCase().includes(word))).slice(0, limit).map(({ id, data }) => ({ id, data }))
    },
    get: async (id) => {
      const submission = await store.get(id)
      return submission && { id, data: submission.data }
    },
    decide: async (id, action, reviewer) => {
      const decided = await review.decide(id, action, reviewer)
      return decided.claimed ? { decided: true } : { decided: false, reason: decided.message }
    },
  }
}
