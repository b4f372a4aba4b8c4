import type { DiscordError, DiscordRest } from '../api/rest'
import { DeliveryFailed, UnexpectedAnswer, type EventData } from './events'

const TIMEOUT_MS = 5000
/** Max cached channels, and users; when full, the cache is cleared */
const MAX_CACHED = 5000

/** https://discord.com/developers/docs/resources/channel#channel-object-channel-types */
export const THREADS: readonly number[] = [10, 11, 12]

export interface Channel {
  id: string
  type: number
  parent_id?: string | null
  last_message_id?: string | null
}

interface User {
  id: string
  username: string
}

/** Reads Discord's REST API, one request at a time. */
export class RestReader {
  private lastRequest: Promise<unknown> = Promise.resolve()

  constructor(private readonly rest: DiscordRest) {}

  /** @throws DeliveryFailed permanent if a retry is useless */
  get<T>(path: string): Promise<T> {
    const answer = this.lastRequest.then(() => this.rest<T>('GET', path, { timeoutMs: TIMEOUT_MS })).catch((error) => {
      const { message, status, refusal: { retryAfterMs } } = error as DiscordError
      const permanent = status >= 400 && status < 500 && status !== 429 && status !== 408
      throw new DeliveryFailed(message, { permanent, retryAfterMs })
    })
    this.lastRequest = answer.catch(() => {})
    return answer
  }
}

/** Caches channels and users, to add data that the adapter needs and Discord's events lack */
export class Directory {
  private readonly channels = new Map<string, Channel>()
  private readonly users = new Map<string, User>()

  constructor(private readonly reader: RestReader) {}

  /** Stores a channel from an event that describes it. */
  learn({ id, type, parent_id }: Channel): void {
    remember(this.channels, id, { id, type, parent_id })
  }

  /**
   * Adds the data that the SDK's own forwarder adds: the thread of a message or reaction with the thread's parent. A
   * reaction also gets the channel's type and, if the event has no member, the user.
   */
  async enrich(type: string, data: EventData): Promise<EventData> {
    const isReaction = type.startsWith('MESSAGE_REACTION')
    if (!isReaction && type !== 'MESSAGE_CREATE') return data
    const isPlain = data.channel_type !== undefined && !THREADS.includes(data.channel_type)
    const [channel, user] = await Promise.all([
      isPlain || !data.channel_id || !(data.guild_id || isReaction) ? null : this.loadChannel(data.channel_id),
      isReaction && !data.member && data.user_id ? this.lookUp(this.users, '/users', data.user_id) : null,
    ])
    const isThread = channel && THREADS.includes(channel.type) && channel.parent_id
    return {
      ...data,
      ...channel && isReaction ? { channel_type: channel.type } : {},
      ...isThread ? { thread: { id: channel.id, parent_id: channel.parent_id } } : {},
      ...user ? { user } : {},
    }
  }

  private async loadChannel(id: string): Promise<Channel | null> {
    const channel = await this.lookUp(this.channels, '/channels', id)
    if (channel) this.learn(channel)
    return channel
  }

  /** Returns null if Discord refuses for good. After a temporary failure the whole event is retried. */
  private async lookUp<T extends { id: string }>(cache: Map<string, T>, path: string, id: string): Promise<T | null> {
    const entry = cache.get(id) ?? await this.reader.get<T>(`${path}/${id}`).catch((error: unknown) => {
      if (error instanceof DeliveryFailed && error.permanent) return null
      throw error
    })
    if (entry && entry.id !== id) throw new UnexpectedAnswer()
    if (entry) remember(cache, id, entry)
    return entry
  }
}

function remember<T>(cache: Map<string, T>, id: string, entry: T): void {
  if (cache.size >= MAX_CACHED && !cache.has(id)) cache.clear()
  cache.set(id, entry)
}
