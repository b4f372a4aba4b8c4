import { randomBytes } from 'node:crypto'
import { startProxy } from '../proxy'
import { startGateway, type Latencies } from './gateway'
import { createInteractions } from './interactions'
import { startRest } from './rest'
import type { DiscordDouble } from './types'
import { EPHEMERAL } from './validate'
import { World } from './world'

/** Discord on loopback: REST behind a proxy that records and misbehaves, gateway, and people who click. */
export async function startDiscord({ latencyMs = {} }: { latencyMs?: Latencies } = {}): Promise<DiscordDouble> {
  const world = new World()
  // Shaped as a bot token: its first part is the application's id.
  const botToken = `${Buffer.from(world.bot.id).toString('base64url')}.${randomBytes(4).toString('base64url')}.${randomBytes(20).toString('base64url')}`
  const interactions = createInteractions(world)
  const { gateway, dispatch, close: closeGateway } = await startGateway(world, botToken, latencyMs)
  world.dispatch = dispatch
  const rest = await startRest({
    world, interactions, token: botToken, publicKey: interactions.publicKey, gateway: () => gateway,
  })
  const proxy = await startProxy(rest.url)
  const closeProxy = proxy.close

  return Object.assign(proxy, {
    restUrl: `${proxy.url}/api/v10`,
    botToken,
    applicationId: world.bot.id,
    publicKey: interactions.publicKey,
    guildId: world.guildId,
    channelId: world.channelId,
    user: world.reviewer,
    gateway,
    interactionResponses: interactions.responses,
    messages: (channelId = world.channelId) => structuredClone(world.inChannel(channelId)),
    ephemeral: () => structuredClone([...world.messages.values()].filter(({ flags }) => flags & EPHEMERAL)),
    openDm: (user = world.reviewer) => world.openDm(user),
    send: interactions.send,
    ping: interactions.ping,
    click: (url, message, customId, options) => interactions.component(url, message, customId, undefined, options),
    select: interactions.component,
    submitModal: interactions.submitModal,
    emitMessage: ({ channelId = world.channelId, content, author = world.reviewer, mentions = [] }) => {
      for (const user of [author, ...mentions]) if (!world.users.has(user.id)) world.addUser(user)
      const { id } = world.post(
        channelId, author, { content },
        mentions.length > 0 ? { mentions: [...new Set([...world.mentionedIn(content), ...mentions])] } : {},
      )
      return { id }
    },
    emitReaction: ({ messageId, emoji, userId = world.reviewer.id, channelId, remove }) => {
      const user = world.users.get(userId)
        ?? world.addUser({ id: userId, username: `user${userId}`, global_name: null })
      world.react(world.message(messageId, channelId), emoji, user, remove)
    },
    close: async () => {
      await closeProxy()
      await rest.close()
      await closeGateway()
    },
  } satisfies Partial<DiscordDouble>)
}
