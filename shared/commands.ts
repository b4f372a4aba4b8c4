import { ACTIONS, TYPED_ACTIONS } from './actions'

/** A short command to the bot: typed after a mention of it, or as `/forms <name> <argument>`. */
export interface BotCommand {
  name: string
  /** Name of the required argument, for people. */
  argument?: string
  /** Placeholder of the person who is named after the argument. */
  person?: string
  about: string
}

/** Name of the bot's command on platforms that have commands. */
export const COMMAND = 'forms'

/** Texts of at most 100 characters, the limit of the platforms for a description. */
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
