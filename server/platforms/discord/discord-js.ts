// What the build has in the place of discord.js; see discord-js-plugin.ts.

export function Client() {
  throw new Error('discord.js is not part of the build: the service has its own listener.')
}

export const Events = { ClientReady: 'clientReady', Error: 'error', MessageCreate: 'messageCreate', InteractionCreate: 'interactionCreate', MessageReactionAdd: 'messageReactionAdd', MessageReactionRemove: 'messageReactionRemove' }

export const GatewayIntentBits = { Guilds: 1, GuildMessages: 512, GuildMessageReactions: 1024, DirectMessages: 4096, DirectMessageReactions: 8192, MessageContent: 32_768 }

export const Partials = { Channel: 1 }
