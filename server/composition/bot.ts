import type { Chat, StateAdapter } from 'chat'
import { ACTIONS, TYPED_ACTIONS } from '../../shared/actions'
import { english } from '../../shared/texts'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { AnswerQueue } from '../handlers/answer-queue'
import { platformByName } from '../platforms/registry'
import type { Context } from '../domain/context'
import { Assignments } from '../domain/conversation/assignments'
import { ChatCommands } from '../domain/conversation/commands'
import { Home } from '../domain/conversation/home'
import { RoomInstallations } from '../domain/operations/room-installations'
import { DeletedCards } from '../domain/cards/deleted-cards'
import { forAudience, withAssignments, withHelp, createScript } from '../handlers/repliers'
import { registerLeftApprovals } from '../handlers/approvals'
import { registerConversation, type Replier } from '../handlers/conversation'
import { registerHome } from '../handlers/home'
import { registerRoomEvents } from '../handlers/room-events'
import { registerReview } from '../handlers/review'
import { registerSlashCommands } from '../handlers/slash-commands'
import type { Installations } from '../ports/installations'
import type { MessageQueue } from '../ports/message-queue'
import type { BotAnswer } from '../ports/conversation'
import type { AgentAudience, AgentConversation } from './agent'
import type { Triage } from './triage'

interface BotParts {
  connections: readonly Connection[]
  state: () => Promise<StateAdapter>
  places: Places
  installations: Installations
  /** Null without a model: then the conversation is scripted. */
  agent: AgentConversation | null
  audience: AgentAudience
  messages: MessageQueue
  settings: { escalationMention?: string, streamingIntervalMs: number }
}

export interface Bot {
  chat: Chat
  /** Queue of messages, answered in their order. */
  answers: AnswerQueue
}

export async function startBot(context: Context, { outbox, people, reviewers, decisions }: Triage, {
  connections, places, state, installations, agent, audience, messages,
  settings: { escalationMention, streamingIntervalMs },
}: BotParts): Promise<Bot> {
  const { log, claimMs, policy: { leaseMs } } = context
  const [{ createBot }, { editModal, noticeModal, sendAgainModal }, { renderAnswer }, joinAgent] = await Promise.all([
    import('../adapters/chat/bot'), import('../adapters/chat/modals'), import('../adapters/chat/speech'), agent?.load(),
  ])
  const commands = new ChatCommands(context, outbox)
  const hasOtherCommands = TYPED_ACTIONS.some(id => ACTIONS[id].group !== 'assignment')
  const assignments = claimMs !== null || hasOtherCommands ? new Assignments(context, people, decisions) : null
  const platformLabel = (key: string) => platformByName(key)?.label ?? key
  const { here, pressOf, namesOf, mentionedIn, installationIn } = places
  const known = (event: Parameters<typeof namesOf>[0]) => people.known(namesOf(event))
  const { texts = english } = context
  const render = (answer: BotAnswer, key: string) => renderAnswer(answer, platformByName(key)!, texts)
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
        ...shared, decisions, pressOf, texts,
        editModal: (form, platform) => editModal(form, platform, texts),
        sendAgainModal: (form, platform) => sendAgainModal(form, platform, texts),
        noticeModal: (message, title) => noticeModal(message, title, texts),
      })
      if (!agent) registerLeftApprovals(bot, { render, noticeModal, log })
      registerHome(bot, { ...shared, home: new Home(context, reviewers, decisions) })
      registerRoomEvents(bot, {
        ...shared, deletedCards: new DeletedCards(context, outbox),
        installations: new RoomInstallations(context, outbox.queue, installations), installationIn,
      })
      registerSlashCommands(bot, { ...shared, commands, assignments, mentionedIn })
      answers = registerConversation(bot, { ...shared, replier: replierOf(bot), messages, leaseMs, escalationMention })
    },
  })
  return { chat, answers }
}
