import { HEARTBEAT_MS, type StoreWatcher } from '../../ports/store'

/** Announces changes to submissions within this process. */
export class SqliteChanges {
  private readonly watchers = new Set<StoreWatcher>()
  /** Starts at the current time, so that it exceeds the count of any earlier process. */
  private count = Date.now()

  get revision(): string {
    return String(this.count)
  }

  tell(id: string): void {
    this.count++
    for (const { changed } of this.watchers) changed(id)
  }

  watch(watcher: StoreWatcher): () => void {
    this.watchers.add(watcher)
    const heartbeatTimer = setInterval(watcher.alive, HEARTBEAT_MS).unref()
    watcher.changed(null)
    watcher.alive()
    return () => {
      clearInterval(heartbeatTimer)
      this.watchers.delete(watcher)
    }
  }
}
