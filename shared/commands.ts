/** What people ask the bot in a word: after a mention of it, or as `/forms <name> <argument>`. */
export interface BotCommand {
  name: string
  /** What has to follow, as people read it. */
  argument?: string
  /** Whom it is to name after that. */
  person?: string
  about: string
}

/** Where platforms have commands, the bot's is this one. */
export const COMMAND = 'forms'

/** At most 100 characters each, which is what platforms take of a description. */
export const COMMANDS: readonly BotCommand[] = [
  { name: 'pending', about: 'How many submissions wait, and the newest of them' },
  { name: 'show', argument: 'id or words', about: 'One submission, or those that match' },
  { name: 'status', about: 'What is connected, and what was decided in the last day' },
  { name: 'take', argument: 'id', about: 'Says that you are on a submission' },
  { name: 'assign', argument: 'id', person: 'somebody', about: 'Gives a submission to somebody' },
  { name: 'help', about: 'This list' },
]

/** `show <id or words>`, `assign <id> @somebody` */
export function usageOf({ name, argument, person }: BotCommand): string {
  return [name, ...argument ? [`<${argument}>`] : [], ...person ? [`@${person}`] : []].join(' ')
}
