import type { SandboxMessage } from '../../../shared/types/sandbox'
import { HEARTBEAT_MS } from '../../ports/store'
import type { Person } from './protocol'

/** More are forgotten, oldest first: the sandbox lives in memory. */
const KEPT = 200

/** Open pages; each holds a connection. */
const MOST_WATCHERS = 200

interface Watcher {
  changed: () => void
  /** Every `HEARTBEAT_MS`. */
  alive: () => void
  /** The process ends. */
  closed: () => void
}

/** The embedded channel: messages in memory, and whoever watches them. */
export class SandboxRoom {
  readonly channel = 'triage'
  private readonly messages = new Map<string, SandboxMessage>()
  private readonly watchers = new Set<Watcher>()
  private posted = 0
  /** Ids are never used again: the SDK's state, which remembers them, may outlive this process. */
  private readonly run = Date.now().toString(36)

  private readonly senders = new WeakMap<Request, Person>()

  /** Whoever signed in speaks under that name, whatever the request says. */
  introduce(request: Request, { id, name }: Person): void {
    this.senders.set(request, { id, name })
  }

  /** Null for somebody who did not have to sign in, and acts as whom they like. */
  senderOf(request: Request): Person | null {
    return this.senders.get(request) ?? null
  }

  list(): SandboxMessage[] {
    return [...this.messages.values()]
  }

  /** Whether the thread, or the message that it hangs below, is still kept. */
  has(threadId: string): boolean {
    return this.list().some(message => message.threadId === threadId)
  }

  /** The thread that a message stands in, or that may begin below it; null when it is gone. */
  threadOf(messageId: string): string | null {
    return this.messages.get(messageId)?.threadId ?? null
  }

  /** @param threadId null for a message in the channel */
  post(
    threadId: string | null, content: Pick<SandboxMessage, 'text' | 'card'>, author: SandboxMessage['author'] = null,
    channel = this.channel,
  ): SandboxMessage {
    const id = `m${this.run}-${++this.posted}`
    const message = {
      id, threadId: threadId ?? `sandbox:${channel}:${id}`, postedAt: Date.now(), editedAt: null, author, ...content,
    }
    this.messages.set(id, message)
    for (const oldest of this.messages.keys()) {
      if (this.messages.size <= KEPT) break
      this.messages.delete(oldest)
    }
    this.changed()
    return message
  }

  /** The edited message, or null when it is gone. */
  edit(id: string, content: Pick<SandboxMessage, 'text' | 'card'>): SandboxMessage | null {
    const message = this.messages.get(id)
    if (!message) return null
    const edited = { ...message, ...content, editedAt: Date.now() }
    this.messages.set(id, edited)
    this.changed()
    return edited
  }

  delete(id: string): void {
    this.messages.delete(id)
    this.changed()
  }

  /**
   * Tells the watcher of every change, and once of what it missed, until the returned function is called; null when too
   * many watch already.
   */
  watch(watcher: Watcher): (() => void) | null {
    if (this.watchers.size >= MOST_WATCHERS) return null
    this.watchers.add(watcher)
    const beats = setInterval(watcher.alive, HEARTBEAT_MS).unref()
    watcher.changed()
    watcher.alive()
    return () => {
      clearInterval(beats)
      this.watchers.delete(watcher)
    }
  }

  changed(): void {
    for (const { changed } of this.watchers) changed()
  }

  close(): void {
    for (const { closed } of this.watchers) closed()
  }
}
