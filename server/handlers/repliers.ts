import type { Adapter, Channel, Message, Thread } from 'chat'
import { parseAssignment, type Assignments } from '../domain/conversation/assignments'
import { parseCommand, type ChatCommands, withoutAddress } from '../domain/conversation/commands'
import { welcome, helpWithModel, exhausted } from '../domain/conversation/texts'
import { identityOf } from '../domain/people/people'
import { visible } from '../../shared/utils/text'
import type { Scope } from '../ports/board'
import type { BotAnswer } from '../ports/conversation'
import type { Person } from '../ports/submission'
import type { QueuedMessage } from './answer-queue'
import type { Replier } from './conversation'
import type { Limiter } from '../ports/limiter'
import { speakerOf, type Render, type SpeakerHandlers } from './speaker'

export interface ScriptedReplies {
  render: Render
  commands: ChatCommands
}

/** Answers without a model: a welcome, and a few commands. */
export function createScript(script: ScriptedReplies): Replier {
  const { commands, render } = script
  return async ({ thread, message, opens, place }) => {
    const command = parseCommand(message.text)
    // A command in the first message is answered instead of welcomed.
    if (opens && (!command.name || command.name === 'help')) {
      const speech = welcome(visible(message.author.fullName), await thread.isSubscribed())
      await thread.post(render({ speech }, thread.adapter.name))
      return
    }
    await postAnswer(thread, await commands.answer(command, place), script)
  }
}

/** Posts an answer for everybody; a card in it is then kept up to date. */
export async function postAnswer(
  target: Thread | Channel, answer: BotAnswer, { commands, render }: ScriptedReplies,
): Promise<void> {
  const { name: platform } = target.adapter
  const sentMessage = await target.post(render(answer, platform))
  if (!('card' in answer)) return
  const replacementCard = await commands.shown(
    answer.card.submissionId, { platform, threadId: sentMessage.threadId, messageId: sentMessage.id }, answer.version,
  )
  if (replacementCard) await sentMessage.edit(render({ card: replacementCard }, platform))
}

/**
 * Answers `help` and a bare mention without the model, so that they work without it, and offers the buttons. All else
 * is left to the replier.
 */
export function withHelp(replier: Replier, render: Render): Replier {
  return async (queuedMessage) => {
    const { thread, message } = queuedMessage
    if (asksForHelp(message)) await thread.post(render({ speech: helpWithModel }, thread.adapter.name))
    else await replier(queuedMessage)
  }
}

function asksForHelp({ text, attachments }: Message): boolean {
  return parseCommand(text).name === 'help' || (withoutAddress(text) === '' && attachments.length === 0)
}

export interface Assigning extends SpeakerHandlers {
  render: Render
  assignments: Assignments
  /** People mentioned in a message, except the bot; each with all names that a list may use for them. */
  mentionedIn: (message: { raw: unknown, adapter: Adapter }) => Promise<readonly (readonly string[])[]>
}

/** Handles the command `assign <id> @Grace` itself, with or without a model. */
export function withAssignments(
  replier: Replier, { assignments, mentionedIn, render, ...speakers }: Assigning,
): Replier {
  return async (queuedMessage) => {
    const { thread, message, place } = queuedMessage
    const assignment = parseAssignment(message.text)
    if (!assignment) return replier(queuedMessage)
    const { raw } = message
    const assigneeNames = (await mentionedIn({ raw, adapter: thread.adapter })).at(-1)
    const speaker = speakerOf(message, thread, speakers)
    const { isPrivate, ...speech } = await assignments.assign(assignment, place, speaker, assigneeNames)
    const answer = render({ speech }, thread.adapter.name)
    if (
      isPrivate && await findReplyTarget(queuedMessage).postEphemeral(message.author, answer, { fallbackToDM: false })
    ) return
    await thread.post(answer)
  }
}

/** Returns where the author reads private replies: the channel, if the message has no thread yet. */
function findReplyTarget({ thread, message }: QueuedMessage): Thread | Channel {
  return thread.id.endsWith(`:${message.id}`) ? thread.channel : thread
}

export interface Audience extends SpeakerHandlers {
  render: Render
  agent: Replier
  script: Replier
  isRoom: (place: Scope) => boolean
  /** True if the person, who writes elsewhere, is a member of a room with cards. */
  isMember: (platform: string, person: Person) => Promise<boolean>
  /** Counts the questions of one person to the model; null for no limit. */
  limiter: Limiter | null
}

/**
 * Lets the model answer everybody in rooms with cards, and members of these rooms elsewhere, up to an hourly limit for
 * each person. Strangers, and commands above the limit, get the script, which costs nothing.
 */
export function forAudience({ agent, script, isRoom, isMember, limiter, render, ...speakers }: Audience): Replier {
  return async (queuedMessage) => {
    const { thread, message, message: { text }, place } = queuedMessage
    const { name } = thread.adapter
    const speaker = speakerOf(message, thread, speakers)
    if (!isRoom(place) && !await isMember(name, speaker)) return script(queuedMessage)
    const waitMs = await limiter?.take(`agent:${identityOf(speaker)}`) ?? 0
    if (waitMs === 0) return agent(queuedMessage)
    if (parseCommand(text).name) return script({ ...queuedMessage, opens: false })
    await thread.post(render({ speech: exhausted(limiter!.limit, waitMs) }, name))
  }
}
