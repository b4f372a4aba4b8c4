import type { Runtime } from '../../ports/runtime'
import { HEARTBEAT_MS, type SubmissionStore } from '../../ports/store'

interface FeedPorts {
  store: Pick<SubmissionStore, 'watch'>
  runtime: Pick<Runtime, 'now' | 'wait'>
}

export interface FeedListener {
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
    const ids = this.gathered.has(null) || this.gathered.size > MOST_IDS ? null : [...this.gathered] as string[]
    this.gathered.clear()
    for (const { changed } of this.listeners) changed(ids)
  }
}
