import type { ActionEvent, Chat, Message, Thread } from 'chat'
import { clickArrived, escalation, failureReply, greeting, TEST_CLICK, whereabouts } from '../domain/conversation/texts'
import type { Speech } from '../ports/conversation'
import type { MessageQueue } from '../ports/message-queue'
import type { Log } from '../ports/runtime'
import { createAnswerQueue, type AnswerQueue, type QueuedMessage } from './answer-queue'
import { replyPrivately, type Here, type Render } from './speaker'
import { fullNameOf } from './review'

/** Answers through a script or a model. Called for one message of a thread at a time, in order of arrival. */
export type Replier = (queuedMessage: QueuedMessage) => Promise<void>

export interface ConversationHandlers {
  render: Render
  replier: Replier
  /** Messages that wait for an answer. */
  messages: MessageQueue
  /** Time for which a thread stays reserved for a process that died, ms. */
  leaseMs: number
  here: Here
  platformLabel: (key: string) => string
  /** Mention for requests for a human, in the platform's syntax. */
  escalationMention?: string
  log: Log
}

/** Time for which a thread's first mention is remembered, ms, so that a second one opens no new conversation. */
const OPENING_MS = 3_600_000

/** Time for which an answered message is remembered, ms: platforms send messages again for up to a day. */
const ANSWERED_MS = 24 * 3_600_000

/** Max attempts to answer a message, in case it ends the process each time. */
const MOST_ATTEMPTS = 3

/** Answers mentions and direct messages, later messages in their threads, and the welcome's buttons. Ignores bots. */
export function registerConversation(bot: Chat, handlers: ConversationHandlers): AnswerQueue {
  const { replier, messages, leaseMs, here: resolveScope, render, platformLabel, escalationMention, log } = handlers

  async function answer(queuedMessage: QueuedMessage, attempt: number): Promise<void> {
    const { thread, message } = queuedMessage
    const platform = thread.adapter.name
    const [state, key] = [bot.getState(), `conversation:answered:${thread.id}:${message.id}`]
    // It is queued twice if a process died between queueing it and noting that.
    if (await state.get(key).catch(() => null)) return
    try {
      if (attempt > MOST_ATTEMPTS) throw new Error(`Given up after ${MOST_ATTEMPTS} attempts.`)
      // Two simultaneous mentions may both find the thread unsubscribed: welcome only the first one answered.
      const opens = queuedMessage.opens && await isOpenedBy(message, thread, bot)
      await replier({ ...queuedMessage, opens })
    }
    catch (error) {
      log.error('conversation.failed', { platform, message: message.id, error })
      await thread.post(render({ speech: failureReply }, platform)).catch(() => {})
    }
    await state.set(key, true, ANSWERED_MS).catch(() => {})
  }

  const answers = createAnswerQueue({ bot, queue: messages, leaseMs, answer })

  // Direct messages without a subscription come here, too, because no handler for direct messages is registered.
  bot.onNewMention(async (thread, message) => {
    if (!isPersonsMessage(message)) return
    if (!isChannel(thread)) await thread.subscribe()
    await answers.take({ thread, message, opens: true, place: await resolveScope(thread.id, thread.adapter) })
  })

  bot.onSubscribedMessage(async (thread, message) => {
    const isInChannel = isChannel(thread)
    // An earlier version subscribed to channels, too.
    if (isInChannel) await thread.unsubscribe()
    if (isPersonsMessage(message) && (!isInChannel || message.isMention)) {
      await answers.take({ thread, message, opens: false, place: await resolveScope(thread.id, thread.adapter) })
    }
  })

  const onClick = (
    actionId: string, speech: (event: ActionEvent) => Promise<Speech>,
  ) => bot.onAction(actionId, async (event) => {
    try {
      await event.thread?.post(render({ speech: await speech(event) }, event.adapter.name))
    }
    catch (error) {
      log.error('conversation.failed', { platform: event.adapter.name, action: actionId, error })
      await replyPrivately(event, 'That did not work just now. Press the button again in a moment.', render).catch(() => {})
    }
  })
  onClick('hello', async event => greeting(await fullNameOf(event)))
  onClick('info', async event => whereabouts(platformLabel(event.adapter.name)))
  onClick(TEST_CLICK.id, async event => clickArrived(await fullNameOf(event)))
  onClick('escalate', async event => escalation(await fullNameOf(event), escalationMention))
  return answers
}

async function isOpenedBy({ id }: Message, thread: Thread, bot: Chat): Promise<boolean> {
  const [state, key] = [bot.getState(), `conversation:opened:${thread.id}`]
  // The same message may come again, if a process died before it answered.
  return await state.setIfNotExists(key, id, OPENING_MS) || await state.get(key) === id
}

/** True if a person said it and it has content; the first message of a Discord thread is empty. */
function isPersonsMessage({ author, text, attachments }: Message): boolean {
  return author.isBot !== true && !author.isMe && (text.trim() !== '' || attachments.length > 0)
}

/** An adapter where a thread may be a whole channel, in which people talk with each other. */
interface WithChannels {
  isChannel?: (threadId: string) => boolean
}

export function isChannel({ id, adapter }: Thread): boolean {
  return (adapter as WithChannels).isChannel?.(id) ?? false
}
