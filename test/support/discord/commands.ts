import { DiscordError } from './problems'
import type { Handler } from './rest'
import type { Json } from './types'
import type { World } from './world'

/** Interaction type of a command */
export const COMMAND = 2

const SUBCOMMAND = 1
const USER = 6

/** https://discord.com/developers/docs/interactions/application-commands#application-command-object */
function checkNames({ name, options = [] }: Json): void {
  if (!/^[-_'\p{Ll}\p{N}]{1,32}$/u.test(String(name))) throw new Error(`Discord would refuse the name ${name}`)
  for (const option of options as Json[]) checkNames(option)
}

/** Registers commands; a command with an existing name replaces the old one. */
export function commandRoutes(world: World): Record<string, Handler> {
  return {
    'POST /applications/:id/commands': ({ params: [id], body }) => {
      if (id !== world.bot.id) throw new DiscordError(404, 10002, 'Unknown Application')
      checkNames(body)
      const command = { ...body, id: world.nextId(), application_id: id, version: world.nextId() }
      world.commands.set(String(body.name), command)
      return command
    },
  }
}

/**
 * Returns the interaction data of a typed command; only registered commands can be typed. The last option takes all
 * remaining words. A user option takes the id of a user known to the server.
 */
export function commandData({ commands, users }: Pick<World, 'commands' | 'users'>, words: string): Json {
  const [name = '', below = '', ...values] = words.slice(1).split(' ')
  const command = commands.get(name)
  const subcommand = (command?.options as Json[] | undefined)?.find(option => option.name === below)
  if (!command || !subcommand) throw new Error(`Discord has no such command: ${words}`)
  const asked = (subcommand.options ?? []) as Json[]
  const options = asked.map(({ name, type, required }, index) => {
    const value = index < asked.length - 1 ? values[index] ?? '' : values.slice(index).join(' ')
    if (required && !value) throw new Error(`Discord asks for ${String(name)}: ${words}`)
    return { name, type, value }
  })
  const people = options.filter(({ type }) => type === USER).map(({ value }) => [value, users.get(value)!])
  return {
    id: command.id, name, type: 1, options: [{ name: below, type: SUBCOMMAND, options }],
    ...people.length > 0 ? { resolved: { users: Object.fromEntries(people) as Record<string, unknown> } } : {},
  }
}
