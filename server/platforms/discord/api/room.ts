import { createHash } from 'node:crypto'
import type { Outcome } from '../../../ports/delivery'
import type { HttpClient } from '../../../ports/http'
import type { CardRef } from '../../../ports/submission'
import { idIn, refused } from '../../shared/answers'
import { literal } from '../../shared/speech'
import type { Room } from '../../connection'
import { allowed, cardEmbeds } from '../embeds'
import { escapeMarkdown, timestamp } from '../escape'
import { THREADS } from '../gateway/directory'
import { createDiscordRest, DiscordError, type DiscordSettings } from './rest'

/** https://discord.com/developers/docs/resources/message#create-message */
const NONCE_LENGTH = 25

/**
 * Posts and edits cards without the SDK's adapter, which sends no nonce and cannot tell a refusal from an outage.
 * `content`, the only part that can ping, holds no user text, only intended mentions.
 */
export function createDiscordRoom(
  { channelId, guildId, ...settings }: DiscordSettings & { channelId: string }, http: HttpClient,
): Room {
  const rest = createDiscordRest(settings, http)
  let thread = guildId && `discord:${guildId}:${channelId}`

  /** Returns the SDK's id of the channel: `discord:server:channel`, or `discord:server:channel:thread` in a thread. */
  const threadOf = async () => {
    const { id, guild_id: guild = '@me', parent_id: parent, type } = await rest('GET', `/channels/${channelId}`)
    if (id !== channelId) throw new DiscordError(refused({ reason: 'Discord did not return the channel' }), '')
    return ['discord', guild, ...parent && THREADS.includes(Number(type)) ? [parent] : [], channelId].join(':')
  }

  return {
    post: (card, _summary, submissionId) => outcomeOf(async () => {
      thread ??= await threadOf()
      const body = { ...cardEmbeds(card), ...nonceOf(`${channelId} ${submissionId}`) }
      const message = await rest<{ id?: unknown } | undefined>('POST', messagesOf(channelId), { body })
      const id = idIn('Discord', message?.id)
      return id.ok ? { ok: true, value: { platform: 'discord', threadId: thread, messageId: id.value } } : id
    }),
    update: (ref, card) => runWithoutValue(() => {
      return rest('PATCH', `${messagesOf(channelOf(ref))}/${ref.messageId}`, { body: cardEmbeds(card) })
    }),
    check: () => runWithoutValue(() => rest('GET', `/channels/${channelId}`)),
    say: (card, summary, below, mention) => runWithoutValue(() => {
      const reply = below ? { message_reference: { message_id: below.messageId, fail_if_not_exists: false } } : {}
      const nonce = nonceOf(`${channelId} ${below?.messageId ?? ''} ${summary}`)
      const ping = mention ? { content: mention, allowed_mentions: allowed(mention) } : {}
      const literalCard = literal(card, { escape: escapeMarkdown, moment: timestamp })
      const body = { ...cardEmbeds(literalCard), ...reply, ...nonce, ...ping }
      return rest('POST', messagesOf(below ? channelOf(below) : channelId), { body })
    }),
    link: async (ref) => {
      const [, guild = '@me'] = ref.threadId.split(':')
      return `https://discord.com/channels/${guild}/${channelOf(ref)}/${ref.messageId}`
    },
  }
}

export function identifyDiscordBot(settings: DiscordSettings, http: HttpClient): Promise<Outcome<string>> {
  return outcomeOf(async () => {
    const { username } = await createDiscordRest(settings, http)('GET', '/users/@me')
    return { ok: true, value: String(username) }
  })
}

async function outcomeOf<T>(call: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await call()
  }
  catch (error) {
    if (error instanceof DiscordError) return error.refusal
    throw error
  }
}

function runWithoutValue(call: () => Promise<unknown>): Promise<Outcome> {
  return outcomeOf(async () => {
    await call()
    return { ok: true, value: undefined }
  })
}

function messagesOf(channelId: string): string {
  return `/channels/${channelId}/messages`
}

function channelOf({ threadId }: CardRef): string {
  return threadId.split(':').at(-1)!
}

/**
 * Prevents a duplicate when a post is repeated because its answer was lost: for a few minutes, Discord returns the
 * first message with the same nonce, even from another channel.
 */
function nonceOf(subject: string): { nonce: string, enforce_nonce: true } {
  return { nonce: createHash('sha256').update(subject).digest('base64url').slice(0, NONCE_LENGTH), enforce_nonce: true }
}
