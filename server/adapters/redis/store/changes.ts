import { HEARTBEAT_MS, type StoreWatcher } from '../../../ports/store'
import { boundedCall, type RedisClient } from '../connection/client'
import { changesChannel } from './record'

/** Receives the announcements of all processes, over a connection of its own that exists while somebody listens. */
export class RedisChanges {
  private readonly watchers = new Set<StoreWatcher>()
  private subscriber: RedisClient | null = null
  private heartbeatTimer: ReturnType<typeof setInterval> | undefined

  constructor(private readonly client: RedisClient) {
    // If the main connection moved to another node, this one moves too.
    client.on('ready', () => {
      if (!this.subscriber) return
      this.drop()
      this.subscriber = this.subscribe()
    })
  }

  watch(watcher: StoreWatcher): () => void {
    this.watchers.add(watcher)
    this.subscriber ??= this.subscribe()
    this.heartbeatTimer ??= setInterval(() => this.subscriber && this.beat(this.subscriber), HEARTBEAT_MS)
    return () => {
      this.watchers.delete(watcher)
      if (this.watchers.size === 0) this.close()
    }
  }

  close(): void {
    clearInterval(this.heartbeatTimer)
    this.heartbeatTimer = undefined
    this.drop()
  }

  private drop(): void {
    if (this.subscriber?.isOpen) this.subscriber.destroy()
    this.subscriber = null
  }

  private subscribe(): RedisClient {
    const subscriber = this.client.duplicate({ disableOfflineQueue: false }) as RedisClient
    // The main connection reports outages; this one only has to reconnect.
    subscriber.on('error', () => {})
    // Announcements made before the subscription is active, or while the connection is down, are lost.
    const onSubscribed = () => {
      this.announce(null)
      this.beat(subscriber)
    }
    subscriber.on('ready', onSubscribed)
    subscriber.connect()
      // Probes of `tryWrite` publish an empty id.
      .then(() => subscriber.subscribe(changesChannel(this.client), id => id !== '' && this.announce(id)))
      .then(onSubscribed)
      .catch(() => { /* Closed in the meantime. */ })
    return subscriber
  }

  /** Checks that Redis answers on the connection, which announcements need. Replaces a silent connection. */
  private beat(subscriber: RedisClient): void {
    if (!subscriber.isReady) return
    boundedCall(subscriber.ping(), HEARTBEAT_MS).then(() => {
      for (const { alive } of this.watchers) alive()
    }, () => {
      if (this.subscriber !== subscriber) return
      subscriber.destroy()
      this.subscriber = this.subscribe()
    })
  }

  private announce(id: string | null): void {
    for (const { changed } of this.watchers) changed(id)
  }
}
