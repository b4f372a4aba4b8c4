import { randomUUID } from 'node:crypto'
import { Directory, type Channel, type RestReader } from './directory'
import {
  DELIVERED, DeliveryFailed, UnexpectedAnswer, type Deliver, type EventData, type ForwardedEvent,
} from './events'
import type { Progress } from './progress'
import type { DeadLetter, EventQueue, Retry } from './queue'
import type { Dispatch } from './socket'

/**
 * Max age of an interaction, ms. Later, Discord accepts no first answer and shows the user a failure.
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

/** Max age of messages that are read back, ms: less than events are remembered, or it may repeat handled ones */
const OLDEST_MS = 23 * 3_600_000
/** Max channels to read back, newest messages first; more would delay a big server for minutes */
const CHANNELS = 50
/** Max pages of one channel, oldest missed messages first */
const PAGES = 10
/** https://discord.com/developers/docs/resources/message#get-channel-messages */
const PAGE = 100
const DISCORD_EPOCH_MS = 1_420_070_400_000
/** Channel types that hold messages themselves: text, voice, announcements, threads, stages */
const WITH_MESSAGES: readonly number[] = [0, 2, 5, 10, 11, 12, 13]

const CREATED = 'MESSAGE_CREATE'
/** Plain messages and replies: https://discord.com/developers/docs/resources/message#message-object-message-types */
const SAID: readonly number[] = [0, 19]

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

  take({ t: type, s: sequence, d }: Dispatch): void {
    if (type === 'READY') return
    if (type === 'GUILD_CREATE') for (const channel of channelsOf(d as Guild)) this.directory.learn(channel)
    else if (/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE)$/.test(type)) this.directory.learn(d as Channel)
    if (!this.progress.take(sequence)) return
    if (type === 'GUILD_CREATE') this.takeGuild(sequence, d as Guild)
    else if (DELIVERED.has(type)) this.takeEvent(type, sequence, d as EventData)
  }

  private takeEvent(type: string, sequence: number, data: EventData): void {
    const { progress } = this
    this.lastEventAt = Date.now()
    const message = type === CREATED ? data.id : undefined
    if (this.isIgnored(type, data)) {
      if (message) progress.noteMessage(message)
      return
    }
    const id = `${progress.session?.sessionId}:${sequence}`
    const delivered = [progress.hold(sequence), ...message ? [progress.holdMessage(message)] : []]
    // A click must be answered within 3 s, so it does not wait for other events of its channel.
    const channel = type === 'INTERACTION_CREATE' ? undefined : data.channel_id
    void this.options.queue.add(channel, retry => this.deliver(retry, type, data, id)).then((done) => {
      if (done) for (const settle of delivered) settle()
    })
  }

  /** Acknowledges a guild once its missed messages were read; until then a successor starts over. */
  private takeGuild(sequence: number, guild: Guild): void {
    const { progress } = this
    const after = progress.missingSince(guild.id)
    if (after === null) {
      for (const { last_message_id: last } of channelsOf(guild)) if (last) progress.noteMessage(last)
      return
    }
    const settle = progress.hold(sequence)
    void this.backfill(guild, after).then((done) => {
      if (!done) return
      progress.backfilled(guild.id)
      settle()
    })
  }

  /** True for the bot's own events and for system messages in people's names, such as a renamed thread. */
  private isIgnored(event: string, { author, user_id: user, type }: EventData): boolean {
    const isOwn = (author?.id ?? user) === this.options.applicationId
    return isOwn || (event === CREATED && !SAID.includes(type!))
  }

  private deliver(retry: Retry, type: string, data: EventData, id: string): Promise<void> {
    const { channel_id: channelId, message_id: messageId = data.id, user_id: userId = data.author?.id } = data
    const letter: DeadLetter = { id, type, channelId, messageId, userId }
    const dueBy = type === 'INTERACTION_CREATE' && data.id ? answerDueBy(data.id) : undefined
    let note = randomUUID()
    return retry(async (signal) => {
      const enriched = await this.directory.enrich(type, data)
      const event: ForwardedEvent = { id, type: `GATEWAY_${type}`, timestamp: Date.now(), data: enriched, note }
      await this.options.deliver(event, signal).catch((error: unknown) => {
        // The event may have been handled: with a new note, the next try counts as a repetition.
        if (!(error instanceof DeliveryFailed && error.unchecked)) note = randomUUID()
        throw error
      })
    }, letter, dueBy)
  }

  /**
   * Reads messages of a guild's channels after a given one, in order and before newer events of the same channel.
   * Reactions cannot be read back.
   *
   * @returns false if part of it is left to a successor
   */
  private async backfill(guild: Guild, after: string): Promise<boolean> {
    const { queue, report } = this.options
    const oldest = BigInt(Date.now() - OLDEST_MS - DISCORD_EPOCH_MS) << 22n
    const start = BigInt(after) > oldest ? after : String(oldest)
    const last = ({ last_message_id: id }: Channel) => BigInt(id ?? 0)
    const behind = channelsOf(guild)
      .filter(channel => WITH_MESSAGES.includes(channel.type) && last(channel) > BigInt(start))
      .sort((one, other) => Number(last(other) - last(one)))
    const read = behind.slice(0, CHANNELS)
    const [channels, taken] = [behind.length, read.length]
    if (taken < channels) report('backfill-cut', { guild: guild.id, channels, read: taken })
    const done = await Promise.all(read.map((channel) => {
      return queue.add(channel.id, retry => this.readChannel(retry, guild.id, channel, start))
    }))
    return !done.includes(false)
  }

  private async readChannel(retry: Retry, guildId: string, { id: channel, type }: Channel, start: string) {
    let cursor = start
    let count = 0
    for (let page = 0; page < PAGES; page++) {
      const messages = await this.readPage(retry, channel, cursor)
      for (const message of messages) {
        const data = { ...message, channel_id: channel, guild_id: guildId, channel_type: type }
        if (!this.isIgnored(CREATED, data)) await this.deliver(retry, CREATED, data, `message:${message.id}`)
        this.progress.noteMessage(message.id)
      }
      count += messages.length
      if (messages.length < PAGE) break
      cursor = messages.at(-1)!.id
    }
    const isCut = count === PAGES * PAGE
    this.options.report(isCut ? 'backfill-cut' : 'backfilled', { guild: guildId, channel, messages: count })
  }

  private async readPage(retry: Retry, channel: string, cursor: string): Promise<(EventData & { id: string })[]> {
    let messages: { id: string }[] = []
    await retry(async () => {
      const page = `/channels/${channel}/messages?after=${cursor}&limit=${PAGE}`
      messages = await this.options.reader.get<{ id: string }[]>(page).catch((error: unknown) => {
        // A channel that the bot may not read counts as empty.
        if (error instanceof DeliveryFailed && error.permanent) return []
        throw error
      })
      if (!Array.isArray(messages)) throw new UnexpectedAnswer()
    }, { id: `backfill:${channel}:${cursor}`, type: 'BACKFILL', channelId: channel })
    return messages.sort((one, other) => BigInt(one.id) < BigInt(other.id) ? -1 : 1)
  }
}

/** Counts from now, or, because a replay brings old interactions, from the time in the id plus the max clock skew. */
function answerDueBy(id: string): number {
  const sentAt = Number(BigInt(id) >> 22n) + DISCORD_EPOCH_MS
  return Math.min(sentAt + CLOCK_SKEW_MS, Date.now()) + INTERACTION_MAX_AGE_MS
}

function channelsOf({ channels = [], threads = [] }: Guild): Channel[] {
  return [...channels, ...threads]
}
