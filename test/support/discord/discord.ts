import { randomBytes } from 'node:crypto'
import { startProxy } from '../proxy'
import { startGateway, type Latencies } from './gateway'
import { createInteractions } from './interactions'
import { createRest } from './rest'
import { undescribed } from './described'
import type { DiscordMessage, DiscordUser, SendOptions } from './types'
import { EPHEMERAL } from './validate'
import { until } from '../until'
import { World } from './world'

const PRIVATE_THREAD = 12

interface DiscordOptions {
  latencyMs?: Latencies
  /** Time limit for the answer to an interaction, ms. Discord's is 3 s; the longer default only catches hangs. */
  answerWithinMs?: number
}

export type DiscordDouble = Awaited<ReturnType<typeof startDiscord>>

/**
 * Starts a Discord double on loopback: the gateway, simulated users, and REST behind a proxy that records requests and
 * injects faults.
 */
export async function startDiscord({ latencyMs = {}, answerWithinMs = 20_000 }: DiscordOptions = {}) {
  const world = new World()
  // Formatted like a bot token: its first part is the application's id.
  const botToken = `${Buffer.from(world.bot.id).toString('base64url')}.${randomBytes(4).toString('base64url')}.${randomBytes(20).toString('base64url')}`
  const interactions = createInteractions(world, answerWithinMs)
  const { gateway, dispatch, close: closeGateway } = await startGateway(world, botToken, latencyMs)
  world.dispatch = dispatch
  const rest = createRest({ world, interactions, token: botToken, gateway })
  const proxy = await startProxy(rest, requests => undescribed(
    requests, interactions.responses.filter(({ via }) => via === 'http').map(({ type, data }) => ({ type, data })),
  ))
  const closeProxy = proxy.close

  const app = {
    restUrl: `${proxy.url}/api/v10`, botToken, applicationId: world.bot.id, channelId: world.channelId,
    /** Ed25519 public key, hex */
    publicKey: interactions.publicKey,
  }
  return Object.assign(proxy, {
    ...app,
    /** Environment that points the service at this double */
    env: {
      PLATFORM2_BOT_TOKEN: app.botToken, PLATFORM2_PUBLIC_KEY: app.publicKey,
      PLATFORM2_APPLICATION_ID: app.applicationId, DISCORD_CHANNEL_ID: app.channelId, DISCORD_API_URL: app.restUrl,
    },
    guildId: world.guildId,
    /** Ada Lovelace, the default user */
    user: world.reviewer,
    /** Roles in the server, by user */
    roles: world.roles,
    gateway,
    interactionResponses: interactions.responses,
    /** Returns copies of the messages that a channel shows now, oldest first. */
    messages: (channelId = world.channelId) => structuredClone(world.inChannel(channelId)),
    /** Returns a copy of the channel's message with the submission's buttons. */
    cardOf: (id: string) => structuredClone(
      world.inChannel(world.channelId).find(({ components }) => JSON.stringify(components).includes(id)),
    ),
    /** Returns the ephemeral messages now shown in any channel. */
    ephemeral: () => structuredClone([...world.messages.values()].filter(({ flags }) => flags & EPHEMERAL)),
    /** Opens a private conversation with the user; returns it as a channel. */
    openDm: (user = world.reviewer) => world.openDm(user),
    /** Sends any body to the endpoint, with a valid signature. */
    send: interactions.send,
    /** Sends the PING that Discord sends when an endpoint is configured. */
    ping: interactions.ping,
    /** Clicks a button. If `url` is 'gateway', sends it as INTERACTION_CREATE and expects the answer through REST. */
    click: (url: string, message: DiscordMessage, customId: string, options?: SendOptions) => (
      interactions.component(url, message, customId, undefined, options)
    ),
    select: interactions.component,
    /** Submits a modal. Inputs without a given value keep their prefilled values. */
    submitModal: interactions.submitModal,
    /** Sends a typed command such as `/forms show Ada`; waits until the bot has registered the command. */
    command: async (url: string, words: string, options?: SendOptions & { channelId?: string }) => {
      await until('the command to be registered', () => world.commands.size > 0)
      return interactions.command(url, words, options)
    },
    /** Opens a private thread in the channel, visible only to its members and the bot. */
    openPrivateThread: () => world.addChannel({
      id: world.nextId(), type: PRIVATE_THREAD, name: 'aside', guild_id: world.guildId, parent_id: world.channelId,
    }),
    /** Archives a thread, as Discord does after days without messages. A moderator may also have locked it. */
    archive: (threadId: string, locked = false) => {
      world.channel(threadId).thread_metadata = { archived: true, locked }
    },
    /**
     * Emits a user's message, or a system message of the given `type`. Mentions in the content are
     * recognised; `mentions` adds further users, as a reply does.
     */
    emitMessage: (
      said: { channelId?: string, content: string, author?: DiscordUser, mentions?: DiscordUser[], type?: number },
    ) => {
      const { channelId = world.channelId, content, author = world.reviewer, mentions = [], type = 0 } = said
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
    /** Deletes a message, as a moderator would. */
    delete: (message: DiscordMessage) => world.remove(world.message(message.id, message.channel_id)),
    emitReaction: (
      reaction: { messageId: string, emoji: string, userId?: string, channelId?: string, remove?: boolean },
    ) => {
      const { messageId, emoji, userId = world.reviewer.id, channelId, remove } = reaction
      const user = world.users.get(userId)
        ?? world.addUser({ id: userId, username: `user${userId}`, global_name: null })
      world.react(world.message(messageId, channelId), emoji, user, remove)
    },
    close: async () => {
      await closeGateway()
      await closeProxy()
    },
  })
}
