import { resolve } from 'node:path'

/**
 * Builds without discord.js: of its 5 MB the SDK's adapter takes the few names of `discord-js.ts`, and those only for
 * its own socket listener, which ours replaces.
 */
export function withoutDiscordJs() {
  return {
    name: 'without-discord-js',
    resolveId: (id: string) => id === 'discord.js' ? resolve(import.meta.dirname, 'discord-js.ts') : null,
  }
}
