import type { Message, Thread } from 'chat'
import { parseCommand } from '../domain/conversation/command'
import { exhausted } from '../domain/conversation/texts'
import type { Place } from '../ports/board'
import type { Limiter } from '../ports/limiter'
import type { ConversationHandlers, Replier } from './conversation'

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
  async function whoAnswers({ adapter: { name } }: Thread, { author: { userId } }: Message, place: Place): Promise<Replier> {
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
    welcome: async (thread, message, place) => (await whoAnswers(thread, message, place)).welcome(thread, message, place),
    reply: async (thread, message, place) => (await whoAnswers(thread, message, place)).reply(thread, message, place),
  }
}
