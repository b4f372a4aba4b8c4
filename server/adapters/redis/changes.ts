import type { RedisClient } from './client'
import { CHANGES } from './scripts'

/** Shorter than the idle time-out of the connection's socket, on which nothing else may move for hours. */
const PING_EVERY_MS = 4_000

type Listener = (id: string | null) => void

/** The announcements of all processes, on a connection of its own that exists while somebody listens. */
export class RedisChanges {
  private readonly listeners = new Set<Listener>()
  private subscriber: RedisClient | null = null

  constructor(private readonly client: RedisClient) {}

  watch(listener: Listener): () => void {
    this.listeners.add(listener)
    this.subscriber ??= this.subscribe()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.close()
    }
  }

  close(): void {
    this.subscriber?.destroy()
    this.subscriber = null
  }

  private subscribe(): RedisClient {
    const subscriber = this.client.duplicate({ disableOfflineQueue: false, pingInterval: PING_EVERY_MS }) as RedisClient
    // The main connection reports outages; this one only has to come back.
    subscriber.on('error', () => {})
    // What was announced before the subscription stands, or while the connection was away, is lost.
    subscriber.on('ready', () => this.tell(null))
    subscriber.connect()
      .then(() => subscriber.subscribe(CHANGES, id => this.tell(id)))
      .then(() => this.tell(null))
      .catch(() => { /* Closed in the meantime. */ })
    return subscriber
  }

  private tell(id: string | null): void {
    for (const listener of this.listeners) listener(id)
  }
}
