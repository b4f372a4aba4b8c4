import type { Delivery, Persist } from './delivery'
import type { Channel, Reader } from './directory'
import { DeliveryFailed, type EventData } from './events'

/** Less than de-duplication remembers: what lies further back may have been handled. */
const OLDEST_MS = 23 * 3_600_000
/** The busiest ones last; more would hold up the rest of a big server for minutes. */
const CHANNELS = 50
const PAGES = 10
/** https://discord.com/developers/docs/resources/message#get-channel-messages */
const PAGE = 100
const DISCORD_EPOCH_MS = 1_420_070_400_000
/** Channels that hold messages themselves: text, voice, announcements, threads, stages. */
const WITH_MESSAGES: readonly number[] = [0, 2, 5, 10, 11, 12, 13]

export interface Guild {
  id: string
  channels?: Channel[]
  threads?: Channel[]
}

export interface BackfillOptions {
  delivery: Delivery
  reader: Reader
  /** Delivers one message, as if it had come over the gateway. */
  deliver: (persist: Persist, message: EventData & { id: string }) => Promise<void>
  report: (what: string, facts: Record<string, unknown>) => void
}

/**
 * Reads from a guild's channels what was written after a message, in order, before anything newer of the same channel.
 * Reactions cannot be read back.
 *
 * @returns false when part of it is left to a successor
 */
export async function backfillGuild(guild: Guild, after: string, { delivery, reader, deliver, report }: BackfillOptions): Promise<boolean> {
  const oldest = (BigInt(Date.now() - OLDEST_MS - DISCORD_EPOCH_MS)) << 22n
  const start = BigInt(after) > oldest ? after : String(oldest)
  const behind = channelsOf(guild).filter(({ type, last_message_id: last }) => WITH_MESSAGES.includes(type) && last && BigInt(last) > BigInt(start))
  const read = behind.sort((one, other) => Number(BigInt(other.last_message_id!) - BigInt(one.last_message_id!))).slice(0, CHANNELS)
  if (read.length < behind.length) report('backfill-cut', { guild: guild.id, channels: behind.length, read: read.length })
  const done = await Promise.all(read.map(channel => delivery.enqueue(channel.id, persist => readChannel(persist, channel))))
  return !done.includes(false)

  async function readChannel(persist: Persist, channel: Channel): Promise<void> {
    let cursor = start
    let count = 0
    for (let page = 0; page < PAGES; page++) {
      const messages = await readPage(persist, channel.id, cursor)
      for (const message of messages) await deliver(persist, { ...message, channel_id: channel.id, guild_id: guild.id, channel_type: channel.type })
      count += messages.length
      if (messages.length < PAGE) break
      cursor = messages.at(-1)!.id
    }
    report('backfilled', { channel: channel.id, messages: count })
  }

  async function readPage(persist: Persist, channel: string, cursor: string): Promise<{ id: string }[]> {
    let messages: { id: string }[] = []
    await persist(async () => {
      messages = await reader.get<{ id: string }[]>(`/channels/${channel}/messages?after=${cursor}&limit=${PAGE}`).catch((error: unknown) => {
        // A channel that the bot may not read has nothing for it.
        if (error instanceof DeliveryFailed && error.permanent) return []
        throw error
      })
    }, { id: `backfill:${channel}:${cursor}`, type: 'BACKFILL', channelId: channel })
    return messages.sort((one, other) => BigInt(one.id) < BigInt(other.id) ? -1 : 1)
  }
}

/** The id of the newest message in the guild, or null in an empty one. */
export function newestMessage(guild: Guild): string | null {
  return channelsOf(guild).reduce<string | null>((newest, { last_message_id: last }) => last && (newest === null || BigInt(last) > BigInt(newest)) ? last : newest, null)
}

export function channelsOf({ channels = [], threads = [] }: Guild): Channel[] {
  return [...channels, ...threads]
}
