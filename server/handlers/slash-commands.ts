import type { Chat, SlashCommandEvent } from 'chat'
import { COMMAND } from '../../shared/commands'
import { parseAssignment, type Assignments } from '../domain/conversation/assignments'
import { parseCommand } from '../domain/conversation/commands'
import { failureReply, takesNothing } from '../domain/conversation/texts'
import type { Scope } from '../ports/board'
import type { BotAnswer } from '../ports/conversation'
import type { Log } from '../ports/runtime'
import { postAnswer, type Assigning, type ScriptedReplies } from './repliers'
import { reviewerOf } from './review'
import type { Here, SpeakerHandlers } from './speaker'

export interface SlashCommandHandlers extends ScriptedReplies, SpeakerHandlers {
  mentionedIn: Assigning['mentionedIn']
  here: Here
  log: Log
  /** Null if assignment is off. */
  assignments: Assignments | null
}

/** Answers `/forms pending` like a mention with `pending`, but only to the asker, if the platform can. */
export function registerSlashCommands(bot: Chat, handlers: SlashCommandHandlers): void {
  const { commands, here: resolveScope, render, log } = handlers
  /** Answers one person alone, if the platform can. @param publicAnswer the answer for everybody if it cannot */
  const say = async ({ channel, user, adapter }: SlashCommandEvent, answer: BotAnswer, publicAnswer = answer) => {
    const sentMessage = await channel.postEphemeral(user, render(answer, adapter.name), { fallbackToDM: false })
    if (!sentMessage) await postAnswer(channel, publicAnswer, handlers)
  }
  bot.onSlashCommand(`/${COMMAND}`, async (event) => {
    const { channel, adapter } = event
    try {
      const place = await resolveScope(channel.id, adapter)
      const answer = await composeAnswer(event, place, handlers)
      await say(event, await commands.alone(answer, place), answer)
    }
    catch (error) {
      log.error('conversation.failed', { platform: adapter.name, command: COMMAND, error })
      await say(event, { speech: failureReply }).catch(() => {})
    }
  })
}

async function composeAnswer(
  event: SlashCommandEvent, place: Scope, handlers: SlashCommandHandlers,
): Promise<BotAnswer> {
  const { commands, assignments, mentionedIn } = handlers
  const assignment = parseAssignment(event.text)
  if (!assignment) {
    const command = parseCommand(event.text)
    return commands.answer(command.name ? command : { name: 'help', argument: '' }, place)
  }
  if (!assignments) return { speech: takesNothing }
  const [assigner, mentionedPeople] = await Promise.all([reviewerOf(event, handlers), mentionedIn(event)])
  return { speech: await assignments.assign(assignment, place, assigner, mentionedPeople.at(-1)) }
}
