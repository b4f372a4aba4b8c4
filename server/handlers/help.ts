import type { Message } from 'chat'
import { parseCommand, withoutAddress } from '../domain/conversation/command'
import { helpWithModel } from '../domain/conversation/texts'
import type { ConversationHandlers, Replier } from './conversation'

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
