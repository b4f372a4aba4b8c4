import type { Runtime } from '../../ports/runtime'
import { HEARTBEAT_MS, type SubmissionStore } from '../../ports/store'

interface FeedPorts {
  store: SubmissionStore
  runtime: Runtime
}

export interface FeedListener {
  /** Store revision that the listener has seen, if any. It gets no `null` until the revision changes. */
  knows?: string
  /** Called with the ids of changed submissions; null if any may have changed. */
  changed: (ids: readonly string[] | null) => void
  /** Called repeatedly while changes can be received. */
  alive: () => void
  /** Called when the process ends. */
  closed: () => void
}

/** Window in which changes are collected, ms: one decision makes several changes, a burst makes hundreds. */
const GATHER_MS = 200

/** With more ids than this, a message says that any submission may have changed. */
const MOST_IDS = 100

/** Open pages; each holds a connection. */
const MOST_LISTENERS = 200

/** Shares one watch of the store among all listeners of this process; watches only while somebody listens. */
export class Feed {
  private readonly listeners = new Set<FeedListener>()
  private unwatch: (() => void) | null = null
  /** Changed ids; null means that any submission may have changed. */
  private readonly gathered = new Set<string | null>()
  private gathering = false
  /** Time of the last sign of life from the store, epoch ms. */
  private aliveAt = 0

  constructor(private readonly ports: FeedPorts) {}

  /** Returns a function that stops the listener; null if there are too many listeners. */
  listen(listener: FeedListener): (() => void) | null {
    if (this.listeners.size >= MOST_LISTENERS) return null
    this.listeners.add(listener)
    // A new watch sends null to all listeners; here an older watch runs.
    if (this.unwatch) void this.missed([listener])
    this.unwatch ??= this.ports.store.watch({ changed: id => this.gather(id), alive: () => this.beat() })
    if (this.ports.runtime.now() - this.aliveAt < HEARTBEAT_MS) listener.alive()
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

  private beat(): void {
    this.aliveAt = this.ports.runtime.now()
    for (const { alive } of this.listeners) alive()
  }

  private gather(id: string | null): void {
    this.gathered.add(id)
    if (this.gathering) return
    this.gathering = true
    void this.ports.runtime.wait(GATHER_MS).then(() => this.tell())
  }

  private tell(): void {
    this.gathering = false
    const ids = [...this.gathered]
    this.gathered.clear()
    if (ids.length > MOST_IDS || ids.includes(null)) return void this.missed([...this.listeners])
    for (const listener of this.listeners) {
      listener.knows = undefined
      listener.changed(ids as string[])
    }
  }

  /** Tells these listeners that they may have missed changes, except those that know the present revision. */
  private async missed(listeners: readonly FeedListener[]): Promise<void> {
    const revision = await this.ports.store.revision().catch(() => null)
    for (const listener of listeners) if (this.listeners.has(listener) && listener.knows !== revision) {
      listener.knows = undefined
      listener.changed(null)
    }
  }
}
