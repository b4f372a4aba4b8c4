import type { Message, Thread } from 'chat'
import { parseCommand, type ChatCommands, withoutAddress } from '../domain/conversation/commands'
import { welcome, helpWithModel, exhausted } from '../domain/conversation/texts'
import { visible } from '../../shared/utils/text'
import type { Place } from '../ports/board'
import type { Answer } from '../ports/conversation'
import type { ConversationHandlers, Replier } from './conversation'
import type { Limiter } from '../ports/limiter'

export interface Script extends Pick<ConversationHandlers, 'render'> {
  commands: ChatCommands
}

/** Answers without a model: a welcome, and a few commands. */
export function createScript({ commands, render }: Script): Replier {
  const post = (thread: Thread, answer: Answer) => thread.post(render(answer, thread.adapter.name))

  async function obey(thread: Thread, message: Message, place: Place): Promise<void> {
    const answer = await commands.answer(parseCommand(message.text), place)
    const sent = await post(thread, answer)
    if (!('card' in answer)) return
    const instead = await commands.shown(
      answer.card.submissionId, { platform: thread.adapter.name, threadId: sent.threadId, messageId: sent.id },
    )
    if (instead) await sent.edit(render({ card: instead }, thread.adapter.name))
  }

  return {
    reply: obey,
    // Who asks for something right away gets that.
    welcome: async (thread, message, place) => {
      const { name } = parseCommand(message.text)
      if (name && name !== 'help') await obey(thread, message, place)
      else await post(thread, { speech: welcome(visible(message.author.fullName)) })
    },
  }
}

/**
 * With a model everything is said in words, but for the one that people try everywhere, and a bare mention: those are
 * answered without the model, also while it does not work, and offer the buttons.
 */
export function withHelp(replier: Replier, render: ConversationHandlers['render']): Replier {
  const orElse = (reply: Replier['reply']): Replier['reply'] => async (thread, message, place) => {
    if (asksForHelp(message)) await thread.post(render({ speech: helpWithModel }, thread.adapter.name))
    else await reply(thread, message, place)
  }
  return { welcome: orElse((...said) => replier.welcome(...said)), reply: orElse((...said) => replier.reply(...said)) }
}

function asksForHelp({ text, attachments }: Message): boolean {
  return parseCommand(text).name === 'help' || (withoutAddress(text) === '' && attachments.length === 0)
}

export interface Audience extends Pick<ConversationHandlers, 'render'> {
  agent: Replier
  script: Replier
  isRoom: (place: Place) => boolean
  /** Whether somebody who writes elsewhere shares a room of the cards. */
  isMember: (platform: string, userId: string) => Promise<boolean>
  /** Counts what one person asks the model; null for no limit. */
  limiter: Limiter | null
}

/**
 * Whom the model answers: everybody in a room of the cards, and its people elsewhere, each so often an hour. Strangers,
 * and whoever has used up the hour, get the script, which costs nothing.
 */
export function forAudience({ agent, script, isRoom, isMember, limiter, render }: Audience): Replier {
  async function whoAnswers(
    { adapter: { name } }: Thread, { author: { userId } }: Message, place: Place,
  ): Promise<Replier> {
    if (!isRoom(place) && !await isMember(name, userId)) return script
    const waitMs = await limiter?.take(`agent:${name}:${userId}`) ?? 0
    return waitMs > 0 ? later(waitMs) : agent
  }

  function later(waitMs: number): Replier {
    const reply: Replier['reply'] = async (thread, message, place) => {
      if (parseCommand(message.text).name) return script.reply(thread, message, place)
      await thread.post(render({ speech: exhausted(limiter!.limit, waitMs) }, thread.adapter.name))
    }
    return { welcome: reply, reply }
  }

  return {
    welcome: async (thread, message, place) => (
      (await whoAnswers(thread, message, place)).welcome(thread, message, place)
    ),
    reply: async (thread, message, place) => (await whoAnswers(thread, message, place)).reply(thread, message, place),
  }
}
