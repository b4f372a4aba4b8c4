import { createHash } from 'node:crypto'
import type { CardElement } from 'chat'
import type { Outcome } from '../../ports/delivery'
import type { HttpClient } from '../../ports/http'
import type { CardRef } from '../../ports/submission'
import { idIn } from '../shared/answers'
import type { Room } from '../connection'
import { createDiscordCall, type DiscordCall, type DiscordSettings } from './client'
import { cardMessage } from './embeds'
import { escapeMarkdown } from './escape'

/** Bound of one call, ms; well below the lease of outstanding work. */
const TIMEOUT_MS = 10_000

/** https://discord.com/developers/docs/resources/message#create-message */
const NONCE_LENGTH = 25

/** Nobody is notified by what a form says. */
const NO_PINGS = { allowed_mentions: { parse: [] } }

/**
 * Posts and edits cards. Not through the SDK's adapter: it can send neither `allowed_mentions` nor a nonce, and
 * it tells no refusal from an outage. No user text is in `content`, the only part of a message that could ping.
 */
export function createDiscordRoom(settings: DiscordSettings, http: HttpClient): Room {
  const call = createDiscordCall(settings, TIMEOUT_MS, http)
  const channel = settings.channelId
  let thread: string | undefined

  return {
    async post(card, _summary, submissionId) {
      if (!thread) {
        const found = await threadOf(settings, call)
        if (!found.ok) return found
        thread = found.value
      }
      const outcome = await call('POST', `/channels/${channel}/messages`, { ...cardMessage(card), ...NO_PINGS, ...nonceOf(`${channel} ${submissionId}`) })
      const id = outcome.ok ? idIn('Discord', outcome.value.id) : outcome
      return id.ok ? { ok: true, value: { platform: 'discord', threadId: thread, messageId: id.value } } : id
    },
    async update(ref: CardRef, card) {
      const outcome = await call('PATCH', `/channels/${channelOf(ref)}/messages/${ref.messageId}`, { ...cardMessage(card), ...NO_PINGS })
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async check() {
      const outcome = await call('GET', `/channels/${channel}`)
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async say(card, summary, below) {
      const reply = below ? { message_reference: { message_id: below.messageId, fail_if_not_exists: false } } : {}
      const body = { ...cardMessage(literal(card)), ...NO_PINGS, ...reply, ...nonceOf(`${channel} ${below?.messageId ?? ''} ${summary}`) }
      const outcome = await call('POST', `/channels/${below ? channelOf(below) : channel}/messages`, body)
      return outcome.ok ? { ok: true, value: undefined } : outcome
    },
    async link(ref) {
      const [, guild = '@me'] = ref.threadId.split(':')
      return `https://discord.com/channels/${guild}/${channelOf(ref)}/${ref.messageId}`
    },
  }
}

/** The card with its texts, which are plain, as markdown. */
function literal(card: CardElement): CardElement {
  return { ...card, children: card.children.map(child => child.type === 'text' ? { ...child, content: escapeMarkdown(child.content) } : child) }
}

/** The SDK's id of the channel as a thread: `discord:server:channel`, or `discord:server:channel:thread` in a thread. */
async function threadOf({ guildId, channelId }: DiscordSettings, call: DiscordCall): Promise<Outcome<string>> {
  if (guildId) return { ok: true, value: `discord:${guildId}:${channelId}` }
  const outcome = await call('GET', `/channels/${channelId}`)
  if (!outcome.ok) return outcome
  const { guild_id: guild = '@me', parent_id: parent, type } = outcome.value
  const isThread = parent && [10, 11, 12].includes(Number(type))
  return { ok: true, value: ['discord', guild, ...isThread ? [parent] : [], channelId].join(':') }
}

function channelOf({ threadId }: CardRef): string {
  return threadId.split(':').at(-1)!
}

/**
 * A post that is repeated because its answer was lost makes no second message: Discord hands out the first for a few
 * minutes, in whichever channel that is.
 */
function nonceOf(subject: string): { nonce: string, enforce_nonce: true } {
  return { nonce: createHash('sha256').update(subject).digest('base64url').slice(0, NONCE_LENGTH), enforce_nonce: true }
}
