import { COMMAND, COMMANDS } from '../../../shared/commands'

const SUBCOMMAND = 1
const STRING = 3
const USER = 6

/** `/forms` with its subcommands: https://discord.com/developers/docs/interactions/application-commands */
export const slashCommand = {
  name: COMMAND, type: 1, description: 'What waits for a decision, for you alone',
  options: COMMANDS.map(({ name, about, argument, person }) => ({
    type: SUBCOMMAND, name, description: about,
    options: [...argument ? [needed(STRING, argument)] : [], ...person ? [needed(USER, person)] : []],
  })),
}

function needed(type: number, what: string) {
  return { type, name: what.replaceAll(' ', '-'), description: what, required: true }
}
