import type { Message, Thread } from 'chat'
import { parseCommand } from '../domain/conversation/command'
import type { CommandDesk } from '../domain/conversation/desk'
import { welcome } from '../domain/conversation/texts'
import { visible } from '../../shared/utils/text'
import type { Place } from '../ports/board'
import type { Answer } from '../ports/conversation'
import type { ConversationHandlers, Replier } from './conversation'

export interface Script extends Pick<ConversationHandlers, 'render'> {
  desk: CommandDesk
}

/** Answers without a model: a welcome, and a few commands. */
export function createScript({ desk, render }: Script): Replier {
  const post = (thread: Thread, answer: Answer) => thread.post(render(answer, thread.adapter.name))

  async function obey(thread: Thread, message: Message, place: Place): Promise<void> {
    const answer = await desk.answer(parseCommand(message.text), place)
    const sent = await post(thread, answer)
    if (!('card' in answer)) return
    const instead = await desk.shown(answer.card.submissionId, { platform: thread.adapter.name, threadId: sent.threadId, messageId: sent.id })
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
