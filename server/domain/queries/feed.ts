import { HEARTBEAT_MS } from '../../ports/store'
import type { Context } from '../context'

export interface FeedListener {
  /** Store revision that the listener has seen, if any. While it is current, the listener has missed no changes. */
  knows?: string
  /** Called with the ids of changed submissions; with null if any submission may have changed. */
  changed: (ids: readonly string[] | null) => void
  /** Called repeatedly while changes can be received. */
  alive: () => void
  /** Called when the process ends. */
  closed: () => void
}

/** Window for collecting changes, ms: one decision makes several changes, and a burst makes hundreds. */
const GATHER_MS = 200

/** Max ids in one message. With more changes it says that any submission may have changed. */
const MOST_IDS = 100

/** Max listeners: each open page uses a connection. */
const MOST_LISTENERS = 200

/** Shares one store watcher among all listeners of this process; stops it while nobody listens. */
export class Feed {
  private readonly listeners = new Set<FeedListener>()
  private unwatch: (() => void) | null = null
  /** Changed ids; null means that any submission may have changed. */
  private readonly changedIds = new Set<string | null>()
  private isGathering = false
  /** Time of the last heartbeat of the store, epoch ms. */
  private aliveAt = 0

  constructor(private readonly context: Context) {}

  /** Returns a function that stops the listener; null if there are too many listeners. */
  listen(listener: FeedListener): (() => void) | null {
    if (this.listeners.size >= MOST_LISTENERS) return null
    this.listeners.add(listener)
    // Only a new watcher sends null to its listeners, so notify this listener if one is already running.
    if (this.unwatch) void this.notifyMissed([listener])
    this.unwatch ??= this.context.store.watch({ changed: id => this.gather(id), alive: () => this.recordHeartbeat() })
    if (this.context.runtime.now() - this.aliveAt < HEARTBEAT_MS) listener.alive()
    return () => {
      this.listeners.delete(listener)
      if (this.listeners.size === 0) this.stop()
    }
  }

  close(): void {
    for (const { closed } of [...this.listeners]) closed()
    this.listeners.clear()
    this.stop()
  }

  private stop(): void {
    this.unwatch?.()
    this.unwatch = null
  }

  private recordHeartbeat(): void {
    this.aliveAt = this.context.runtime.now()
    for (const { alive } of this.listeners) alive()
  }

  private gather(id: string | null): void {
    this.changedIds.add(id)
    if (this.isGathering) return
    this.isGathering = true
    void this.context.runtime.wait(GATHER_MS).then(() => this.notifyListeners())
  }

  private notifyListeners(): void {
    this.isGathering = false
    const ids = [...this.changedIds]
    this.changedIds.clear()
    if (ids.length > MOST_IDS || ids.includes(null)) return void this.notifyMissed([...this.listeners])
    for (const listener of this.listeners) {
      listener.knows = undefined
      listener.changed(ids as string[])
    }
  }

  /** Tells these listeners that they may have missed changes, except those that know the present revision. */
  private async notifyMissed(listeners: readonly FeedListener[]): Promise<void> {
    const revision = await this.context.store.revision().catch(() => null)
    for (const listener of listeners) if (this.listeners.has(listener) && listener.knows !== revision) {
      listener.knows = undefined
      listener.changed(null)
    }
  }
}
