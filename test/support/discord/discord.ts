import { randomBytes } from 'node:crypto'
import { startProxy } from '../proxy'
import { startGateway, type Latencies } from './gateway'
import { createInteractions } from './interactions'
import { createRest } from './rest'
import { undescribed } from './described'
import type { DiscordDouble } from './types'
import { EPHEMERAL } from './validate'
import { until } from '../until'
import { World } from './world'

const PRIVATE_THREAD = 12

interface DiscordOptions {
  latencyMs?: Latencies
  /** How long it waits for the answer to an interaction: 3 s, and where that is no subject for what hangs, ms. */
  answerWithinMs?: number
}

/** Discord on loopback: REST behind a proxy that records and misbehaves, gateway, and people who click. */
export async function startDiscord(
  { latencyMs = {}, answerWithinMs = 20_000 }: DiscordOptions = {},
): Promise<DiscordDouble> {
  const world = new World()
  // Shaped as a bot token: its first part is the application's id.
  const botToken = `${Buffer.from(world.bot.id).toString('base64url')}.${randomBytes(4).toString('base64url')}.${randomBytes(20).toString('base64url')}`
  const interactions = createInteractions(world, answerWithinMs)
  const { gateway, dispatch, close: closeGateway } = await startGateway(world, botToken, latencyMs)
  world.dispatch = dispatch
  const rest = createRest({ world, interactions, token: botToken, publicKey: interactions.publicKey, gateway })
  const proxy = await startProxy(rest, requests => undescribed(
    requests, interactions.responses.filter(({ via }) => via === 'http').map(({ type, data }) => ({ type, data })),
  ))
  const closeProxy = proxy.close

  const app = {
    restUrl: `${proxy.url}/api/v10`, botToken, applicationId: world.bot.id, publicKey: interactions.publicKey,
    channelId: world.channelId,
  }
  return Object.assign(proxy, {
    ...app,
    env: {
      PLATFORM2_BOT_TOKEN: app.botToken, PLATFORM2_PUBLIC_KEY: app.publicKey,
      PLATFORM2_APPLICATION_ID: app.applicationId, DISCORD_CHANNEL_ID: app.channelId, DISCORD_API_URL: app.restUrl,
    },
    guildId: world.guildId,
    user: world.reviewer,
    roles: world.roles,
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
    command: async (url, words, options) => {
      await until('the command to be registered', () => world.commands.size > 0)
      return interactions.command(url, words, options)
    },
    openPrivateThread: () => world.addChannel({
      id: world.nextId(), type: PRIVATE_THREAD, name: 'aside', guild_id: world.guildId, parent_id: world.channelId,
    }),
    archive: (threadId, locked = false) => {
      world.channel(threadId).thread_metadata = { archived: true, locked }
    },
    emitMessage: ({ channelId = world.channelId, content, author = world.reviewer, mentions = [], type = 0 }) => {
      for (const user of [author, ...mentions]) if (!world.users.has(user.id)) world.addUser(user)
      const { id } = world.post(
        channelId, author, { content },
        {
          type,
          ...mentions.length > 0 ? { mentions: [...new Set([...world.mentionedIn(content), ...mentions])] } : {},
        },
      )
      return { id }
    },
    delete: message => world.remove(world.message(message.id, message.channel_id)),
    emitReaction: ({ messageId, emoji, userId = world.reviewer.id, channelId, remove }) => {
      const user = world.users.get(userId)
        ?? world.addUser({ id: userId, username: `user${userId}`, global_name: null })
      world.react(world.message(messageId, channelId), emoji, user, remove)
    },
    close: async () => {
      await closeGateway()
      await closeProxy()
    },
  } satisfies Partial<DiscordDouble>)
}
