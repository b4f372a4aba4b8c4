import type { ActionEvent, Channel, Message, Thread } from 'chat'
import { parseAssignment, type Assignments } from '../domain/conversation/assignments'
import { parseCommand, type ChatCommands, withoutAddress } from '../domain/conversation/commands'
import { welcome, helpWithModel, exhausted } from '../domain/conversation/texts'
import { identityOf } from '../domain/people/people'
import { visible } from '../../shared/utils/text'
import type { Scope } from '../ports/board'
import type { Answer } from '../ports/conversation'
import type { Person } from '../ports/submission'
import type { QueuedMessage } from './answer-queue'
import type { ConversationHandlers, Replier } from './conversation'
import type { Limiter } from '../ports/limiter'
import { speakerOf, type SpeakerHandlers } from './speaker'

export interface ScriptedReplies extends Pick<ConversationHandlers, 'render'> {
  commands: ChatCommands
}

/** Answers without a model: a welcome, and a few commands. */
export function createScript(script: ScriptedReplies): Replier {
  const { commands, render } = script
  return async ({ thread, message, opens, place }) => {
    const command = parseCommand(message.text)
    // Who asks for something right away gets that.
    if (opens && (!command.name || command.name === 'help')) {
      const speech = welcome(visible(message.author.fullName), await thread.isSubscribed())
      await thread.post(render({ speech }, thread.adapter.name))
      return
    }
    await postAnswer(thread, await commands.answer(command, place), script)
  }
}

/** Says it for everybody; a card follows from then on what becomes of its submission. */
export async function postAnswer(
  to: Thread | Channel, answer: Answer, { commands, render }: ScriptedReplies,
): Promise<void> {
  const { name: platform } = to.adapter
  const sent = await to.post(render(answer, platform))
  if (!('card' in answer)) return
  const instead = await commands.shown(
    answer.card.submissionId, { platform, threadId: sent.threadId, messageId: sent.id }, answer.version,
  )
  if (instead) await sent.edit(render({ card: instead }, platform))
}

/**
 * With a model everything is said in words, but for the one that people try everywhere, and a bare mention: those are
 * answered without the model, also while it does not work, and offer the buttons.
 */
export function withHelp(replier: Replier, render: ConversationHandlers['render']): Replier {
  return async (said) => {
    const { thread, message } = said
    if (asksForHelp(message)) await thread.post(render({ speech: helpWithModel }, thread.adapter.name))
    else await replier(said)
  }
}

function asksForHelp({ text, attachments }: Message): boolean {
  return parseCommand(text).name === 'help' || (withoutAddress(text) === '' && attachments.length === 0)
}

export interface Assigning extends Pick<ConversationHandlers, 'render'>, SpeakerHandlers {
  assignments: Assignments
  /** Whom a message mentions but the bot, each by all names that a list may have for them. */
  mentionedIn: (message: Pick<ActionEvent, 'raw' | 'adapter'>) => Promise<readonly (readonly string[])[]>
}

/** Whether there is a model or not, it is not asked for what is one command: `assign <id> @Grace`. */
export function withAssignments(
  replier: Replier, { assignments, mentionedIn, render, ...speakers }: Assigning,
): Replier {
  return async (said) => {
    const { thread, message, place } = said
    const assignment = parseAssignment(message.text)
    if (!assignment) return replier(said)
    const { raw } = message
    const mentioned = (await mentionedIn({ raw, adapter: thread.adapter })).at(-1)
    const speaker = speakerOf(message, thread, speakers)
    const { isPrivate, ...speech } = await assignments.assign(assignment, place, speaker, mentioned)
    const answer = render({ speech }, thread.adapter.name)
    if (isPrivate && await placeOf(said).postEphemeral(message.author, answer, { fallbackToDM: false })) return
    await thread.post(answer)
  }
}

/** Where its author looks: a message that may yet begin a thread has none to show them private words in. */
function placeOf({ thread, message }: QueuedMessage): Thread | Channel {
  return thread.id.endsWith(`:${message.id}`) ? thread.channel : thread
}

export interface Audience extends Pick<ConversationHandlers, 'render'>, SpeakerHandlers {
  agent: Replier
  script: Replier
  isRoom: (place: Scope) => boolean
  /** Whether somebody who writes elsewhere shares a room of the cards. */
  isMember: (platform: string, person: Person) => Promise<boolean>
  /** Counts what one person asks the model; null for no limit. */
  limiter: Limiter | null
}

/**
 * Whom the model answers: everybody in a room of the cards, and its people elsewhere, each so often an hour. Strangers,
 * and whoever has used up the hour, get the script, which costs nothing.
 */
export function forAudience({ agent, script, isRoom, isMember, limiter, render, ...speakers }: Audience): Replier {
  return async (said) => {
    const { thread, message, message: { text }, place } = said
    const { name } = thread.adapter
    const speaker = speakerOf(message, thread, speakers)
    if (!isRoom(place) && !await isMember(name, speaker)) return script(said)
    const waitMs = await limiter?.take(`agent:${identityOf(speaker)}`) ?? 0
    if (waitMs === 0) return agent(said)
    if (parseCommand(text).name) return script({ ...said, opens: false })
    await thread.post(render({ speech: exhausted(limiter!.limit, waitMs) }, name))
  }
}
