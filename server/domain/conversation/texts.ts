import type { Speech, SpeechButton, SpeechItem } from '../../ports/conversation'

const BUTTONS: readonly SpeechButton[] = [
  { id: 'hello', label: 'Say hello', primary: true },
  { id: 'info', label: 'Where am I?' },
  { id: 'escalate', label: 'Ask for a human' },
]

const HELP: readonly SpeechItem[] = [
  { label: 'pending', value: 'How many submissions wait, and the newest of them' },
  { label: 'show <id or words>', value: 'One submission with its buttons, or those that match' },
  { label: 'status', value: 'What is connected, and what was decided in the last day' },
  { label: 'help', value: 'This list' },
]

/** The first thing that the bot says in a thread. */
export function welcome(fullName: string): Speech {
  return {
    text: [
      `Hello ${fullName}, I am the form triage bot. I post every form as a card, and you decide it with one click. I read along here now: no need to mention me again.`,
    ],
    items: HELP,
    buttons: BUTTONS,
  }
}

export const help: Speech = { text: ['This is what I understand:'], items: HELP, buttons: BUTTONS }

/** The help of a bot that answers through a model. */
export const helpWithModel: Speech = {
  text: [
    'Ask me in your own words: which submissions wait, what one of them says, or to forward it, edit it or mark it as spam. Before I change anything I ask for approval.',
  ],
  buttons: BUTTONS,
}

export const unknown: Speech = { text: ['I did not understand that. Type help for what I can do.'] }

export const failed: Speech = { text: ['That did not work just now. Nothing is lost: say it again in a moment.'] }

/** @param waitMs until the agent may be asked again */
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

/** @param platform as people call it */
export function whereabouts(platform: string): Speech {
  return { text: [`You are talking to me on ${platform}.`] }
}

export function escalation(fullName: string, mention?: string): Speech {
  return { text: [`${fullName} requested human support.`], mention }
}
