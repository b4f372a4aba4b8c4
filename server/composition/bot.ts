import type { Chat, StateAdapter } from 'chat'
import { english } from '../../shared/texts'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { AnswerQueue } from '../handlers/answer-queue'
import { platformByName } from '../platforms/registry'
import { Assignments, type AssignmentsPorts } from '../domain/conversation/assignments'
import { ChatCommands, type ChatCommandsPorts } from '../domain/conversation/commands'
import { Home, type HomePorts } from '../domain/conversation/home'
import { RoomInstallations, type RoomInstallationsPorts } from '../domain/operations/room-installations'
import { DeletedCards, type DeletedCardsPorts } from '../domain/cards/deleted-cards'
import type { Decisions } from '../domain/review/decisions'
import { forAudience, type Audience, withAssignments, withHelp, createScript } from '../handlers/repliers'
import { registerLeftApprovals } from '../handlers/approvals'
import { registerConversation, type Replier } from '../handlers/conversation'
import { registerHome } from '../handlers/home'
import { registerRoomEvents } from '../handlers/room-events'
import { registerReview } from '../handlers/review'
import { registerSlashCommands } from '../handlers/slash-commands'
import type { MessageQueue } from '../ports/message-queue'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { AgentConversation } from './agent'

type ChatPorts = ChatCommandsPorts & AssignmentsPorts & DeletedCardsPorts & HomePorts & RoomInstallationsPorts & {
  decisions: Decisions
}

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  log: Log
  places: Places
  chat: ChatPorts
  /** True if assignment is on. */
  takes: boolean
  /** Null without a model: then the conversation is scripted. */
  agent: AgentConversation | null
  audience: Pick<Audience, 'isRoom' | 'isMember' | 'limiter'>
  messages: MessageQueue
  leaseMs: number
  settings: { escalationMention?: string, streamingIntervalMs: number }
}

export interface Bot {
  chat: Chat
  /** Queue of messages, answered in their order. */
  answers: AnswerQueue
}

export async function startBot({
  connections, places, state, log, chat: ports, takes, agent, audience, messages, leaseMs,
  settings: { escalationMention, streamingIntervalMs },
}: BotParts): Promise<Bot> {
  const [{ createBot }, { editModal, noticeModal, sendAgainModal }, { renderAnswer }, joinAgent] = await Promise.all([
    import('../adapters/chat/bot'), import('../adapters/chat/modals'), import('../adapters/chat/speech'), agent?.load(),
  ])
  const commands = new ChatCommands(ports)
  const assignments = takes ? new Assignments(ports) : null
  const platformLabel = (key: string) => platformByName(key)?.label ?? key
  const { here, pressOf, namesOf, mentionedIn, installationIn } = places
  const known = (event: Parameters<typeof namesOf>[0]) => ports.people.known(namesOf(event))
  const { texts = english } = ports.presentation
  const render = (answer: Answer, key: string) => renderAnswer(answer, platformByName(key)!, texts)
  const shared = { here, render, log, platformLabel, known }
  const replierOf = (bot: Chat): Replier => {
    const agentReplier = joinAgent?.(bot)
    const script = createScript({ commands, render })
    const replier = agentReplier
      ? forAudience({ ...shared, ...audience, agent: withHelp(said => agentReplier.reply(said), render), script })
      : script
    return assignments ? withAssignments(replier, { ...shared, assignments, mentionedIn }) : replier
  }
  let answers!: AnswerQueue
  const chat = await createBot({
    connections, state, log, streamingIntervalMs, remembers: agent !== null,
    register: (bot) => {
      registerReview(bot, {
        ...shared, decisions: ports.decisions, pressOf, texts,
        editModal: (form, platform) => editModal(form, platform, texts),
        sendAgainModal: (form, platform) => sendAgainModal(form, platform, texts),
        noticeModal: (message, title) => noticeModal(message, title, texts),
      })
      if (!agent) registerLeftApprovals(bot, { render, noticeModal, log })
      registerHome(bot, { ...shared, home: new Home(ports) })
      registerRoomEvents(bot, {
        ...shared, deletedCards: new DeletedCards(ports), installations: new RoomInstallations(ports), installationIn,
      })
      registerSlashCommands(bot, { ...shared, commands, assignments, mentionedIn })
      answers = registerConversation(bot, { ...shared, replier: replierOf(bot), messages, leaseMs, escalationMention })
    },
  })
  return { chat, answers }
}
