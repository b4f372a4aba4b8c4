import type { Chat, StateAdapter } from 'chat'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { AnswerQueue } from '../handlers/answer-queue'
import { platformByName } from '../platforms/registry'
import type { People } from '../domain/people/people'
import type { Decisions } from '../domain/submission/decisions'
import { forAudience, type Audience, withAssignments, withHelp, createScript } from '../handlers/repliers'
import { registerLeftApprovals } from '../handlers/approvals'
import { registerConversation, type Replier } from '../handlers/conversation'
import { registerDeletedCards } from '../handlers/deleted-cards'
import { registerHome } from '../handlers/home'
import { registerInstallations } from '../handlers/installations'
import { registerReview } from '../handlers/review'
import { registerSlashCommands } from '../handlers/slash-commands'
import type { MessageQueue } from '../ports/message-queue'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { AgentConversation } from './agent'
import type { ChatServices } from './conversation'

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  places: Places
  people: People
  decisions: Decisions
  services: ChatServices
  /** Null without a model: then the conversation is scripted. */
  agent: AgentConversation | null
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

export async function startBot({
  connections, places, people, state, log, decisions, services, agent, audience, messages, leaseMs,
  settings: { escalationMention, streamingIntervalMs },
}: BotParts): Promise<Bot> {
  const [{ createBot }, { editModal, noticeModal, sendAgainModal }, { renderAnswer }, joinAgent] = await Promise.all([
    import('../adapters/chat/bot'), import('../adapters/chat/modals'), import('../adapters/chat/speech'), agent?.load(),
  ])
  const { commands, assignments, deletedCards, home, roomInstallations } = services
  const platformLabel = (key: string) => platformByName(key)?.label ?? key
  const { here, pressOf, namesOf, mentionedIn, installationIn } = places
  const known = (event: Parameters<typeof namesOf>[0]) => people.known(namesOf(event))
  const render = (answer: Answer, key: string) => renderAnswer(answer, platformByName(key)!)
  const replierOf = (bot: Chat): Replier => {
    const agentReplier = joinAgent?.(bot)
    const script = createScript({ commands, render })
    const replier = agentReplier
      ? forAudience({
          agent: withHelp(said => agentReplier.reply(said), render), script, ...audience, render, platformLabel, known,
        })
      : script
    return assignments ? withAssignments(replier, { assignments, mentionedIn, render, platformLabel, known }) : replier
  }
  let answers!: AnswerQueue
  const chat = await createBot({
    connections, state, log, streamingIntervalMs, remembers: agent !== null,
    register: (bot) => {
      registerReview(bot, {
        decisions, here, pressOf, editModal, sendAgainModal, noticeModal, render, log, platformLabel, known,
      })
      if (!agent) registerLeftApprovals(bot, { render, noticeModal, log })
      registerHome(bot, { home, render, log, platformLabel, known })
      registerDeletedCards(bot, { deletedCards, here, log })
      registerInstallations(bot, { rooms: roomInstallations, installationIn, log })
      registerSlashCommands(bot, { commands, assignments, here, mentionedIn, render, log, platformLabel, known })
      answers = registerConversation(bot, {
        replier: replierOf(bot), messages, leaseMs, here, render, platformLabel, escalationMention, log,
      })
    },
  })
  return { chat, answers }
}
