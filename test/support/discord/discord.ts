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
  /** How long it waits for the answer to an interaction: 3 s, and where that is no subject for what hangs, ms. */
  answerWithinMs?: number
}

export type DiscordDouble = Awaited<ReturnType<typeof startDiscord>>

/** Discord on loopback: REST behind a proxy that records and misbehaves, gateway, and people who click. */
export async function startDiscord({ latencyMs = {}, answerWithinMs = 20_000 }: DiscordOptions = {}) {
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
    restUrl: `${proxy.url}/api/v10`, botToken, applicationId: world.bot.id, channelId: world.channelId,
    /** Ed25519, hex. */
    publicKey: interactions.publicKey,
  }
  return Object.assign(proxy, {
    ...app,
    /** Has the service use it. */
    env: {
      PLATFORM2_BOT_TOKEN: app.botToken, PLATFORM2_PUBLIC_KEY: app.publicKey,
      PLATFORM2_APPLICATION_ID: app.applicationId, DISCORD_CHANNEL_ID: app.channelId, DISCORD_API_URL: app.restUrl,
    },
    guildId: world.guildId,
    /** Ada Lovelace, who clicks unless told otherwise. */
    user: world.reviewer,
    /** Roles in the server, by user. */
    roles: world.roles,
    gateway,
    interactionResponses: interactions.responses,
    /** What a channel shows now, oldest first: copies. */
    messages: (channelId = world.channelId) => structuredClone(world.inChannel(channelId)),
    /** The message of the channel whose buttons are about the submission: a copy. */
    cardOf: (id: string) => structuredClone(
      world.inChannel(world.channelId).find(({ components }) => JSON.stringify(components).includes(id)),
    ),
    /** Private messages that are shown now, in any channel. */
    ephemeral: () => structuredClone([...world.messages.values()].filter(({ flags }) => flags & EPHEMERAL)),
    /** A private conversation with the user, as a channel. */
    openDm: (user = world.reviewer) => world.openDm(user),
    /** Any body to the endpoint, truly signed. */
    send: interactions.send,
    /** The PING that Discord sends when an endpoint is configured. */
    ping: interactions.ping,
    /** `url` may be 'gateway': then it is dispatched as INTERACTION_CREATE and the answer is expected through REST. */
    click: (url: string, message: DiscordMessage, customId: string, options?: SendOptions) => (
      interactions.component(url, message, customId, undefined, options)
    ),
    select: interactions.component,
    /** Inputs that are not named keep what the modal prefilled. */
    submitModal: interactions.submitModal,
    /** Somebody types `/forms show Ada`, once the bot has registered such a command. */
    command: async (url: string, words: string, options?: SendOptions & { channelId?: string }) => {
      await until('the command to be registered', () => world.commands.size > 0)
      return interactions.command(url, words, options)
    },
    /** A thread of the channel that only those in it see, and the bot. */
    openPrivateThread: () => world.addChannel({
      id: world.nextId(), type: PRIVATE_THREAD, name: 'aside', guild_id: world.guildId, parent_id: world.channelId,
    }),
    /** Archives a thread, as days of silence do; a moderator locks it, too. */
    archive: (threadId: string, locked = false) => {
      world.channel(threadId).thread_metadata = { archived: true, locked }
    },
    /**
     * Someone writes, or does what Discord writes a message about, by its `type`. Mentions in the content are
     * understood; `mentions` names further people, as a reply does.
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
    /** A moderator deletes a message. */
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
