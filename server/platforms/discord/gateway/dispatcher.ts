import { randomUUID } from 'node:crypto'
import { Directory, type Channel, type RestReader } from './directory'
import {
  DELIVERED, DeliveryFailed, UnexpectedAnswer, type Deliver, type EventData, type ForwardedEvent,
} from './events'
import type { Progress } from './progress'
import type { DeadLetter, EventQueue, Retry } from './queue'
import type { Dispatch } from './socket'

/**
 * Max age of an interaction, ms. After that, Discord accepts no first answer and shows the user a failure.
 *
 * https://discord.com/developers/docs/interactions/receiving-and-responding
 */
const INTERACTION_MAX_AGE_MS = 3000

/**
 * Tolerance for our clock being ahead of Discord's, ms: the age of an interaction comes from its id, which Discord's
 * clock made. Unsynchronized clocks differ by some seconds. If ours is further ahead, every click counts as late, and
 * the log says so.
 */
const CLOCK_SKEW_MS = 10_000

/** Max age of messages to read back, ms: events are remembered for longer, so that none is handled twice */
const MAX_AGE_MS = 23 * 3_600_000
/** Max channels to read back, those with the newest messages first; more would delay a big server for minutes */
const MAX_CHANNELS = 50
/** Max pages of one channel, oldest missed messages first */
const MAX_PAGES = 10
/** https://discord.com/developers/docs/resources/message#get-channel-messages */
const PAGE_SIZE = 100
const DISCORD_EPOCH_MS = 1_420_070_400_000
/** Channel types that hold messages themselves: text, voice, announcements, threads, stages */
const MESSAGE_CHANNEL_TYPES: readonly number[] = [0, 2, 5, 10, 11, 12, 13]

const MESSAGE_CREATED = 'MESSAGE_CREATE'
/** Plain messages and replies: https://discord.com/developers/docs/resources/message#message-object-message-types */
const PLAIN_MESSAGE_TYPES: readonly number[] = [0, 19]

interface Guild {
  id: string
  channels?: Channel[]
  threads?: Channel[]
}

export interface DispatcherOptions {
  /** Id of the bot, whose own messages and reactions are not delivered */
  applicationId: string
  queue: EventQueue
  reader: RestReader
  deliver: Deliver
  report: (what: string, facts: Record<string, unknown>) => void
}

/** Receives Discord's events, queues those that the bot uses, and tracks their delivery */
export class Dispatcher {
  lastEventAt: number | null = null
  private readonly directory: Directory

  constructor(private readonly options: DispatcherOptions, private readonly progress: Progress) {
    this.directory = new Directory(options.reader)
  }

  take({ t: type, s: sequence, d: data }: Dispatch): void {
    if (type === 'READY') return
    if (type === 'GUILD_CREATE') for (const channel of channelsOf(data as Guild)) this.directory.learn(channel)
    else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) this.directory.learn(data as Channel)
    if (!this.progress.take(sequence)) return
    if (type === 'GUILD_CREATE') this.takeGuild(sequence, data as Guild)
    else if (DELIVERED.has(type)) this.takeEvent(type, sequence, data as EventData)
  }

  private takeEvent(type: string, sequence: number, data: EventData): void {
    const { progress } = this
    this.lastEventAt = Date.now()
    const messageId = type === MESSAGE_CREATED ? data.id : undefined
    if (this.isIgnored(type, data)) {
      if (messageId) progress.noteMessage(messageId)
      return
    }
    const id = `${progress.session?.sessionId}:${sequence}`
    const releases = [progress.hold(sequence), ...messageId ? [progress.holdMessage(messageId)] : []]
    // A click must be answered within 3 s, so it does not wait for other events of its channel.
    const channel = type === 'INTERACTION_CREATE' ? undefined : data.channel_id
    void this.options.queue.add(channel, retry => this.deliver(retry, type, data, id)).then((isDone) => {
      if (isDone) for (const release of releases) release()
    })
  }

  /** Acknowledges a guild once its missed messages were read; until then a successor starts over. */
  private takeGuild(sequence: number, guild: Guild): void {
    const { progress } = this
    const afterId = progress.missingSince(guild.id)
    if (afterId === null) {
      for (const { last_message_id: lastId } of channelsOf(guild)) if (lastId) progress.noteMessage(lastId)
      return
    }
    const release = progress.hold(sequence)
    void this.backfill(guild, afterId).then((isDone) => {
      if (!isDone) return
      progress.backfilled(guild.id)
      release()
    })
  }

  /** True for the bot's own events and for system messages in people's names, such as a renamed thread. */
  private isIgnored(eventType: string, { author, user_id: userId, type }: EventData): boolean {
    const isOwn = (author?.id ?? userId) === this.options.applicationId
    return isOwn || (eventType === MESSAGE_CREATED && !PLAIN_MESSAGE_TYPES.includes(type!))
  }

  private deliver(retry: Retry, type: string, data: EventData, id: string): Promise<void> {
    const { channel_id: channelId, message_id: messageId = data.id, user_id: userId = data.author?.id } = data
    const letter: DeadLetter = { id, type, channelId, messageId, userId }
    const dueAt = type === 'INTERACTION_CREATE' && data.id ? computeDueAt(data.id) : undefined
    let note = randomUUID()
    return retry(async (signal) => {
      const enriched = await this.directory.enrich(type, data)
      const event: ForwardedEvent = { id, type: `GATEWAY_${type}`, timestamp: Date.now(), data: enriched, note }
      await this.options.deliver(event, signal).catch((error: unknown) => {
        // The event may have been handled: with a new note, the next try counts as a repetition.
        if (!(error instanceof DeliveryFailed && error.unchecked)) note = randomUUID()
        throw error
      })
    }, letter, dueAt)
  }

  /**
   * Reads messages of a guild's channels after a given one, in order and before newer events of the same channel.
   * Reactions cannot be read back.
   *
   * @returns false if part of it is left to a successor
   */
  private async backfill(guild: Guild, afterId: string): Promise<boolean> {
    const { queue, report } = this.options
    const oldestId = BigInt(Date.now() - MAX_AGE_MS - DISCORD_EPOCH_MS) << 22n
    const startId = BigInt(afterId) > oldestId ? afterId : String(oldestId)
    const lastIdOf = ({ last_message_id: id }: Channel) => BigInt(id ?? 0)
    const candidates = channelsOf(guild)
      .filter(channel => MESSAGE_CHANNEL_TYPES.includes(channel.type) && lastIdOf(channel) > BigInt(startId))
      .sort((a, b) => Number(lastIdOf(b) - lastIdOf(a)))
    const channels = candidates.slice(0, MAX_CHANNELS)
    const [channelCount, readCount] = [candidates.length, channels.length]
    if (readCount < channelCount) report('backfill-cut', { guild: guild.id, channels: channelCount, read: readCount })
    const results = await Promise.all(channels.map((channel) => {
      return queue.add(channel.id, retry => this.readChannel(retry, guild.id, channel, startId))
    }))
    return !results.includes(false)
  }

  private async readChannel(retry: Retry, guildId: string, { id: channelId, type }: Channel, startId: string) {
    let cursor = startId
    let count = 0
    for (let page = 0; page < MAX_PAGES; page++) {
      const messages = await this.readPage(retry, channelId, cursor)
      for (const message of messages) {
        const data = { ...message, channel_id: channelId, guild_id: guildId, channel_type: type }
        if (!this.isIgnored(MESSAGE_CREATED, data)) {
          await this.deliver(retry, MESSAGE_CREATED, data, `message:${message.id}`)
        }
        this.progress.noteMessage(message.id)
      }
      count += messages.length
      if (messages.length < PAGE_SIZE) break
      cursor = messages.at(-1)!.id
    }
    const isCut = count === MAX_PAGES * PAGE_SIZE
    this.options.report(isCut ? 'backfill-cut' : 'backfilled', { guild: guildId, channel: channelId, messages: count })
  }

  private async readPage(retry: Retry, channelId: string, cursor: string): Promise<(EventData & { id: string })[]> {
    let messages: { id: string }[] = []
    await retry(async () => {
      const path = `/channels/${channelId}/messages?after=${cursor}&limit=${PAGE_SIZE}`
      messages = await this.options.reader.get<{ id: string }[]>(path).catch((error: unknown) => {
        // A channel that the bot may not read counts as empty.
        if (error instanceof DeliveryFailed && error.permanent) return []
        throw error
      })
      if (!Array.isArray(messages)) throw new UnexpectedAnswer()
    }, { id: `backfill:${channelId}:${cursor}`, type: 'BACKFILL', channelId })
    return messages.sort((a, b) => BigInt(a.id) < BigInt(b.id) ? -1 : 1)
  }
}

/**
 * Counts from now, or, if earlier, from the time in the id plus the max clock skew: a replay brings old interactions.
 */
function computeDueAt(id: string): number {
  const sentAt = Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS
  return Math.min(sentAt + CLOCK_SKEW_MS, Date.now()) + INTERACTION_MAX_AGE_MS
}

function channelsOf({ channels = [], threads = [] }: Guild): Channel[] {
  return [...channels, ...threads]
}
