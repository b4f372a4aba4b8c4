import type { Chat, StateAdapter } from 'chat'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { AnswerQueue } from '../handlers/answer-queue'
import { platformByName } from '../platforms/registry'
import type { ChatCommands } from '../domain/conversation/commands'
import type { Review } from '../domain/submission/review'
import { forAudience, type Audience, withHelp, createScript } from '../handlers/repliers'
import { registerConversation, type Replier } from '../handlers/conversation'
import { registerReview } from '../handlers/review'
import type { Place } from '../ports/board'
import type { MessageQueue } from '../ports/message-queue'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { AgentConversation } from './agent'

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  places: Places
  reviewAt: (place: Place) => Review
  commands: ChatCommands
  /** Null without a model: then the conversation is scripted. */
  agent: AgentConversation | null
  /** Whom the model answers. */
  audience: Pick<Audience, 'isRoom' | 'isMember' | 'limiter'>
  messages: MessageQueue
  leaseMs: number
  settings: { escalationMention?: string, streamingIntervalMs: number }
}

export interface Bot {
  chat: Chat
  /** What people said, in the order in which it is answered. */
  answers: AnswerQueue
}

/** The Chat SDK with every platform and every handler. */
export async function startBot({
  connections, places, state, log, reviewAt, commands, agent, audience, messages, leaseMs,
  settings: { escalationMention, streamingIntervalMs },
}: BotParts): Promise<Bot> {
  const [{ createBot }, { editModal, noticeModal }, { renderAnswer }, joinAgent] = await Promise.all([
    import('../adapters/chat/bot'), import('../adapters/chat/modals'), import('../adapters/chat/speech'), agent?.load(),
  ])
  const platformLabel = (key: string) => platformByName(key)?.label ?? key
  const render = (answer: Answer, key: string) => renderAnswer(answer, platformByName(key)!)
  const replierOf = (bot: Chat): Replier => {
    const agentReplier = joinAgent?.(bot)
    const script = createScript({ commands, render })
    return agentReplier ? forAudience({ agent: withHelp(agentReplier, render), script, ...audience, render }) : script
  }
  let answers!: AnswerQueue
  const chat = await createBot({
    connections, state, log, streamingIntervalMs,
    register: (bot) => {
      const { here, pressOf } = places
      registerReview(bot, { reviewAt, here, pressOf, editModal, noticeModal, log, platformLabel })
      answers = registerConversation(bot, {
        replier: replierOf(bot), messages, leaseMs, here, render, platformLabel, escalationMention, log,
      })
    },
  })
  return { chat, answers }
}
