import type { ActionEvent, Adapter, AdapterPostableMessage, Chat, Message, Thread } from 'chat'
import { escalation, failed, greeting, whereabouts } from '../domain/conversation/texts'
import type { Place } from '../ports/board'
import type { Answer, Speech } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import { fullNameOf } from './review'

/** Who answers: a script, or a model. Called for one message of a thread at a time, in order of arrival. */
export interface Replier {
  /** The message that opened the conversation: the bot was mentioned, or written to directly, for the first time. */
  welcome(thread: Thread, message: Message, place: Place): Promise<void>
  /** Every later message. */
  reply(thread: Thread, message: Message, place: Place): Promise<void>
}

interface Turn {
  thread: Thread
  message: Message
  opens: boolean
  place: Place
}

/** Answers what it is given one after another per thread, over all replicas. */
interface Turns {
  take(turn: Turn): Promise<void>
}

export interface ConversationHandlers {
  replier: Replier
  /** @param answer is told how often the message was begun to be answered, this time included */
  turns: (bot: Chat, answer: (turn: Turn, attempt: number) => Promise<void>) => Turns
  /** Where an event that is being handled comes from, by its signed request. */
  here: (threadId: string, adapter: Adapter) => Promise<Place>
  render: (answer: Answer, platform: string) => AdapterPostableMessage
  platformLabel: (key: string) => string
  /** Notified when somebody asks for a human, as platforms write it. */
  escalationMention?: string
  log: Log
}

/** Two mentions at once open one conversation; later ones find the thread subscribed, ms. */
const OPENING_MS = 3_600_000

/** A message that ended this many processes is not answered any more. */
const MOST_ATTEMPTS = 3

/** Mentions, direct messages, the threads that follow, and the buttons of the welcome. The bot and other bots are not answered. */
export function registerConversation(bot: Chat, handlers: ConversationHandlers): void {
  const { replier, here, render, platformLabel, escalationMention, log } = handlers

  const turns = handlers.turns(bot, async ({ thread, message, opens, place }, attempt) => {
    const platform = thread.adapter.name
    try {
      if (attempt > MOST_ATTEMPTS) throw new Error(`Given up after ${MOST_ATTEMPTS} attempts.`)
      // Two mentions may both have found the thread unsubscribed: the first that is answered is welcomed.
      const isFirst = opens && await isOpenedBy(message, thread, bot)
      await (isFirst ? replier.welcome(thread, message, place) : replier.reply(thread, message, place))
    }
    catch (error) {
      log.error('conversation.failed', { platform, message: message.id, error })
      await thread.post(render({ speech: failed }, platform)).catch(() => {})
    }
  })

  // A direct message without a subscription comes as a mention too, as long as nobody registers for direct messages.
  bot.onNewMention(async (thread, message) => {
    if (!isSaid(message)) return
    await thread.subscribe()
    await turns.take({ thread, message, opens: true, place: await here(thread.id, thread.adapter) })
  })

  bot.onSubscribedMessage(async (thread, message) => {
    if (isSaid(message)) await turns.take({ thread, message, opens: false, place: await here(thread.id, thread.adapter) })
  })

  const onClick = (actionId: string, speech: (event: ActionEvent) => Promise<Speech>) => bot.onAction(actionId, async (event) => {
    try {
      await event.thread?.post(render({ speech: await speech(event) }, event.adapter.name))
    }
    catch (error) {
      log.error('conversation.failed', { platform: event.adapter.name, action: actionId, error })
      await event.thread?.postEphemeral(event.user, 'That did not work just now. Press the button again in a moment.', { fallbackToDM: false }).catch(() => {})
    }
  })
  onClick('hello', async event => greeting(await fullNameOf(event)))
  onClick('info', async event => whereabouts(platformLabel(event.adapter.name)))
  onClick('escalate', async event => escalation(await fullNameOf(event), escalationMention))
}

async function isOpenedBy({ id }: Message, thread: Thread, bot: Chat): Promise<boolean> {
  const [state, key] = [bot.getState(), `conversation:opened:${thread.id}`]
  // A process may have died between this and its answer.
  return await state.setIfNotExists(key, id, OPENING_MS) || await state.get(key) === id
}

/** Said by a person, and not empty, as the first message of a Discord thread is. */
function isSaid({ author, text, attachments }: Message): boolean {
  return author.isBot !== true && !author.isMe && (text.trim() !== '' || attachments.length > 0)
}
