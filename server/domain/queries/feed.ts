import type { Runtime } from '../../ports/runtime'
import { HEARTBEAT_MS, type SubmissionStore } from '../../ports/store'

interface FeedPorts {
  store: Pick<SubmissionStore, 'watch' | 'revision'>
  runtime: Pick<Runtime, 'now' | 'wait'>
}

export interface FeedListener {
  /** The revision of the store that it knows, if any: until a change it need not be told that there may be one. */
  knows?: string
  /** Ids of submissions that changed; null when any may have. */
  changed: (ids: readonly string[] | null) => void
  /** Again and again, while it would hear of a change. */
  alive: () => void
  /** The process ends. */
  closed: () => void
}

/** Changes are gathered this long, ms: one decision is several changes, a burst hundreds. */
const GATHER_MS = 200

/** More ids than this in one message say as little as none. */
const MOST_IDS = 100

/** Open pages; each holds a connection. */
const MOST_LISTENERS = 200

/** One watch of the store for all listeners of this process, and none while nobody listens. */
export class Feed {
  private readonly listeners = new Set<FeedListener>()
  private unwatch: (() => void) | null = null
  /** Null in the set: any may have changed. */
  private readonly gathered = new Set<string | null>()
  private gathering = false
  /** Epoch ms. */
  private aliveAt = 0

  constructor(private readonly ports: FeedPorts) {}

  /** Returns what stops it; null when too many listen already. */
  listen(listener: FeedListener): (() => void) | null {
    if (this.listeners.size >= MOST_LISTENERS) return null
    this.listeners.add(listener)
    // A watch that begins says so by a null, for all.
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

  /** These may have missed something, but for those that know the revision that there is. */
  private async missed(listeners: readonly FeedListener[]): Promise<void> {
    const revision = await this.ports.store.revision().catch(() => null)
    for (const listener of listeners) if (this.listeners.has(listener) && listener.knows !== revision) {
      listener.knows = undefined
      listener.changed(null)
    }
  }
}
