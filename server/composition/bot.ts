import type { Chat, StateAdapter } from 'chat'
import type { Places } from '../adapters/chat/places'
import type { Connection } from '../platforms/connection'
import type { AnswerQueue } from '../handlers/answer-queue'
import { platformByName } from '../platforms/registry'
import { BotUnavailable } from '../domain/errors'
import type { ChatCommands } from '../domain/conversation/commands'
import type { Review } from '../domain/submission/review'
import { forAudience, type Audience, withHelp, createScript } from '../handlers/repliers'
import { registerConversation, type Replier } from '../handlers/conversation'
import { registerReview } from '../handlers/review'
import { background } from '../http/background'
import type { Place } from '../ports/board'
import type { MessageQueue } from '../ports/message-queue'
import type { Monitor } from '../ports/monitor'
import type { Answer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import type { AgentConversation } from './agent'

/** A webhook that cannot be started in this time, ms, is answered with 503; the platform sends it again. */
const BOT_PATIENCE_MS = 2000

/** Hands the request to the platform's adapter. The SDK waits for the store without a bound: the answer does not. */
export async function handleWebhook(key: string, request: Request, bot: () => Promise<Chat>, monitor: Monitor, log: Log): Promise<Response> {
  const startedAt = performance.now()
  const settled = (status: number) => monitor.acknowledged(key, status, performance.now() - startedAt)
  const chat = await inTime(bot()).catch((error) => {
    settled(503)
    log.warn('bot.unavailable', { platform: key, error })
    throw new BotUnavailable(error)
  })
  const response = await chat.webhooks[key]!(request, { waitUntil: background })
  settled(response.status)
  return response
}

async function inTime(bot: Promise<Chat>): Promise<Chat> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The bot did not start in time.')), BOT_PATIENCE_MS)
  })
  const ready = bot.then(async (chat) => {
    await chat.initialize()
    return chat
  })
  return Promise.race([ready, late]).finally(() => clearTimeout(timer))
}

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
export async function startBot({ connections, places, state, log, reviewAt, commands, agent, audience, messages, leaseMs, settings: { escalationMention, streamingIntervalMs } }: BotParts): Promise<Bot> {
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
      registerReview(bot, { reviewAt, here: places.here, pressOf: places.pressOf, editModal, noticeModal, log, platformLabel })
      answers = registerConversation(bot, {
        replier: replierOf(bot), messages, leaseMs, here: places.here, render, platformLabel, escalationMention, log,
      })
    },
  })
  return { chat, answers }
}

/** Threads that one sweep looks after. */
const SWEPT = 50

/** Has messages answered that a process left behind. Only if there are any the chat platforms are started for it. */
export async function sweepMessages(messages: MessageQueue, leaseMs: number, start: () => Promise<Bot>): Promise<void> {
  const threads = await messages.stalled(leaseMs, SWEPT)
  if (threads.length === 0) return
  const { chat, answers } = await start()
  await chat.initialize()
  for (const thread of threads) background(answers.resume(thread))
}
