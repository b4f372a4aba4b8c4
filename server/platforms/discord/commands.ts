import { COMMAND, COMMANDS } from '../../../shared/commands'

const SUBCOMMAND = 1
const STRING = 3
const USER = 6

/** `/forms` with its subcommands: https://discord.com/developers/docs/interactions/application-commands */
export const slashCommand = {
  name: COMMAND, type: 1, description: 'Waiting submissions, shown only to you',
  options: COMMANDS.map(({ name, about, argument, person }) => ({
    type: SUBCOMMAND, name, description: about,
    options: [...argument ? [requiredOption(STRING, argument)] : [], ...person ? [requiredOption(USER, person)] : []],
  })),
}

function requiredOption(type: number, label: string) {
  return { type, name: label.replaceAll(' ', '-'), description: label, required: true }
}
