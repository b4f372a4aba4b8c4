const STAND_IN = '\0discord.js'

const SOURCE = `
export function Client() { throw new Error('discord.js is not part of the build: the service has its own listener.') }
export const Events = {}, GatewayIntentBits = {}, Partials = {}
`

/** Builds without discord.js: of its 5 MB the SDK's adapter takes four names, for a listener that ours replaces. */
export function withoutDiscordJs() {
  return {
    name: 'without-discord-js',
    resolveId: (id: string) => id === 'discord.js' ? STAND_IN : null,
    load: (id: string) => id === STAND_IN ? SOURCE : null,
  }
}
