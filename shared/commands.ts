import { ACTIONS, TYPED_ACTIONS } from './actions'

/** A short command to the bot, typed after a mention of the bot, or as `/forms <name> <argument>`. */
export interface BotCommand {
  name: string
  /** Name of the required argument, for people. */
  argument?: string
  /** Placeholder in the help for a person, who is typed after the argument. */
  person?: string
  about: string
}

/** Slash command of the bot, on platforms that have such commands. */
export const COMMAND = 'forms'

/** Commands of the bot. Platforms limit a description to 100 characters. */
export const COMMANDS: readonly BotCommand[] = [
  { name: 'pending', about: 'Number of waiting submissions, and the newest' },
  { name: 'show', argument: 'id or words', about: 'Shows a submission, or those that match' },
  { name: 'status', about: 'Connected platforms, and decisions of the last day' },
  ...TYPED_ACTIONS.map(name => ({ name, argument: 'id', about: ACTIONS[name].chat! })),
  { name: 'assign', argument: 'id', person: 'somebody', about: 'Assigns a submission to somebody' },
  { name: 'help', about: 'This list' },
]

/** `show <id or words>`, `assign <id> @somebody` */
export function usageOf({ name, argument, person }: BotCommand): string {
  return [name, ...argument ? [`<${argument}>`] : [], ...person ? [`@${person}`] : []].join(' ')
}
