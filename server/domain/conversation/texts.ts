import { ASSIGNMENT_ACTIONS } from '../../../shared/actions'
import { COMMANDS, usageOf } from '../../../shared/commands'
import type { SpeechButton } from '../../ports/board'
import type { Speech, SpeechItem } from '../../ports/conversation'

const BUTTONS: readonly SpeechButton[] = [
  { id: 'hello', label: 'Say hello', primary: true },
  { id: 'info', label: 'Where am I?' },
  { id: 'escalate', label: 'Ask for a human' },
]

const helpWithout = (omittedNames: readonly string[]): SpeechItem[] => (
  COMMANDS.filter(({ name }) => !omittedNames.includes(name)).map(each => ({ label: usageOf(each), value: each.about }))
)

/** Help without the commands that exist only if assignment is on. */
const HELP = helpWithout([...ASSIGNMENT_ACTIONS, 'assign'])

/** Button of a test card. */
export const TEST_CLICK: SpeechButton = { id: 'test_click', label: 'Try a click' }

/** Reply below a test card. */
export function clickArrived(fullName: string): Speech {
  return { text: [`The click of ${fullName} arrived.`] }
}

/**
 * First message of the bot in a thread.
 *
 * @param isFollowing true if the bot answers later messages there without a mention
 */
export function welcome(fullName: string, isFollowing: boolean): Speech {
  const nextStep = isFollowing
    ? 'I now read this thread: you don\'t need to mention me again.'
    : 'Mention me whenever you need me here.'
  return {
    text: [
      `Hello ${fullName}, I am the form triage bot. I post every form as a card, and you decide it with one click. ${nextStep}`,
    ],
    items: HELP,
    buttons: BUTTONS,
  }
}

/** @param hasAssignment true if assignment is on */
export function helpOf(hasAssignment: boolean): Speech {
  return { text: ['This is what I understand:'], items: hasAssignment ? helpWithout([]) : HELP, buttons: BUTTONS }
}

/** Help text of a bot that answers with a language model. */
export const helpWithModel: Speech = {
  text: [
    'Ask me in your own words: which submissions wait, what one of them says, or to forward it, edit it or mark it as spam. Before I change anything I ask for approval.',
  ],
  buttons: BUTTONS,
}

/** Reply to `take` and `assign` if assignment is off. */
export const takesNothing: Speech = {
  text: ['Assignment is off here. Set TAKE=1 to switch it on.'],
}

export const unknownReply: Speech = { text: ['I did not understand that. Type help for what I can do.'] }

export const failureReply: Speech = { text: ['That did not work just now. Nothing is lost: say it again in a moment.'] }

/** @param waitMs time until the agent may be asked again */
export function exhausted(limit: number, waitMs: number): Speech {
  const minutes = Math.ceil(waitMs / 60_000)
  return {
    text: [
      `You have asked me ${limit} times within an hour, which is the limit here. Ask me again in ${minutes} min. Until then I understand:`,
    ],
    items: HELP,
  }
}

export function greeting(fullName: string): Speech {
  return { text: [`Hello, ${fullName}!`] }
}

/** @param platform name of the platform for people */
export function whereabouts(platform: string): Speech {
  return { text: [`You are talking to me on ${platform}.`] }
}

export function escalation(fullName: string, mention?: string): Speech {
  return { text: [`${fullName} requested human support.`], mention }
}
